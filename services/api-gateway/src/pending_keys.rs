//! Idempotency keys of alerts that wait for PostgreSQL.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tarsy_domain::id::SessionId;

/// The most keys that are remembered; beyond it, an alert that is sent twice during an outage is queued twice, and
/// the table refuses the second.
const MAX_KEYS: usize = 10_000;
const KEY_TTL: Duration = Duration::from_hours(1);

/// The keys of queued alerts with their sessions.
#[derive(Debug, Default)]
pub(crate) struct PendingKeys(Mutex<HashMap<String, (SessionId, Instant)>>);

impl PendingKeys {
    /// Claims a key for a session; answers the session that claimed it first.
    pub(crate) fn claim(&self, key: &str, session: SessionId) -> SessionId {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|_, (_, since)| since.elapsed() < KEY_TTL);
        if keys.len() >= MAX_KEYS {
            return session;
        }
        keys.entry(key.to_owned()).or_insert((session, Instant::now())).0
    }

    /// Releases the key of an alert that could not be queued.
    pub(crate) fn release(&self, key: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_the_session_that_claimed_it_first() {
        let keys = PendingKeys::default();
        let (first, second) = (SessionId::new(), SessionId::new());
        assert_eq!(keys.claim("a", first), first);
        assert_eq!(keys.claim("a", second), first);
        keys.release("a");
        assert_eq!(keys.claim("a", second), second);
    }
}
