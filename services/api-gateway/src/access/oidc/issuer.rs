//! What is known of the issuer: its endpoints and keys, read when the service starts and now and then afterwards.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::Context as _;
use jsonwebtoken::Header;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tarsy_hosts::HostList;
use tarsy_outbound::{Guard, Proxies, Refusal};
use tarsy_service::Health;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::error::OidcError;
use super::fetch;
use super::keys::{self, Keys};

/// The name of the part of the readiness. Without the issuer nothing stops but new sign-ins.
const PART: &str = "oidc";
/// How old keys may be: so long a key that the issuer withdrew is accepted.
const REFRESH_INTERVAL: Duration = Duration::from_mins(5);
/// The pause after the issuer did not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);
/// How often tokens with unknown keys make us ask the issuer: whoever sends them needs no sign-in.
const UNKNOWN_KEY_INTERVAL: Duration = Duration::from_secs(10);
/// For so long after a failure the issuer is not asked again by requests.
const FAILURE_PAUSE: Duration = Duration::from_secs(2);

/// The issuer, as far as it is known.
pub(super) struct Known {
    pub(super) authorization_endpoint: Url,
    token_endpoint: Url,
    sends_secret_in_form: bool,
    pub(super) keys: Keys,
}

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

/// What a token endpoint answers instead of tokens.
#[derive(Deserialize)]
struct Rejection {
    error: String,
}

#[derive(Default)]
struct Asked {
    failed: Option<Instant>,
    for_unknown_key: Option<Instant>,
}

pub(super) struct Issuer {
    url: String,
    client: Client,
    guard: Arc<Guard>,
    known: RwLock<Option<Arc<Known>>>,
    problem: RwLock<Option<String>>,
    /// Held while the issuer is asked, so that many requests ask once.
    asked: Mutex<Asked>,
}

impl Issuer {
    /// `listed` are hosts of its endpoints that may be at private addresses.
    pub(super) fn new(url: String, listed: &[String]) -> anyhow::Result<Self> {
        let own = Url::parse(&url).context("system.access.oidc.issuer is no address")?;
        // The entries were checked when they were read.
        let listed = HostList::parse(listed).unwrap_or_default();
        // The operator's proxy is the way to an issuer outside; who signs people in is trusted more than a tool server.
        let guard = Arc::new(Guard::new(&own, listed, Proxies::of_environment()));
        let client = fetch::client(&guard).context("could not prepare requests to the issuer")?;
        Ok(Self {
            url,
            client,
            guard,
            known: RwLock::default(),
            problem: RwLock::default(),
            asked: Mutex::default(),
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn problem(&self) -> Option<String> {
        self.problem.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is known; asks the issuer if it did not answer yet.
    pub(super) async fn known(&self) -> Result<Arc<Known>, OidcError> {
        if let Some(known) = self.current() {
            return Ok(known);
        }
        let mut asked = self.asked.lock().await;
        if let Some(known) = self.current() {
            return Ok(known);
        }
        if asked.failed.is_some_and(|at| at.elapsed() < FAILURE_PAUSE) {
            return Err(OidcError::Waiting);
        }
        self.ask(&mut asked).await
    }

    /// What is known, with the key of a token; asks the issuer again if it has a new one.
    pub(super) async fn with_key(&self, header: &Header) -> Result<Arc<Known>, OidcError> {
        let known = self.known().await?;
        if known.keys.has(header) {
            return Ok(known);
        }
        let mut asked = self.asked.lock().await;
        // Another request may have asked meanwhile.
        if let Some(known) = self.current().filter(|known| known.keys.has(header)) {
            return Ok(known);
        }
        if asked.for_unknown_key.is_some_and(|at| at.elapsed() < UNKNOWN_KEY_INTERVAL) {
            return Err(OidcError::UnknownKey);
        }
        asked.for_unknown_key = Some(Instant::now());
        let known = self.ask(&mut asked).await?;
        if known.keys.has(header) { Ok(known) } else { Err(OidcError::UnknownKey) }
    }

    /// Asks the issuer now and then, and reports whether it answers, until `stopping`.
    pub(super) async fn keep_fresh(&self, health: &Health, stopping: &CancellationToken) {
        loop {
            let asked = async { self.ask(&mut *self.asked.lock().await).await.is_ok() };
            let answered = tokio::select! {
                answered = asked => answered,
                () = stopping.cancelled() => return,
            };
            health.set(PART, false, self.problem().map_or(Ok(()), Err));
            let pause = if answered { REFRESH_INTERVAL } else { RETRY_INTERVAL };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stopping.cancelled() => return,
            }
        }
    }

    /// Posts a form to the token endpoint.
    pub(super) async fn exchange<T: DeserializeOwned>(
        &self,
        known: &Known,
        form: &[(&str, &str)],
        client_id: &str,
        secret: Option<&SecretString>,
    ) -> Result<T, OidcError> {
        let secret = secret.map(ExposeSecret::expose_secret);
        let in_form = secret.filter(|_| known.sends_secret_in_form);
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .extend_pairs(in_form.map(|secret| ("client_secret", secret)))
            .finish();
        let mut request = self
            .client
            .post(known.token_endpoint.clone())
            .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body);
        if let Some(secret) = secret.filter(|_| !known.sends_secret_in_form) {
            // RFC 6749, section 2.3.1: both are encoded as in a form.
            request = request.basic_auth(encode(client_id), Some(encode(secret)));
        }
        let answer = self.send(request, "token endpoint").await?;
        if answer.status.is_client_error()
            && let Ok(rejection) = answer.read::<Rejection>()
        {
            let error = rejection.error.chars().filter(char::is_ascii_graphic).take(60).collect();
            return Err(OidcError::Rejected { error });
        }
        answer.document()
    }

    /// Sends a request, and says which address was refused on the way.
    async fn send(
        &self,
        request: RequestBuilder,
        what: &'static str,
    ) -> Result<fetch::Answer, OidcError> {
        let answer = fetch::send(request, what).await;
        match (answer, self.guard.take_refusal()) {
            (Err(OidcError::Unreachable { .. }), Some(Refusal { host, fault })) => {
                Err(OidcError::Refused { what, host, fault })
            }
            (answer, _) => answer,
        }
    }

    fn current(&self) -> Option<Arc<Known>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask(&self, asked: &mut Asked) -> Result<Arc<Known>, OidcError> {
        let answer = self.discover().await.map(Arc::new);
        let (failed, problem) = match &answer {
            Ok(_) => (None, None),
            Err(error) => (Some(Instant::now()), Some(self.describe(error))),
        };
        asked.failed = failed;
        self.note(problem);
        let known = answer?;
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&known));
        Ok(known)
    }

    fn describe(&self, error: &OidcError) -> String {
        let error = tarsy_telemetry::chain(error);
        format!("{}: {error}. Nobody can sign in until it answers; API tokens work.", self.url)
    }

    fn note(&self, problem: Option<String>) {
        let mut noted = self.problem.write().unwrap_or_else(PoisonError::into_inner);
        match (&*noted, &problem) {
            (None, Some(text)) => tracing::warn!(problem = text, "the issuer cannot be used"),
            (Some(_), None) => tracing::info!(issuer = self.url, "the issuer answers again"),
            _ => {}
        }
        *noted = problem;
    }

    async fn discover(&self) -> Result<Known, OidcError> {
        let address =
            format!("{}/.well-known/openid-configuration", self.url.trim_end_matches('/'));
        let answer = self.send(self.client.get(address), "discovery document").await?;
        let found: Discovery = answer.document()?;
        if found.issuer != self.url {
            let found = found.issuer.chars().take(300).collect();
            return Err(OidcError::OtherIssuer { found });
        }
        for (what, url) in [
            ("authorization_endpoint", &found.authorization_endpoint),
            ("token_endpoint", &found.token_endpoint),
            ("jwks_uri", &found.jwks_uri),
        ] {
            if !tarsy_catalog::is_safe_address(url.as_str()) {
                return Err(OidcError::Unsafe { what });
            }
            if let Some(Refusal { host, fault }) = self.guard.refusal(url) {
                return Err(OidcError::Refused { what, host, fault });
            }
        }
        let answer = self.send(self.client.get(found.jwks_uri), "key set").await?;
        let keys: keys::Document = answer.document()?;
        let methods = &found.token_endpoint_auth_methods_supported;
        let supports = |method: &str| methods.iter().any(|one| one == method);
        Ok(Known {
            authorization_endpoint: found.authorization_endpoint,
            token_endpoint: found.token_endpoint,
            sends_secret_in_form: !methods.is_empty() && !supports("client_secret_basic"),
            keys: keys.into(),
        })
    }
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
