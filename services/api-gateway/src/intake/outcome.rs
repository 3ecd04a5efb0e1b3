//! What becomes of an alert, and what is remembered of it by its idempotency key.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::code::{Code, Coded};
use tarsy_domain::id::SessionId;

/// The most idempotency keys whose outcome is remembered; of more, the table refuses the second session.
const MAX_KEYS: u64 = 10_000;
const KEY_TTL: Duration = Duration::from_hours(1);

/// Why an alert was not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Another alert has its idempotency key.
    #[error(
        "Idempotency-Key: was sent with another alert within 24 hours; send each alert under a key of its own"
    )]
    KeyReused,
    /// It exceeds a quota; [`crate::quotas::check_alert`] says which.
    #[error("the alert exceeds a quota")]
    Refused(tarsy_store::Admission),
    #[error("could not store the alert")]
    Store(#[source] tarsy_store::Error),
    /// Neither PostgreSQL nor NATS is available, and neither has the alert.
    #[error("could not queue the alert")]
    Unavailable(#[source] tarsy_bus::Error),
    /// PostgreSQL or NATS may have the alert: its answer was lost.
    #[error(
        "it is not known whether the alert was kept; send it again with the same Idempotency-Key"
    )]
    Unknown,
    #[error("could not encode the alert")]
    Encode(#[source] serde_json::Error),
    /// Another request with the same idempotency key failed so.
    #[error(transparent)]
    Shared(Arc<Self>),
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Unavailable(_) => Code::Unavailable,
            Self::KeyReused => Code::Conflict,
            Self::Refused(_) => Code::RateLimited,
            Self::Unknown => Code::Timeout,
            Self::Encode(_) => Code::Internal,
            Self::Shared(error) => error.code(),
        }
    }
}

/// What became of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntakeOutcome {
    Created(SessionId),
    /// The session of an earlier alert with the same idempotency key.
    Existing(SessionId),
    /// It becomes a session when PostgreSQL is available again.
    Queued(SessionId),
}

impl IntakeOutcome {
    pub(crate) fn session_id(self) -> SessionId {
        match self {
            Self::Created(id) | Self::Existing(id) | Self::Queued(id) => id,
        }
    }
}

/// The outcomes of requests with an idempotency key. Requests with the same key at the same time share one outcome;
/// an outcome that is an error is not kept.
#[derive(Debug)]
pub(crate) struct KeyedOutcomes(Cache<OwnedKey, Outcome>);

/// A principal and its key.
type OwnedKey = (String, String);

#[derive(Clone, Debug)]
struct Outcome {
    request_hash: String,
    outcome: IntakeOutcome,
}

impl Default for KeyedOutcomes {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MAX_KEYS).time_to_live(KEY_TTL).build())
    }
}

impl KeyedOutcomes {
    /// The outcome of the first request with this key; `once` runs if there is none.
    pub(crate) async fn get_or(
        &self,
        key: IdempotencyKey,
        once: impl Future<Output = Result<IntakeOutcome, Error>>,
    ) -> Result<IntakeOutcome, Error> {
        let request_hash = key.request_hash.clone();
        let once = async move { Ok(Outcome { request_hash, outcome: once.await? }) };
        let first = self.0.try_get_with((key.principal, key.key), once).await;
        let first = first.map_err(Error::Shared)?;
        if first.request_hash == key.request_hash {
            Ok(first.outcome)
        } else {
            Err(Error::KeyReused)
        }
    }
}
