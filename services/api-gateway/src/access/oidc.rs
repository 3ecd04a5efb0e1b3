//! OpenID Connect: who a token of the configured issuer names, and the authorization-code flow with PKCE.

mod attempt;
mod error;
mod fetch;
mod identity;
mod issuer;
mod keys;

use std::time::Duration;

use anyhow::Context as _;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Map, Value};
use tarsy_service::ServiceContext;
use tokio::sync::Semaphore;
use url::Url;

pub(crate) use self::attempt::SignInAttempt;
pub(crate) use self::error::OidcError;
pub(crate) use self::identity::Identity;
use self::issuer::Issuer;

/// Where the issuer sends a browser back to.
pub(crate) const CALLBACK_PATH: &str = "/api/v1/sign-in/callback";
/// The most sign-ins that wait for the issuer at once: whoever starts one needs no sign-in.
const MAX_CONCURRENT: usize = 32;

/// Verifies tokens of the configured issuer, and has people sign in there.
pub(crate) struct Oidc {
    config: tarsy_catalog::Oidc,
    issuer: Issuer,
    client_id: String,
    secret: Option<SecretString>,
    redirect_url: String,
    slots: Semaphore,
}

/// What a token endpoint answers; the access token is not used.
#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

impl Oidc {
    /// Reads the configuration. `secret` is the client's secret, if it has one.
    pub(crate) fn new(
        config: tarsy_catalog::Oidc,
        dashboard_url: &str,
        secret: Option<String>,
    ) -> anyhow::Result<Self> {
        let issuer = config.issuer.clone().context("system.access.oidc.issuer is missing")?;
        let client_id =
            config.client_id.clone().context("system.access.oidc.client_id is missing")?;
        Ok(Self {
            issuer: Issuer::new(issuer, &config.endpoint_hosts)?,
            client_id,
            secret: secret.map(SecretString::from),
            redirect_url: format!("{}{CALLBACK_PATH}", dashboard_url.trim_end_matches('/')),
            slots: Semaphore::new(MAX_CONCURRENT),
            config,
        })
    }

    /// Reads the issuer's keys now and then, until the service stops. An issuer that is away stops nothing but new
    /// sign-ins and unknown keys.
    pub(crate) async fn keep_fresh(&self, service: &ServiceContext) {
        let (health, stopping) = (service.health().clone(), service.stopping());
        Box::pin(self.issuer.keep_fresh(&health, &stopping)).await;
    }

    /// What is wrong with the issuer at the moment.
    pub(crate) fn problem(&self) -> Option<String> {
        self.issuer.problem()
    }

    /// How long a person stays signed in.
    pub(crate) const fn lifetime(&self) -> Duration {
        self.config.session_lifetime
    }

    /// Where a person signs in.
    pub(crate) async fn authorization_url(
        &self,
        attempt: &SignInAttempt,
    ) -> Result<Url, OidcError> {
        let known = self.issuer.known().await?;
        let mut url = known.authorization_endpoint.clone();
        let scopes = std::iter::once("openid").chain(self.config.scopes.iter().map(String::as_str));
        let scopes: Vec<&str> = scopes.collect();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &self.redirect_url)
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", &attempt.state())
            .append_pair("nonce", &attempt.nonce())
            .append_pair("code_challenge", &attempt.code_challenge())
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Exchanges the code that the issuer sent with a browser, and verifies the ID token.
    pub(crate) async fn redeem(
        &self,
        code: &str,
        attempt: &SignInAttempt,
    ) -> Result<Identity, OidcError> {
        let _slot = self.slots.try_acquire().map_err(|_| OidcError::Busy)?;
        let known = self.issuer.known().await?;
        let verifier = attempt.code_verifier();
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_url),
            ("client_id", &self.client_id),
            ("code_verifier", &verifier),
        ];
        let tokens: Tokens =
            self.issuer.exchange(&known, &form, &self.client_id, self.secret.as_ref()).await?;
        let claims = self.verify(&tokens.id_token, &self.client_id).await?;
        identity::check_id_token(&claims, &self.client_id, &attempt.nonce())?;
        identity::read(&claims, &self.config)
    }

    /// Who sends a token of the issuer.
    pub(crate) async fn bearer(&self, token: &str) -> Result<Identity, OidcError> {
        let audience = self.config.audience.as_deref().unwrap_or(&self.client_id);
        let claims = self.verify(token, audience).await?;
        identity::read(&claims, &self.config)
    }

    async fn verify(&self, token: &str, audience: &str) -> Result<Map<String, Value>, OidcError> {
        let header = keys::header(token)?;
        let known = self.issuer.with_key(&header).await?;
        let rules =
            keys::Rules { issuer: self.issuer.url(), audience, clock_skew: self.config.clock_skew };
        known.keys.verify(token, &header, &rules)
    }
}
