//! An issuer of OpenID Connect over its wire protocol: discovery, keys that rotate, an authorization endpoint where a user
//! is chosen, and a token endpoint that verifies the client, the code, the redirect address and PKCE.

mod key;
mod pages;
mod state;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use self::key::Forgery;
use self::key::SigningKey;
pub use self::state::{CLIENT_ID, CLIENT_SECRET};
use self::state::{Inner, State};

#[derive(Debug)]
pub struct TestIssuer {
    inner: Arc<Inner>,
    serving: JoinHandle<()>,
}

impl Drop for TestIssuer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl TestIssuer {
    /// Starts an issuer with these users and their groups.
    pub async fn start(users: &[(&'static str, &'static [&'static str])]) -> anyhow::Result<Self> {
        Self::start_on(0, users).await
    }

    /// The same on this port.
    pub async fn start_on(
        port: u16,
        users: &[(&'static str, &'static [&'static str])],
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let state = State {
            key: SigningKey::rsa("key-0")?,
            rotations: 0,
            codes: BTreeMap::new(),
            overrides: Map::new(),
            endpoints: Map::new(),
        };
        let inner = Arc::new(Inner {
            url: format!("http://127.0.0.1:{}", listener.local_addr()?.port()),
            users: users.iter().copied().collect(),
            state: Mutex::new(state),
            key_requests: AtomicUsize::new(0),
        });
        let router = pages::router(Arc::clone(&inner));
        #[expect(clippy::disallowed_methods, reason = "a test's own server, aborted with it")]
        let serving = tokio::spawn(async move {
            // It ends with the task; its callers see an error.
            drop(axum::serve(listener, router).await);
        });
        Ok(Self { inner, serving })
    }

    /// What its tokens name as their issuer.
    pub fn url(&self) -> &str {
        &self.inner.url
    }

    /// Signs with a new key; the old one is not published any more. The first key is RSA, later ones are on P-256.
    pub fn rotate(&self) -> anyhow::Result<()> {
        let mut state = self.inner.lock();
        state.rotations += 1;
        state.key = SigningKey::p256(&format!("key-{}", state.rotations))?;
        Ok(())
    }

    /// How often the keys were read.
    pub fn key_requests(&self) -> usize {
        self.inner.key_requests.load(Ordering::SeqCst)
    }

    /// ID tokens have these claims instead of the right ones.
    pub fn set_claims(&self, claims: &Value) {
        self.inner.lock().overrides = claims.as_object().cloned().unwrap_or_default();
    }

    /// The discovery document has these values instead of the right ones.
    pub fn name_endpoints(&self, values: &Value) {
        self.inner.lock().endpoints = values.as_object().cloned().unwrap_or_default();
    }

    /// The claims of a token of this user for the client.
    pub fn claims(&self, user: &str) -> Value {
        self.inner.claims(user)
    }

    /// A signed token with these claims.
    pub fn sign(&self, claims: &Value) -> anyhow::Result<String> {
        self.inner.lock().key.sign(claims)
    }

    /// A token with these claims that this issuer did not sign.
    pub fn forge(&self, claims: &Value, forgery: Forgery) -> anyhow::Result<String> {
        self.inner.lock().key.forge(claims, forgery)
    }
}
