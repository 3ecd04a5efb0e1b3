//! What is known of a login: the tokens, and the client that they were given to.

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::{OAuthClientConfig, OAuthTokenResponse, StoredCredentials};
use serde::{Deserialize, Serialize};

/// A token that ends sooner than this is renewed before it is used.
const SOON: u64 = 30;

/// Tokens, and the client that they were given to. It has no `Debug`: all of it is secret.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The client.
    pub(super) client: Client,
    /// Who gave the tokens.
    pub(super) issuer: Option<String>,
    /// What they are good for.
    pub(super) scopes: Vec<String>,
    /// When they were given, in seconds of Unix time.
    pub(super) received_at: u64,
    /// The tokens.
    pub(super) tokens: OAuthTokenResponse,
}

/// A client of an authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    /// Its id.
    pub(super) id: String,
    /// Its secret, if it has one.
    pub(super) secret: Option<String>,
    /// Where its logins come back to.
    pub(super) redirect_uri: String,
}

impl Client {
    /// The client as the library wants it.
    pub(super) fn config(&self) -> OAuthClientConfig {
        let config = OAuthClientConfig::new(self.id.clone(), self.redirect_uri.clone());
        match &self.secret {
            Some(secret) => config.with_client_secret(secret.clone()),
            None => config,
        }
    }
}

impl Kept {
    /// What the library stored after tokens were given.
    pub(super) fn of(stored: StoredCredentials, client: Client) -> Option<Self> {
        Some(Self {
            client,
            issuer: stored.issuer,
            scopes: stored.granted_scopes,
            received_at: stored.token_received_at.unwrap_or_else(now),
            tokens: stored.token_response?,
        })
    }

    /// The same for the library.
    pub(super) fn stored(&self) -> StoredCredentials {
        StoredCredentials::new(
            self.client.id.clone(),
            Some(self.tokens.clone()),
            self.scopes.clone(),
            Some(self.received_at),
        )
        .with_issuer(self.issuer.clone())
    }

    /// The token that requests carry.
    pub(super) fn access(&self) -> String {
        self.part("access_token").unwrap_or_default()
    }

    /// Every secret in it.
    pub(super) fn secrets(&self) -> Vec<String> {
        let parts = ["access_token", "refresh_token", "id_token"];
        let tokens = parts.into_iter().filter_map(|name| self.part(name));
        tokens.chain(self.client.secret.clone()).collect()
    }

    /// Whether the token has ended, or will in a moment.
    pub(super) fn ends_soon(&self) -> bool {
        let lives = serde_json::to_value(&self.tokens)
            .ok()
            .and_then(|tokens| tokens.get("expires_in").and_then(serde_json::Value::as_u64));
        lives.is_some_and(|lives| now() + SOON >= self.received_at.saturating_add(lives))
    }

    fn part(&self, name: &str) -> Option<String> {
        let tokens = serde_json::to_value(&self.tokens).ok()?;
        tokens.get(name)?.as_str().map(str::to_owned)
    }
}

fn now() -> u64 {
    // A clock before 1970 makes every token look fresh; the server's refusal renews it then.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
