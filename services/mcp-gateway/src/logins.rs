//! Logins: a person's browser opens the authorization server, which redirects it with a code.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationRequest,
    AuthorizationSession, CredentialStore as _, InMemoryCredentialStore, WWWAuthenticateParams,
};
use secrecy::ExposeSecret as _;
use tarsy_catalog::OAuthGrant;
use tarsy_contracts::mcp::{Ack, LoginFinish, LoginRequest, LoginStarted};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::Code;
use tarsy_domain::id::CallId;
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use crate::failure::Failure;
use crate::health::Health;
use crate::masks::Masks;
use crate::oauth::{Account, Client, Credentials, Error};
use crate::servers::{ServerRuntime, Servers};

/// The most pending logins, and the time for each.
const MAX_PENDING: usize = 64;
const LOGIN_TTL: Duration = Duration::from_mins(10);
/// The timeout of one step at the authorization server.
const STEP_TIMEOUT: Duration = Duration::from_mins(1);
/// The name of the client that people see at an authorization server.
const CLIENT_NAME: &str = "TARSy";

#[derive(Default)]
pub(crate) struct PendingLogins(Mutex<HashMap<CallId, PendingLogin>>);

struct PendingLogin {
    account: Arc<Account>,
    session: AuthorizationSession,
    store: InMemoryCredentialStore,
    client: Client,
    started: Instant,
}

impl PendingLogins {
    /// None if there are too many.
    fn insert(&self, login: PendingLogin) -> Option<CallId> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, one| one.started.elapsed() < LOGIN_TTL);
        if all.len() >= MAX_PENDING {
            return None;
        }
        let id = CallId::new();
        all.insert(id, login);
        Some(id)
    }

    fn remove(&self, id: CallId) -> Option<PendingLogin> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&id).filter(|one| one.started.elapsed() < LOGIN_TTL)
    }
}

/// Starts and finishes logins.
#[derive(Clone)]
pub(crate) struct LoginService {
    pub(crate) instance: String,
    pub(crate) servers: Arc<Servers>,
    pub(crate) health: Arc<Health>,
    pub(crate) pending: Arc<PendingLogins>,
}

impl LoginService {
    /// Starts a login; the reply contains the address to open in the browser.
    pub(crate) async fn start(self, request: LoginRequest) -> Result<LoginStarted, Refusal> {
        let (runtime, account) = self.find_account(&request.server)?;
        let redirect = validate_redirect_uri(&request.redirect_uri)?;
        if account.challenge().is_none() {
            // Only a refused request shows which scopes the server requires.
            if let Ok(session) = runtime.connector.connect().await {
                session.close().await;
            }
        }
        let started = timeout(STEP_TIMEOUT, Box::pin(start_login(&account, redirect))).await;
        let started = started.unwrap_or(Err(Error::Timeout));
        let started = started.map_err(|error| account.explained(error));
        let pending = started.map_err(|error| login_refusal(&error, &runtime.masks))?;
        let authorization_url = pending.session.auth_url.clone();
        let Some(login_id) = self.pending.insert(pending) else {
            return Err(Refusal::new(Code::RateLimited, "too many logins are in progress"));
        };
        tracing::info!(mcp.server = request.server, "started a login");
        Ok(LoginStarted { instance: self.instance, login_id, authorization_url })
    }

    fn find_account(&self, server: &str) -> Result<(&ServerRuntime, Arc<Account>), Refusal> {
        let Some(runtime) = self.servers.get(server) else {
            let known = self.servers.known_ids();
            let message = format!("server: no server '{server}' is configured; there are: {known}");
            return Err(Refusal::new(Code::NotFound, message));
        };
        let account = self.servers.context().account(server);
        account
            .filter(|account| account.oauth.grant == OAuthGrant::AuthorizationCode)
            .map(|account| (runtime, account))
            .ok_or_else(|| {
                let message = format!(
                    "server: '{server}' needs no login; only a server with `transport.oauth` and the \
                     grant authorization_code does"
                );
                Refusal::new(Code::Invalid, message)
            })
    }

    /// Finishes a login with the address of the redirect.
    pub(crate) async fn finish(self, request: LoginFinish) -> Result<Ack, Refusal> {
        let Some(pending) = self.pending.remove(request.login_id) else {
            let message = "this login is unknown or has expired; start again";
            return Err(Refusal::new(Code::NotFound, message));
        };
        let account = Arc::clone(&pending.account);
        let server = account.server.clone();
        let finished =
            timeout(STEP_TIMEOUT, Box::pin(finish(pending, &request.callback_url))).await;
        let finished = finished.unwrap_or(Err(Error::Timeout));
        let finished = finished.map_err(|error| account.explained(error));
        let masks = self.servers.context().masks(&server);
        finished.map_err(|error| login_refusal(&error, &masks))?;
        tracing::info!(mcp.server = server, "finished a login");
        self.health.mark_due(&server);
        Ok(Ack {})
    }
}

async fn start_login(account: &Arc<Account>, redirect: String) -> Result<PendingLogin, Error> {
    let stored = account.load_stored().await.or_else(|error| match error {
        // A new login replaces tokens whose key is lost.
        Error::Decryption => Ok(None),
        error => Err(error),
    })?;
    let mut manager = account.manager().await?;
    let challenge = account.challenge();
    let metadata = manager.resolve_metadata_from_challenge(challenge.as_deref()).await?.metadata;
    let stored = stored.filter(|stored| stored.issuer == metadata.issuer);
    let supports_metadata_url = supports_metadata_url(&metadata);
    manager.set_metadata(metadata);
    let store = InMemoryCredentialStore::new();
    manager.set_credential_store(store.clone());
    let mut scopes = account.oauth.scopes.clone();
    if scopes.is_empty() {
        scopes = manager.select_initial_scopes(&[]).await;
    }
    if requires_more_scopes(challenge.as_deref()) {
        // The new token replaces the old one, so that it needs the old scopes, too.
        scopes.extend(stored.iter().flat_map(|stored| stored.scopes.iter().cloned()));
        scopes.sort();
        scopes.dedup();
    }
    let known = configured_client(account, &redirect)
        .or_else(|| metadata_client(account, &redirect).filter(|_| supports_metadata_url))
        .or_else(|| registered_client(stored, &redirect));
    let client = match known {
        Some(client) => client,
        None => register_client(&mut manager, redirect, &scopes).await?,
    };
    let mut request = AuthorizationRequest::new(client.redirect_uri.clone())
        .with_preregistered_client(client.id.clone())
        .with_initial_scope_selection()
        .with_scopes(scopes);
    if let Some(secret) = &client.secret {
        request = request.with_client_secret(secret.clone());
    }
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
    account.check(&session.auth_url)?;
    let account = Arc::clone(account);
    Ok(PendingLogin { account, session, store, client, started: Instant::now() })
}

/// The client in the configuration.
fn configured_client(account: &Account, redirect: &str) -> Option<Client> {
    let secret = account.oauth.client_secret.as_ref();
    Some(Client {
        id: account.oauth.client_id.clone()?,
        secret: secret.map(|secret| secret.expose_secret().to_owned()),
        redirect_uri: redirect.to_owned(),
    })
}

/// The client that is identified by the address of its metadata document.
fn metadata_client(account: &Account, redirect: &str) -> Option<Client> {
    let id = account.oauth.client_metadata_url.as_ref()?.to_string();
    Some(Client { id, secret: None, redirect_uri: redirect.to_owned() })
}

/// The client that an earlier login registered for the same redirect URI.
fn registered_client(stored: Option<Credentials>, redirect: &str) -> Option<Client> {
    stored.map(|stored| stored.client).filter(|client| client.redirect_uri == redirect)
}

async fn register_client(
    manager: &mut AuthorizationManager,
    redirect: String,
    scopes: &[String],
) -> Result<Client, Error> {
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let config = manager.register_client(CLIENT_NAME, &redirect, &scopes).await?;
    Ok(Client { id: config.client_id, secret: config.client_secret, redirect_uri: redirect })
}

async fn finish(pending: PendingLogin, callback: &str) -> Result<(), Error> {
    if let Some(reason) = denial(callback) {
        return Err(AuthError::AuthorizationFailed(reason).into());
    }
    pending.session.handle_callback_url(callback).await?;
    let stored = pending.store.load().await?;
    let credentials = stored.and_then(|stored| Credentials::of(stored, pending.client));
    pending.account.store_login(credentials.ok_or(AuthError::AuthorizationRequired)?).await
}

/// The reason of a redirect without a code.
fn denial(callback: &str) -> Option<String> {
    let url = Url::parse(callback).ok()?;
    let part = |name: &str| {
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let error = part("error")?;
    let described = part("error_description").map(|text| format!(": {text}")).unwrap_or_default();
    Some(format!("the authorization server refused ({error}{described})"))
}

/// Whether the authorization server accepts the address of a metadata document as a client id.
fn supports_metadata_url(metadata: &AuthorizationMetadata) -> bool {
    let named = metadata.additional_fields.get("client_id_metadata_document_supported");
    named.and_then(serde_json::Value::as_bool).unwrap_or(false)
}

/// Whether the server refused a token because of its scopes.
fn requires_more_scopes(challenge: Option<&str>) -> bool {
    let Ok(base) = Url::parse("http://localhost/") else { return false };
    challenge.is_some_and(|challenge| {
        WWWAuthenticateParams::parse(challenge, &base).is_insufficient_scope()
    })
}

/// Accepts addresses of the person's own machine only, so that no other machine gets the code.
fn validate_redirect_uri(text: &str) -> Result<String, Refusal> {
    let local = Url::parse(text).ok().is_some_and(|url| {
        let host_is_local = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        url.scheme() == "http" && host_is_local
    });
    if local {
        return Ok(text.to_owned());
    }
    let message =
        "redirect_uri: must be an address of this machine, such as http://127.0.0.1:8979/callback";
    Err(Refusal::new(Code::Invalid, message))
}

/// The refusal for a failed login; the authorization server's message is masked.
fn login_refusal(error: &Error, masks: &Masks) -> Refusal {
    let code = match error {
        Error::Timeout => Code::Timeout,
        Error::Store(_) => Code::Unavailable,
        _ => Code::Invalid,
    };
    let reason = masks.reason(&Failure::Refused(format!("the login failed: {error}")));
    Refusal::new(code, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_goes_to_this_machine_only() {
        for local in ["http://127.0.0.1:8979/callback", "http://localhost/c", "http://[::1]:1/c"] {
            assert_eq!(validate_redirect_uri(local).unwrap(), local);
        }
        for foreign in ["https://evil.example/c", "http://10.0.0.1/c", "file:///etc", "x"] {
            assert!(validate_redirect_uri(foreign).is_err(), "{foreign}");
        }
    }

    #[test]
    fn a_denial_contains_the_error_of_the_authorization_server() {
        let url = "http://localhost/c?error=access_denied&error_description=not%20you";
        assert!(denial(url).unwrap().contains("access_denied: not you"));
        assert_eq!(denial("http://localhost/c?code=1&state=2"), None);
    }

    #[test]
    fn insufficient_scopes_differ_from_a_missing_token() {
        assert!(requires_more_scopes(Some("Bearer error=\"insufficient_scope\", scope=\"write\"")));
        assert!(!requires_more_scopes(Some("Bearer resource_metadata=\"https://a/b\"")));
        assert!(!requires_more_scopes(None));
    }
}
