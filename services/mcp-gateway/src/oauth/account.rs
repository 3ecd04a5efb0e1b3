//! The tokens of one server: got, renewed one at a time, and handed out.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, ClientCredentialsConfig, CredentialStore as _,
    InMemoryCredentialStore, JwtSigningAlgorithm,
};
use secrecy::ExposeSecret as _;
use tarsy_catalog::{Endpoint, McpServer, OAuth, OAuthGrant, Remote, SigningAlgorithm};

use super::kept::{Client, Kept};
use super::{Error, Vault};
use crate::upstream::trusting;

/// How long getting or renewing tokens may take.
const PATIENCE: Duration = Duration::from_secs(45);
/// How long a renewal may take while it holds what is kept; the database cuts off who holds it longer.
const REFRESH: Duration = Duration::from_secs(20);
/// How many tokens that were used are remembered, so that they stay masked.
const REMEMBERED: usize = 16;

/// The tokens of one server.
pub(crate) struct Account {
    pub(super) server: String,
    pub(super) oauth: OAuth,
    remote: Remote,
    vault: Option<Vault>,
    kept: RwLock<Option<Kept>>,
    renewing: tokio::sync::Mutex<()>,
    challenge: Mutex<Option<String>>,
    secrets: RwLock<Vec<String>>,
}

impl Account {
    /// The account at a server, if it wants OAuth.
    pub(crate) fn of(server: &McpServer, vault: Option<&Vault>) -> Option<Arc<Self>> {
        let (Endpoint::Http(remote) | Endpoint::Sse(remote)) = &server.transport.endpoint else {
            return None;
        };
        let oauth = remote.oauth.clone()?;
        Some(Arc::new(Self {
            server: server.id.clone(),
            oauth,
            remote: remote.clone(),
            vault: vault.cloned(),
            kept: RwLock::default(),
            renewing: tokio::sync::Mutex::default(),
            challenge: Mutex::default(),
            secrets: RwLock::default(),
        }))
    }

    /// The token to send; none if somebody has to log in first.
    pub(super) async fn token(&self) -> Result<Option<String>, Error> {
        match self.kept() {
            Some(kept) if kept.ends_soon() => self.renew(Some(&kept.access())).await,
            Some(kept) => Ok(Some(kept.access())),
            None => self.renew(None).await,
        }
    }

    /// Another token than this one, which was refused; none if somebody has to log in. Whoever comes
    /// while one is got waits for that one.
    pub(super) async fn renew(&self, refused: Option<&str>) -> Result<Option<String>, Error> {
        let renewing = async {
            let _one = self.renewing.lock().await;
            if let Some(kept) = self.kept()
                && Some(kept.access().as_str()) != refused
                && !kept.ends_soon()
            {
                return Ok(Some(kept.access()));
            }
            let kept = match self.oauth.grant {
                OAuthGrant::ClientCredentials => Some(self.by_credentials().await?),
                OAuthGrant::AuthorizationCode => self.by_refresh(refused).await?,
            };
            let token = kept.as_ref().map(Kept::access);
            self.adopt(kept);
            Ok(token)
        };
        tokio::time::timeout(PATIENCE, renewing).await.unwrap_or(Err(Error::Timeout))
    }

    /// Gets a token with the client's own credentials.
    async fn by_credentials(&self) -> Result<Kept, Error> {
        let id = self.oauth.client_id.clone().unwrap_or_default();
        let secret =
            self.oauth.client_secret.as_ref().map(|secret| secret.expose_secret().to_owned());
        let mut manager = self.manager().await?;
        let challenge = self.challenge();
        let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await?;
        manager.set_metadata(found.metadata);
        let scopes = if self.oauth.scopes.is_empty() {
            manager.select_initial_scopes(&[]).await
        } else {
            self.oauth.scopes.clone()
        };
        let config = self.proof(id.clone(), secret.clone(), scopes).await?;
        manager.validate_client_credentials_metadata(&config)?;
        manager.configure_client_credentials(&config)?;
        let store = InMemoryCredentialStore::new();
        manager.set_credential_store(store.clone());
        exchange(manager, config).await?;
        tracing::info!(mcp.server = self.server, "got a token with the client's credentials");
        let client = Client { id, secret, redirect_uri: self.remote.url.to_string() };
        let stored = store.load().await?.and_then(|stored| Kept::of(stored, client));
        stored.ok_or_else(|| AuthError::AuthorizationRequired.into())
    }

    /// How the client shows that it is itself: it signs, or shows its secret.
    async fn proof(
        &self,
        client_id: String,
        secret: Option<String>,
        scopes: Vec<String>,
    ) -> Result<ClientCredentialsConfig, Error> {
        let resource = Some(self.resource());
        let Some(path) = &self.oauth.private_key_file else {
            let client_secret = secret.unwrap_or_default();
            return Ok(ClientCredentialsConfig::ClientSecret {
                client_id,
                client_secret,
                scopes,
                resource,
            });
        };
        let signing_key = tokio::fs::read(path).await.map_err(|error| {
            let told = format!("private_key_file: {}: {error}", path.display());
            AuthError::InternalError(told)
        })?;
        let signing_algorithm = match self.oauth.signing_algorithm {
            SigningAlgorithm::Rs256 => JwtSigningAlgorithm::RS256,
            SigningAlgorithm::Rs384 => JwtSigningAlgorithm::RS384,
            SigningAlgorithm::Rs512 => JwtSigningAlgorithm::RS512,
            SigningAlgorithm::Es256 => JwtSigningAlgorithm::ES256,
            SigningAlgorithm::Es384 => JwtSigningAlgorithm::ES384,
        };
        Ok(ClientCredentialsConfig::PrivateKeyJwt {
            client_id,
            signing_key,
            signing_algorithm,
            token_endpoint_audience: None,
            scopes,
            resource,
        })
    }

    /// Renews the kept tokens, unless another gateway has done so meanwhile.
    async fn by_refresh(&self, refused: Option<&str>) -> Result<Option<Kept>, Error> {
        let vault = self.vault.as_ref().ok_or(Error::NoVault)?;
        let (held, kept) = vault.hold(&self.server).await?;
        let Some(kept) = kept else {
            held.release().await?;
            return Ok(None);
        };
        if Some(kept.access().as_str()) != refused && !kept.ends_soon() {
            held.release().await?;
            return Ok(Some(kept));
        }
        self.remember(&kept);
        let refreshed = tokio::time::timeout(REFRESH, self.refresh(&kept)).await;
        match refreshed.unwrap_or(Err(Error::Timeout)) {
            Ok(fresh) => {
                vault.replace(held, &self.server, &fresh).await?;
                tracing::info!(mcp.server = self.server, "renewed a token");
                Ok(Some(fresh))
            }
            Err(Error::Authorization(
                AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_),
            )) => {
                tracing::warn!(mcp.server = self.server, "a login has ended; log in again");
                held.delete().await?;
                Ok(None)
            }
            Err(error) => {
                held.release().await?;
                Err(error)
            }
        }
    }

    async fn refresh(&self, kept: &Kept) -> Result<Kept, Error> {
        let mut manager = self.manager().await?;
        let found = manager.resolve_metadata().await?.metadata;
        if kept.issuer.is_some() && found.issuer.is_some() && kept.issuer != found.issuer {
            tracing::warn!(
                mcp.server = self.server,
                "the server trusts another issuer than before"
            );
            return Err(AuthError::AuthorizationRequired.into());
        }
        manager.set_metadata(found);
        manager.configure_client(kept.client.config())?;
        let store = InMemoryCredentialStore::new();
        store.save(kept.stored()).await?;
        manager.set_credential_store(store.clone());
        manager.refresh_token().await?;
        let fresh = store.load().await?.and_then(|stored| Kept::of(stored, kept.client.clone()));
        fresh.ok_or_else(|| AuthError::AuthorizationRequired.into())
    }

    /// The library's manager for this server. It may talk to private addresses: the operator named
    /// the server.
    pub(super) async fn manager(&self) -> Result<AuthorizationManager, Error> {
        let url = self.remote.url.as_str();
        let mut manager = AuthorizationManager::new_allowing_private_addresses(url).await?;
        if !self.remote.verify_ssl || self.remote.ca_file.is_some() {
            let builder = reqwest::Client::builder()
                .timeout(PATIENCE)
                .redirect(reqwest::redirect::Policy::none());
            let client = trusting(builder, &self.remote)
                .map_err(|failure| AuthError::InternalError(failure.to_string()))?
                .build()
                .map_err(|error| AuthError::InternalError(error.to_string()))?;
            manager.with_client(client)?;
        }
        Ok(manager)
    }

    /// The server's address as tokens name it.
    fn resource(&self) -> String {
        let mut url = self.remote.url.clone();
        url.set_fragment(None);
        url.to_string()
    }

    /// Keeps the tokens of a login.
    pub(super) async fn logged_in(&self, kept: Kept) -> Result<(), Error> {
        let vault = self.vault.as_ref().ok_or(Error::NoVault)?;
        vault.save(&self.server, &kept).await?;
        self.adopt(Some(kept));
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// What an earlier login left, here or in another gateway.
    pub(super) async fn earlier(&self) -> Result<Option<Kept>, Error> {
        let vault = self.vault.as_ref().ok_or(Error::NoVault)?;
        vault.load(&self.server).await
    }

    /// Notes what the server asked for when it refused.
    pub(super) fn challenged(&self, challenge: String) {
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(challenge);
    }

    /// What the server asked for when it refused last.
    pub(super) fn challenge(&self) -> Option<String> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What to do about a refusal, for people.
    pub(crate) fn advice(&self) -> String {
        match self.oauth.grant {
            OAuthGrant::AuthorizationCode => {
                format!("somebody has to log in: `tarsy mcp login {}`", self.server)
            }
            OAuthGrant::ClientCredentials => {
                "the server does not take the token of this client: check transport.oauth"
                    .to_owned()
            }
        }
    }

    /// The tokens that were used lately: nothing that the server says may show them.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn kept(&self) -> Option<Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn adopt(&self, kept: Option<Kept>) {
        if let Some(kept) = &kept {
            self.remember(kept);
        }
        *self.kept.write().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    fn remember(&self, kept: &Kept) {
        let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        for secret in kept.secrets() {
            if !secret.is_empty() && !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
        let surplus = secrets.len().saturating_sub(REMEMBERED);
        secrets.drain(..surplus);
    }
}

/// Exchanges the client's credentials for a token. What the library does meanwhile may not change
/// threads, so it has one to itself.
async fn exchange(
    manager: AuthorizationManager,
    config: ClientCredentialsConfig,
) -> Result<(), Error> {
    let runtime = tokio::runtime::Handle::current();
    let exchanging = tokio::task::spawn_blocking(move || {
        let bounded = async {
            let exchange = manager.exchange_client_credentials(&config);
            tokio::time::timeout(PATIENCE, exchange).await
        };
        runtime.block_on(bounded)
    });
    match exchanging.await {
        Ok(Ok(exchanged)) => Ok(exchanged.map(drop)?),
        Ok(Err(_)) => Err(Error::Timeout),
        Err(error) => Err(AuthError::InternalError(error.to_string()).into()),
    }
}
