//! The tokens of a login, and the client that they were issued to.

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::{OAuthClientConfig, OAuthTokenResponse, StoredCredentials};
use serde::{Deserialize, Serialize};

/// A token that expires in fewer seconds than this is refreshed before its use.
const EXPIRY_MARGIN: u64 = 30;

/// Tokens, and the client that they were issued to. It has no `Debug`: all of it is secret.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Credentials {
    pub(crate) client: Client,
    pub(crate) issuer: Option<String>,
    pub(crate) scopes: Vec<String>,
    /// In seconds of Unix time.
    pub(super) received_at: u64,
    pub(super) tokens: OAuthTokenResponse,
}

/// A client of an authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
    pub(crate) redirect_uri: String,
}

impl Client {
    pub(super) fn config(&self) -> OAuthClientConfig {
        let config = OAuthClientConfig::new(self.id.clone(), self.redirect_uri.clone());
        match &self.secret {
            Some(secret) => config.with_client_secret(secret.clone()),
            None => config,
        }
    }
}

impl Credentials {
    /// The credentials that the library stored; none without tokens.
    pub(crate) fn of(stored: StoredCredentials, client: Client) -> Option<Self> {
        Some(Self {
            client,
            issuer: stored.issuer,
            scopes: stored.granted_scopes,
            received_at: stored.token_received_at.unwrap_or_else(now),
            tokens: stored.token_response?,
        })
    }

    pub(super) fn to_stored(&self) -> StoredCredentials {
        StoredCredentials::new(
            self.client.id.clone(),
            Some(self.tokens.clone()),
            self.scopes.clone(),
            Some(self.received_at),
        )
        .with_issuer(self.issuer.clone())
    }

    pub(super) fn access_token(&self) -> String {
        self.token("access_token").unwrap_or_default()
    }

    /// All tokens, and the client's secret.
    pub(super) fn secrets(&self) -> Vec<String> {
        let parts = ["access_token", "refresh_token", "id_token"];
        let tokens = parts.into_iter().filter_map(|name| self.token(name));
        tokens.chain(self.client.secret.clone()).collect()
    }

    /// Whether the access token has expired, or expires within [`EXPIRY_MARGIN`].
    pub(super) fn expires_soon(&self) -> bool {
        let lifetime = serde_json::to_value(&self.tokens)
            .ok()
            .and_then(|tokens| tokens.get("expires_in").and_then(serde_json::Value::as_u64));
        lifetime.is_some_and(|lifetime| {
            now() + EXPIRY_MARGIN >= self.received_at.saturating_add(lifetime)
        })
    }

    fn token(&self, name: &str) -> Option<String> {
        let tokens = serde_json::to_value(&self.tokens).ok()?;
        tokens.get(name)?.as_str().map(str::to_owned)
    }
}

fn now() -> u64 {
    // With a clock before 1970 no token expires; the server's refusal causes a refresh.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
