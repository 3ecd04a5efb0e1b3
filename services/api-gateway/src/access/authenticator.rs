//! Identifies the sender of a request by an API token, or as the configured mode says.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, header};
use tarsy_catalog::{Access, AccessMode};
use tarsy_domain::access::{Grant, Role};
use tarsy_domain::clock::Clock;
use tarsy_domain::code::Code;
use tarsy_store::secret::{self, TOKEN_PREFIX};
use tarsy_store::{ApiToken, Digest, SignIn, SignInEnd, Store};
use tarsy_web::{FieldError, Problem, TrustedProxies, author};
use uuid::Uuid;

use super::cookies::{CookieKind, Cookies};
use super::local::{LocalToken, own_name};
use super::oidc::{Identity, Oidc};
use super::principal::{Credential, CsrfToken, Principal, Stored};
use super::remembered::Remembered;

pub(crate) const SIGN_IN_PATH: &str = "/api/v1/sign-in";
/// The most groups of a user that are read.
const MAX_GROUPS: usize = 1_000;
/// How often the credential of an open connection is looked up.
const RECHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Identifies senders.
pub(crate) struct Authenticator {
    access: Access,
    proxies: TrustedProxies,
    store: Store,
    clock: Arc<dyn Clock>,
    tokens: Remembered<ApiToken>,
    sign_ins: Remembered<SignIn>,
    cookies: Cookies,
    local: Option<LocalToken>,
    oidc: Option<Arc<Oidc>>,
}

impl Authenticator {
    /// Of a server without a token of the start, where nobody signs in with OpenID Connect.
    pub(crate) fn new(
        system: &tarsy_catalog::System,
        proxies: TrustedProxies,
        store: Store,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            access: system.access.clone(),
            proxies,
            store,
            clock,
            tokens: Remembered::new(),
            sign_ins: Remembered::new(),
            cookies: Cookies::new(&system.dashboard_url),
            local: None,
            oidc: None,
        }
    }

    /// The issuer, in mode `oidc`.
    pub(crate) fn with_oidc(self, oidc: Option<Arc<Oidc>>) -> Self {
        Self { oidc, ..self }
    }

    /// The token of the start, which counts in mode `local` only.
    pub(crate) fn with_local_token(self, token: Option<&str>) -> Self {
        let token = token.filter(|_| self.access.mode == AccessMode::Local);
        Self { local: token.map(LocalToken::new), ..self }
    }

    pub(crate) fn mode(&self) -> AccessMode {
        self.access.mode
    }

    pub(crate) fn oidc(&self) -> Option<&Oidc> {
        self.oidc.as_deref()
    }

    /// The token of the start, in mode `local`.
    pub(crate) const fn local_token(&self) -> Option<&LocalToken> {
        self.local.as_ref()
    }

    pub(crate) const fn cookies(&self) -> &Cookies {
        &self.cookies
    }

    /// The sender of a request, or why there is none.
    pub(crate) async fn identify(&self, parts: &Parts) -> Result<Principal, Problem> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        if let Some(token) = bearer(&parts.headers)? {
            if self.local.as_ref().is_some_and(|local| local.is(token)) {
                return Ok(self.local_principal(&parts.headers, peer, Credential::LocalToken));
            }
            return self.by_bearer(token).await;
        }
        match self.access.mode {
            AccessMode::Local => {
                let shown = |local: &LocalToken| local.is_shown(&self.cookies, &parts.headers);
                let credential = match &self.local {
                    Some(local) if shown(local) => Credential::LocalToken,
                    _ => Credential::Local,
                };
                Ok(self.local_principal(&parts.headers, peer, credential))
            }
            AccessMode::Proxy => self.by_proxy(&parts.headers, peer),
            AccessMode::Oidc => self.by_cookie(&parts.headers).await,
        }
    }

    /// Waits until the credential of a sender expires or is revoked. While the database is away, it is not revoked.
    pub(crate) async fn ended(&self, principal: &Principal) {
        let Some(expires_at) = principal.expires_at() else {
            return std::future::pending().await;
        };
        loop {
            let left = Duration::try_from(expires_at.duration_since(self.clock.now()));
            let Some(left) = left.ok().filter(|left| !left.is_zero()) else { return };
            tokio::time::sleep(left.min(RECHECK_INTERVAL)).await;
            let is_known = match &principal.credential {
                Credential::Token(stored) => {
                    self.find_token(stored.hash).await.map(|found| found.is_some())
                }
                Credential::SignIn(stored, _) => {
                    self.find_sign_in(stored.hash).await.map(|found| found.is_some())
                }
                _ => Ok(true),
            };
            if matches!(is_known, Ok(false)) {
                return;
            }
        }
    }

    /// The role of a user; a problem if the user's groups have none.
    pub(crate) fn role_of(&self, groups: &[String]) -> Result<Role, Problem> {
        self.access.role_of(groups).ok_or_else(|| {
            Problem::new(
                Code::Forbidden,
                "none of your groups has a role; ask an administrator to add one to system.access.roles",
            )
        })
    }

    /// The user of a sign-in with this cookie.
    pub(crate) fn signed_in(&self, sign_in: SignIn, cookie: &str) -> Result<Principal, Problem> {
        let grant = Grant::Role(self.role_of(&sign_in.groups)?);
        let hash = secret::hash(cookie);
        let stored = Stored { id: sign_in.id, hash, expires_at: sign_in.expires_at };
        let credential = Credential::SignIn(stored, CsrfToken::of_cookie(cookie));
        Ok(Principal { name: sign_in.user_name, credential, grant })
    }

    /// Ends the sign-in that a request carries.
    pub(crate) async fn sign_out(&self, sign_in: &Stored) -> Result<(), Problem> {
        self.store.end_sign_in(sign_in.id, SignInEnd::SignOut).await?;
        self.sign_ins.forget(&sign_in.hash).await;
        Ok(())
    }

    /// Ends the sign-in of somebody; none if no sign-in that is valid has this id.
    pub(crate) async fn revoke(&self, id: Uuid) -> Result<Option<SignIn>, Problem> {
        Ok(self.store.end_sign_in(id, SignInEnd::Revoked).await?)
    }

    fn local_principal(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
        credential: Credential,
    ) -> Principal {
        let mut name = author::name(headers, peer, &self.proxies);
        if name == author::ANONYMOUS && credential == Credential::LocalToken {
            name = own_name(headers).unwrap_or(name);
        }
        Principal { name, credential, grant: Grant::Role(Role::Admin) }
    }

    async fn by_bearer(&self, text: &str) -> Result<Principal, Problem> {
        if let (false, Some(oidc)) = (text.starts_with(TOKEN_PREFIX), &self.oidc) {
            let Identity { name, groups, expires_at } = oidc.bearer(text).await?;
            let grant = Grant::Role(self.role_of(&groups)?);
            return Ok(Principal { name, credential: Credential::OidcToken(expires_at), grant });
        }
        let hash = secret::hash(text);
        let token =
            if text.starts_with(TOKEN_PREFIX) { self.find_token(hash).await? } else { None };
        let token = token.ok_or_else(|| {
            unidentified(match self.access.mode {
                AccessMode::Local => {
                    "the token is neither an API token nor that of this start; `tarsy open` prints \
                                      the address with the latter"
                }
                _ => "the API token is unknown, expired or revoked",
            })
        })?;
        let stored = Stored { id: token.id, hash, expires_at: token.expires_at };
        let credential = Credential::Token(stored);
        Ok(Principal { name: token.name, credential, grant: token.grant })
    }

    async fn by_cookie(&self, headers: &HeaderMap) -> Result<Principal, Problem> {
        let sign_in = |detail: &str| unidentified(detail).with_sign_in(SIGN_IN_PATH);
        let Some(cookie) = self.cookies.read(headers, CookieKind::SignIn) else {
            return Err(sign_in("sign in, or send an API token"));
        };
        let hash = secret::hash(&cookie);
        let Some(found) = self.find_sign_in(hash).await? else {
            return Err(sign_in("your sign-in expired or was ended; sign in again"));
        };
        self.signed_in(found, &cookie)
    }

    async fn find_token(&self, hash: Digest) -> Result<Option<ApiToken>, tarsy_store::Error> {
        let found = self.tokens.find(hash, self.store.use_api_token(&hash)).await?;
        Ok(found.filter(|token| token.expires_at > self.clock.now()))
    }

    async fn find_sign_in(&self, hash: Digest) -> Result<Option<SignIn>, tarsy_store::Error> {
        let found = self.sign_ins.find(hash, self.store.use_sign_in(&hash)).await?;
        Ok(found.filter(|sign_in| sign_in.expires_at > self.clock.now()))
    }

    fn by_proxy(&self, headers: &HeaderMap, peer: Option<IpAddr>) -> Result<Principal, Problem> {
        if !peer.is_some_and(|peer| self.proxies.include(peer)) {
            return Err(unidentified(
                "requests must come through the proxy that signs users in, or carry an API token",
            ));
        }
        let proxy = &self.access.proxy;
        // A proxy that adds its header to that of the client leaves both.
        let named = [&proxy.user_header, &proxy.groups_header];
        if let Some(header) = named.into_iter().find(|name| author::is_repeated(headers, name)) {
            let message = "is given twice; have the proxy replace what the client sends";
            return Err(Problem::invalid(vec![FieldError::new(header.as_str(), message)]));
        }
        let Some(name) = author::header(headers, &proxy.user_header) else {
            return Err(unidentified("the proxy did not name a user"));
        };
        let listed = headers.get(proxy.groups_header.as_str());
        let groups: Vec<String> = listed
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .split(',')
            .map(|group| group.trim().to_owned())
            .filter(|group| !group.is_empty())
            .take(MAX_GROUPS)
            .collect();
        let grant = Grant::Role(self.role_of(&groups)?);
        Ok(Principal { name, credential: Credential::Proxy, grant })
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
        _ => Err(unidentified("Authorization: write `Bearer` and a token")),
    }
}
