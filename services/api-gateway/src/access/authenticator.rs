//! Identifies the sender of a request by its API token, or as the configured mode says.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, header};
use tarsy_catalog::{Access, AccessMode};
use tarsy_domain::access::{Grant, Role};
use tarsy_domain::code::Code;
use tarsy_store::Store;
use tarsy_store::secret::TOKEN_PREFIX;
use tarsy_web::{Problem, TrustedProxies, author};

use super::principal::{Credential, Principal};
use super::tokens::ApiTokens;

/// The most groups of a user that are read.
const MAX_GROUPS: usize = 1_000;

/// Identifies senders.
pub(crate) struct Authenticator {
    access: Access,
    proxies: TrustedProxies,
    tokens: ApiTokens,
}

impl Authenticator {
    pub(crate) fn new(access: Access, proxies: TrustedProxies, store: Store) -> Self {
        Self { access, proxies, tokens: ApiTokens::new(store) }
    }

    pub(crate) fn mode(&self) -> AccessMode {
        self.access.mode
    }

    /// The sender of a request, or why there is none.
    pub(crate) async fn identify(&self, parts: &Parts) -> Result<Principal, Problem> {
        if let Some(token) = bearer(&parts.headers)? {
            return self.by_token(token).await;
        }
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        match self.access.mode {
            AccessMode::Local => Ok(Principal {
                name: author::name(&parts.headers, peer, &self.proxies),
                credential: Credential::Local,
                grant: Grant::Role(Role::Admin),
            }),
            AccessMode::Proxy => self.by_proxy(&parts.headers, peer),
        }
    }

    async fn by_token(&self, text: &str) -> Result<Principal, Problem> {
        let invalid = || unidentified("the API token is unknown, expired or revoked");
        if !text.starts_with(TOKEN_PREFIX) {
            return Err(invalid());
        }
        let token = self.tokens.find(text).await?.ok_or_else(invalid)?;
        Ok(Principal {
            name: token.name,
            credential: Credential::Token(token.id),
            grant: token.grant,
        })
    }

    fn by_proxy(&self, headers: &HeaderMap, peer: Option<IpAddr>) -> Result<Principal, Problem> {
        if !peer.is_some_and(|peer| self.proxies.include(peer)) {
            return Err(unidentified(
                "requests must come through the proxy that signs users in, or carry an API token",
            ));
        }
        let proxy = &self.access.proxy;
        let Some(name) = author::header(headers, &proxy.user_header) else {
            return Err(unidentified("the proxy did not name a user"));
        };
        let listed = headers.get_all(proxy.groups_header.as_str());
        let groups: Vec<String> = listed
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|group| group.trim().to_owned())
            .filter(|group| !group.is_empty())
            .take(MAX_GROUPS)
            .collect();
        match self.access.role_of(&groups) {
            Some(role) => {
                Ok(Principal { name, credential: Credential::Proxy, grant: Grant::Role(role) })
            }
            None => Err(Problem::new(
                Code::Forbidden,
                "none of your groups has a role; ask an administrator to add one to system.access.roles",
            )),
        }
    }
}

fn unidentified(detail: &str) -> Problem {
    Problem::new(Code::Unauthenticated, detail)
}

/// The token of the `Authorization` header.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        _ => Err(unidentified("Authorization: write `Bearer` and an API token")),
    }
}
