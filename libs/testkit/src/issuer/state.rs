//! What the issuer knows.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::key::SigningKey;

/// The id of the only client.
pub const CLIENT_ID: &str = "tarsy";
/// Its secret; what is not a letter or a digit must be encoded when it is sent.
pub const CLIENT_SECRET: &str = "a secret/with+signs";
/// How long its tokens are valid.
const LIFETIME: Duration = Duration::from_mins(5);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) url: String,
    /// The groups of each user.
    pub(super) users: BTreeMap<&'static str, &'static [&'static str]>,
    pub(super) state: Mutex<State>,
    pub(super) key_requests: AtomicUsize,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) key: SigningKey,
    pub(super) rotations: usize,
    pub(super) codes: BTreeMap<String, Code>,
    /// Claims that ID tokens have instead of the right ones.
    pub(super) overrides: Map<String, Value>,
    /// What the discovery document has instead of the right values.
    pub(super) endpoints: Map<String, Value>,
}

/// A code that was given to a browser.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) user: String,
    pub(super) nonce: String,
    pub(super) challenge: String,
    pub(super) redirect_uri: String,
}

impl Inner {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn claims(&self, user: &str) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({
            "iss": self.url,
            "sub": format!("id-of-{user}"),
            "aud": CLIENT_ID,
            "iat": now.as_secs(),
            "exp": (now + LIFETIME).as_secs(),
            "email": format!("{user}@example.org"),
            "email_verified": true,
            "groups": self.users.get(user).copied().unwrap_or_default(),
        })
    }
}
