//! Logins: a person's browser goes to the authorization server, and comes back with a code.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::transport::auth::{
    AuthError, AuthorizationMetadata, AuthorizationRequest, AuthorizationSession,
    CredentialStore as _, InMemoryCredentialStore, WWWAuthenticateParams,
};
use secrecy::ExposeSecret as _;
use tarsy_catalog::OAuthGrant;
use tarsy_contracts::mcp::{Ack, LoginFinish, LoginRequest, LoginStarted};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::Code;
use tarsy_domain::id::CallId;
use tokio::time::{Instant, timeout};
use url::{Host, Url};

use super::kept::{Client, Kept};
use super::{Account, Error};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::masks::Masks;
use crate::upstream::Session;

/// How many logins may be under way, and how long each may take.
const AT_ONCE: usize = 64;
const LIFE: Duration = Duration::from_mins(10);
/// How long one step with the authorization server may take.
const STEP: Duration = Duration::from_mins(1);
/// Who we are to people at an authorization server.
const NAME: &str = "TARSy";

/// The logins that are under way.
#[derive(Default)]
pub(crate) struct Logins(Mutex<HashMap<CallId, Pending>>);

struct Pending {
    account: Arc<Account>,
    session: AuthorizationSession,
    store: InMemoryCredentialStore,
    client: Client,
    begun: Instant,
}

impl Logins {
    fn add(&self, pending: Pending) -> Option<CallId> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, one| one.begun.elapsed() < LIFE);
        if all.len() >= AT_ONCE {
            return None;
        }
        let id = CallId::new();
        all.insert(id, pending);
        Some(id)
    }

    fn take(&self, id: CallId) -> Option<Pending> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&id).filter(|one| one.begun.elapsed() < LIFE)
    }
}

impl Hub {
    /// Begins a login: tells where the person's browser has to go.
    pub(crate) async fn login(self, request: LoginRequest) -> Result<LoginStarted, Refusal> {
        let Some(kit) = self.kits.get(&request.server) else {
            let known: Vec<&str> = self.kits.keys().map(String::as_str).collect();
            let told = format!(
                "server: no server '{}' is configured; there are: {}",
                request.server,
                known.join(", ")
            );
            return Err(Refusal::new(Code::NotFound, told));
        };
        let account = self.around.account(&request.server);
        let Some(account) =
            account.filter(|account| account.oauth.grant == OAuthGrant::AuthorizationCode)
        else {
            let told = format!(
                "server: '{}' needs no login; only a server with `transport.oauth` and the grant \
                 authorization_code does",
                request.server
            );
            return Err(Refusal::new(Code::Invalid, told));
        };
        let redirect = redirect_uri(&request.redirect_uri)?;
        if account.challenge().is_none() {
            // What the server asks for is known only when it was asked something.
            let asked = Box::pin(Session::connect(&kit.server, &self.around, &self.tasks)).await;
            if let Ok(session) = asked {
                session.close().await;
            }
        }
        let began = timeout(STEP, Box::pin(begin(&account, redirect))).await;
        let began = began.unwrap_or(Err(Error::Timeout));
        let pending = began.map_err(|error| failed(&error, &kit.masks))?;
        let authorization_url = pending.session.auth_url.clone();
        let Some(login_id) = self.logins.add(pending) else {
            return Err(Refusal::new(Code::RateLimited, "too many logins are under way"));
        };
        tracing::info!(mcp.server = request.server, "a login began");
        Ok(LoginStarted { instance: self.bus.instance().to_owned(), login_id, authorization_url })
    }

    /// Ends a login with the address that the browser came back to.
    pub(crate) async fn finish_login(self, request: LoginFinish) -> Result<Ack, Refusal> {
        let Some(pending) = self.logins.take(request.login_id) else {
            let told = "this login is not known, or took too long; begin again";
            return Err(Refusal::new(Code::NotFound, told));
        };
        let server = pending.account.server.clone();
        let ended = timeout(STEP, Box::pin(finish(pending, &request.callback_url))).await;
        let ended = ended.unwrap_or(Err(Error::Timeout));
        ended.map_err(|error| failed(&error, &self.around.masks(&server)))?;
        tracing::info!(mcp.server = server, "somebody logged in");
        self.health.look_again(&server);
        Ok(Ack {})
    }
}

async fn begin(account: &Arc<Account>, redirect: String) -> Result<Pending, Error> {
    let earlier = account.earlier().await.or_else(|error| match error {
        // A login is the way out when the key was lost.
        Error::Sealed => Ok(None),
        error => Err(error),
    })?;
    let mut manager = account.manager().await?;
    let challenge = account.challenge();
    let metadata = manager.resolve_metadata_from_challenge(challenge.as_deref()).await?.metadata;
    let issuer = metadata.issuer.clone();
    let takes_metadata_url = takes_metadata_url(&metadata);
    manager.set_metadata(metadata);
    let store = InMemoryCredentialStore::new();
    manager.set_credential_store(store.clone());
    let mut scopes = account.oauth.scopes.clone();
    if scopes.is_empty() {
        scopes = manager.select_initial_scopes(&[]).await;
    }
    let earlier = earlier.filter(|kept| kept.issuer == issuer);
    if asks_for_more(challenge.as_deref()) {
        // Whoever is asked for more keeps what was granted before.
        let before = earlier.iter().flat_map(|kept| kept.scopes.clone());
        scopes.extend(before.collect::<Vec<_>>());
        scopes.sort();
        scopes.dedup();
    }
    let configured = account.oauth.client_id.clone().map(|id| Client {
        id,
        secret: account
            .oauth
            .client_secret
            .as_ref()
            .map(|secret| secret.expose_secret().to_owned()),
        redirect_uri: redirect.clone(),
    });
    let by_url = account.oauth.client_metadata_url.as_ref().filter(|_| takes_metadata_url);
    let by_url = by_url.map(|url| Client {
        id: url.to_string(),
        secret: None,
        redirect_uri: redirect.clone(),
    });
    let registered =
        earlier.map(|kept| kept.client).filter(|client| client.redirect_uri == redirect);
    let known = configured.or(by_url).or(registered);
    let client = if let Some(client) = known {
        client
    } else {
        let names: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let config = manager.register_client(NAME, &redirect, &names).await?;
        Client { id: config.client_id, secret: config.client_secret, redirect_uri: redirect }
    };
    let mut request = AuthorizationRequest::new(client.redirect_uri.clone())
        .with_preregistered_client(client.id.clone())
        .with_initial_scope_selection()
        .with_scopes(scopes);
    if let Some(secret) = &client.secret {
        request = request.with_client_secret(secret.clone());
    }
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| error)?;
    Ok(Pending { account: Arc::clone(account), session, store, client, begun: Instant::now() })
}

async fn finish(pending: Pending, callback: &str) -> Result<(), Error> {
    if let Some(why) = refusal(callback) {
        return Err(AuthError::AuthorizationFailed(why).into());
    }
    pending.session.handle_callback_url(callback).await?;
    let stored = pending.store.load().await?;
    let kept = stored.and_then(|stored| Kept::of(stored, pending.client));
    pending.account.logged_in(kept.ok_or(AuthError::AuthorizationRequired)?).await
}

/// Why the authorization server sent the browser back without a code.
fn refusal(callback: &str) -> Option<String> {
    let url = Url::parse(callback).ok()?;
    let part = |name: &str| {
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let error = part("error")?;
    let described = part("error_description").map(|text| format!(": {text}")).unwrap_or_default();
    Some(format!("the authorization server refused ({error}{described})"))
}

/// Whether the authorization server knows clients by the address of their description.
fn takes_metadata_url(metadata: &AuthorizationMetadata) -> bool {
    let named = metadata.additional_fields.get("client_id_metadata_document_supported");
    named.and_then(serde_json::Value::as_bool).unwrap_or(false)
}

/// Whether the server refused because the token is good for too little.
fn asks_for_more(challenge: Option<&str>) -> bool {
    let Ok(base) = Url::parse("http://localhost/") else { return false };
    challenge.is_some_and(|challenge| {
        WWWAuthenticateParams::parse(challenge, &base).is_insufficient_scope()
    })
}

/// A browser may come back to this machine only, so that no code goes elsewhere.
fn redirect_uri(text: &str) -> Result<String, Refusal> {
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
    let told =
        "redirect_uri: must be an address of this machine, such as http://127.0.0.1:8979/callback";
    Err(Refusal::new(Code::Invalid, told))
}

/// Why a login failed; what the authorization server said is masked like all that a server says.
fn failed(error: &Error, masks: &Masks) -> Refusal {
    let code = match error {
        Error::Timeout => Code::Timeout,
        Error::Store(_) => Code::Unavailable,
        _ => Code::Invalid,
    };
    let why = masks.reason(&Failure::Refused(format!("the login failed: {error}")));
    Refusal::new(code, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_comes_back_to_this_machine_only() {
        for local in ["http://127.0.0.1:8979/callback", "http://localhost/c", "http://[::1]:1/c"] {
            assert_eq!(redirect_uri(local).unwrap(), local);
        }
        for foreign in ["https://evil.example/c", "http://10.0.0.1/c", "file:///etc", "x"] {
            assert!(redirect_uri(foreign).is_err(), "{foreign}");
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_servers_words() {
        let url = "http://localhost/c?error=access_denied&error_description=not%20you";
        assert!(refusal(url).unwrap().contains("access_denied: not you"));
        assert_eq!(refusal("http://localhost/c?code=1&state=2"), None);
    }

    #[test]
    fn a_token_that_is_good_for_too_little_is_told_from_none() {
        assert!(asks_for_more(Some("Bearer error=\"insufficient_scope\", scope=\"write\"")));
        assert!(!asks_for_more(Some("Bearer resource_metadata=\"https://a/b\"")));
        assert!(!asks_for_more(None));
    }
}
