//! The current tokens of one server, with one refresh at a time.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, ClientCredentialsConfig, CredentialStore as _,
    InMemoryCredentialStore, JwtSigningAlgorithm,
};
use secrecy::ExposeSecret as _;
use tarsy_catalog::{Endpoint, McpServer, OAuth, OAuthGrant, Remote, SigningAlgorithm};
use tarsy_hosts::HostList;
use tarsy_outbound::{Guard, Proxies, Refusal};

use super::credentials::{Client, Credentials};
use super::error::Error;
use super::vault::Vault;
use crate::tls::with_trust;

/// The timeout of obtaining or refreshing tokens.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(45);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout of a refresh while it holds the lock on the stored tokens, below the database's own.
const REFRESH_TIMEOUT: Duration = Duration::from_secs(20);
/// The most recent secrets that are masked.
const MASKED_SECRETS: usize = 16;

pub(crate) struct Account {
    pub(crate) server: String,
    pub(crate) oauth: OAuth,
    remote: Remote,
    guard: Arc<Guard>,
    vault: Option<Vault>,
    credentials: RwLock<Option<Credentials>>,
    refreshing: tokio::sync::Mutex<()>,
    challenge: Mutex<Option<String>>,
    secrets: RwLock<Vec<String>>,
}

impl Account {
    /// The account at a server; none if it does not use OAuth.
    pub(crate) fn of(server: &McpServer, vault: Option<&Vault>) -> Option<Arc<Self>> {
        let (Endpoint::Http(remote) | Endpoint::Sse(remote)) = &server.transport.endpoint else {
            return None;
        };
        let oauth = remote.oauth.clone()?;
        // The entries were checked when they were read.
        let listed = HostList::parse(&oauth.authorization_hosts).unwrap_or_default();
        let guard = Guard::new(&remote.url, listed, Proxies::of_environment()).proxied_if_named();
        Some(Arc::new(Self {
            server: server.id.clone(),
            oauth,
            remote: remote.clone(),
            guard: Arc::new(guard),
            vault: vault.cloned(),
            credentials: RwLock::default(),
            refreshing: tokio::sync::Mutex::default(),
            challenge: Mutex::default(),
            secrets: RwLock::default(),
        }))
    }

    /// The token to send; none if a person has to log in first.
    pub(super) async fn token(&self) -> Result<Option<String>, Error> {
        match self.credentials() {
            Some(credentials) if credentials.expires_soon() => {
                self.refresh_token(Some(&credentials.access_token())).await
            }
            Some(credentials) => Ok(Some(credentials.access_token())),
            None => self.refresh_token(None).await,
        }
    }

    /// A token other than the refused one; none if a person has to log in. Concurrent callers wait for the
    /// same refresh.
    pub(super) async fn refresh_token(
        &self,
        refused: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let refreshing = async {
            let _guard = self.refreshing.lock().await;
            if let Some(known) = self.credentials().filter(|known| is_usable(known, refused)) {
                return Ok(Some(known.access_token()));
            }
            let credentials = match self.oauth.grant {
                OAuthGrant::ClientCredentials => {
                    Some(self.request_with_client_credentials().await?)
                }
                OAuthGrant::AuthorizationCode => self.refresh_stored(refused).await?,
            };
            let token = credentials.as_ref().map(Credentials::access_token);
            self.set_credentials(credentials);
            Ok(token)
        };
        let refreshed = tokio::time::timeout(TOKEN_TIMEOUT, refreshing).await;
        refreshed.unwrap_or(Err(Error::Timeout)).map_err(|error| self.explained(error))
    }

    /// The reason of a failure that is known better: an address that was refused on the way.
    pub(crate) fn explained(&self, error: Error) -> Error {
        match (error, self.guard.take_refusal()) {
            (Error::Authorization(_) | Error::Timeout, Some(why)) => Error::Refused(refused(&why)),
            (error, _) => error,
        }
    }

    /// Refuses an address that a person's browser is to open.
    pub(crate) fn check(&self, address: &str) -> Result<(), Error> {
        let url = url::Url::parse(address);
        let url =
            url.map_err(|error| Error::Refused(format!("the login has no address: {error}")))?;
        match self.guard.refusal(&url) {
            Some(refusal) => Err(Error::Refused(refused(&refusal))),
            None => Ok(()),
        }
    }

    /// Obtains a token by the client credentials grant.
    async fn request_with_client_credentials(&self) -> Result<Credentials, Error> {
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
        let config = self.client_authentication(id.clone(), secret.clone(), scopes).await?;
        manager.validate_client_credentials_metadata(&config)?;
        manager.configure_client_credentials(&config)?;
        let store = InMemoryCredentialStore::new();
        manager.set_credential_store(store.clone());
        exchange(manager, config).await?;
        tracing::info!(mcp.server = self.server, "obtained a token with client credentials");
        let client = Client { id, secret, redirect_uri: self.remote.url.to_string() };
        let stored = store.load().await?.and_then(|stored| Credentials::of(stored, client));
        stored.ok_or_else(|| AuthError::AuthorizationRequired.into())
    }

    /// The authentication of the client: by a signed JWT, or by its secret.
    async fn client_authentication(
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
            let message = format!("private_key_file: {}: {error}", path.display());
            AuthError::InternalError(message)
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

    /// Refreshes the stored tokens, unless another gateway has done so already.
    async fn refresh_stored(&self, refused: Option<&str>) -> Result<Option<Credentials>, Error> {
        let vault = self.vault.as_ref().ok_or(Error::NoVault)?;
        let (locked, stored) = vault.lock(&self.server).await?;
        let Some(stored) = stored else {
            locked.release().await?;
            return Ok(None);
        };
        if is_usable(&stored, refused) {
            locked.release().await?;
            return Ok(Some(stored));
        }
        self.mask_secrets(&stored);
        let refreshed = tokio::time::timeout(REFRESH_TIMEOUT, self.refresh(&stored)).await;
        match refreshed.unwrap_or(Err(Error::Timeout)) {
            Ok(refreshed) => {
                vault.replace(locked, &self.server, &refreshed).await?;
                tracing::info!(mcp.server = self.server, "refreshed a token");
                Ok(Some(refreshed))
            }
            Err(Error::Authorization(
                AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_),
            )) => {
                tracing::warn!(
                    mcp.server = self.server,
                    "the refresh token is no longer valid; log in again"
                );
                locked.delete().await?;
                Ok(None)
            }
            Err(error) => {
                locked.release().await?;
                Err(error)
            }
        }
    }

    async fn refresh(&self, stored: &Credentials) -> Result<Credentials, Error> {
        let mut manager = self.manager().await?;
        let found = manager.resolve_metadata().await?.metadata;
        if stored.issuer.is_some() && found.issuer.is_some() && stored.issuer != found.issuer {
            tracing::warn!(
                mcp.server = self.server,
                "the issuer of the server's tokens has changed"
            );
            return Err(AuthError::AuthorizationRequired.into());
        }
        manager.set_metadata(found);
        manager.configure_client(stored.client.config())?;
        let store = InMemoryCredentialStore::new();
        store.save(stored.to_stored()).await?;
        manager.set_credential_store(store.clone());
        manager.refresh_token().await?;
        let client = stored.client.clone();
        let refreshed = store.load().await?.and_then(|loaded| Credentials::of(loaded, client));
        refreshed.ok_or_else(|| AuthError::AuthorizationRequired.into())
    }

    /// The library's manager for this server. Every request of it passes the guard; the library itself would refuse the
    /// private address of a server that the operator configured. It follows redirects within an origin, as requests of
    /// their own.
    pub(crate) async fn manager(&self) -> Result<AuthorizationManager, Error> {
        let url = self.remote.url.as_str();
        let mut manager = AuthorizationManager::new_allowing_private_addresses(url).await?;
        let builder =
            reqwest::Client::builder().timeout(TOKEN_TIMEOUT).connect_timeout(CONNECT_TIMEOUT);
        let client = with_trust(self.guard.limit(builder), &self.remote)
            .map_err(|failure| AuthError::InternalError(failure.to_string()))?
            .build()
            .map_err(|error| AuthError::InternalError(error.to_string()))?;
        manager.with_client(client)?;
        Ok(manager)
    }

    /// The resource indicator in token requests: the server's address.
    fn resource(&self) -> String {
        let mut url = self.remote.url.clone();
        url.set_fragment(None);
        url.to_string()
    }

    pub(crate) async fn store_login(&self, credentials: Credentials) -> Result<(), Error> {
        let vault = self.vault.as_ref().ok_or(Error::NoVault)?;
        vault.save(&self.server, &credentials).await?;
        self.set_credentials(Some(credentials));
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// The stored tokens of an earlier login, at this or another gateway.
    pub(crate) async fn load_stored(&self) -> Result<Option<Credentials>, Error> {
        let vault = self.vault.as_ref().ok_or(Error::NoVault)?;
        vault.load(&self.server).await
    }

    /// Stores the `WWW-Authenticate` header of a refusal.
    pub(super) fn set_challenge(&self, challenge: String) {
        *self.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(challenge);
    }

    /// The `WWW-Authenticate` header of the last refusal.
    pub(crate) fn challenge(&self) -> Option<String> {
        self.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How to fix a refusal, for people.
    pub(crate) fn remedy(&self) -> String {
        match self.oauth.grant {
            OAuthGrant::AuthorizationCode => {
                format!("a person has to log in: `tarsy mcp login {}`", self.server)
            }
            OAuthGrant::ClientCredentials => {
                "the server does not accept the token of this client: check transport.oauth"
                    .to_owned()
            }
        }
    }

    /// The most recent tokens and client secrets, which have to be masked in the server's output.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn credentials(&self) -> Option<Credentials> {
        self.credentials.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_credentials(&self, credentials: Option<Credentials>) {
        if let Some(credentials) = &credentials {
            self.mask_secrets(credentials);
        }
        *self.credentials.write().unwrap_or_else(PoisonError::into_inner) = credentials;
    }

    fn mask_secrets(&self, credentials: &Credentials) {
        let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        for secret in credentials.secrets() {
            if !secret.is_empty() && !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
        let surplus = secrets.len().saturating_sub(MASKED_SECRETS);
        secrets.drain(..surplus);
    }
}

/// Whether a token was not refused and does not expire soon.
fn is_usable(credentials: &Credentials, refused: Option<&str>) -> bool {
    Some(credentials.access_token().as_str()) != refused && !credentials.expires_soon()
}

/// Exchanges the client's credentials for a token, on a thread of its own: the library's future is not
/// `Send`.
async fn exchange(
    manager: AuthorizationManager,
    config: ClientCredentialsConfig,
) -> Result<(), Error> {
    let runtime = tokio::runtime::Handle::current();
    let exchanging = tokio::task::spawn_blocking(move || {
        let bounded = async {
            let exchange = manager.exchange_client_credentials(&config);
            tokio::time::timeout(TOKEN_TIMEOUT, exchange).await
        };
        runtime.block_on(bounded)
    });
    match exchanging.await {
        Ok(Ok(exchanged)) => Ok(exchanged.map(drop)?),
        Ok(Err(_)) => Err(Error::Timeout),
        Err(error) => Err(AuthError::InternalError(error.to_string()).into()),
    }
}

/// The error of an address that is not asked.
fn refused(Refusal { host, fault }: &Refusal) -> String {
    format!(
        "the server names {host} for its authorization, which is refused: {fault}; list the host in \
         transport.oauth.authorization_hosts if it is yours"
    )
}
