//! Stores alerts as sessions, or, while PostgreSQL is unavailable, queues them in a stream from which they are
//! stored later under the id that their sender received.

pub(crate) mod drain;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use tarsy_domain::code::{Code, Coded};
use tarsy_domain::id::SessionId;
use tarsy_store::{Created, NewSession};

use crate::metrics;
use crate::notices::Notice;
use crate::state::AppState;

/// The most idempotency keys whose outcome is remembered; of more, the table refuses the second session.
const MAX_KEYS: u64 = 10_000;
const KEY_TTL: Duration = Duration::from_hours(1);

/// Why an alert was not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
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
            Self::Unknown => Code::Timeout,
            Self::Encode(_) => Code::Internal,
            Self::Shared(error) => error.code(),
        }
    }
}

/// What became of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntakeOutcome {
    /// It is a new session.
    Created(SessionId),
    /// The session of an earlier alert with the same idempotency key.
    Existing(SessionId),
    /// It becomes a session when PostgreSQL is available again.
    Queued(SessionId),
}

impl IntakeOutcome {
    fn session_id(self) -> SessionId {
        match self {
            Self::Created(id) | Self::Existing(id) | Self::Queued(id) => id,
        }
    }
}

/// The outcomes of requests with an idempotency key. Requests with the same key at the same time share one outcome;
/// an outcome that is an error is not kept.
#[derive(Debug)]
pub(crate) struct KeyedOutcomes(Cache<String, IntakeOutcome>);

impl Default for KeyedOutcomes {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MAX_KEYS).time_to_live(KEY_TTL).build())
    }
}

/// Stores an alert, or queues it while PostgreSQL is unavailable.
pub(crate) async fn submit(app: &AppState, alert: NewSession) -> Result<IntakeOutcome, Error> {
    let Some(key) = alert.idempotency_key.clone() else {
        return Box::pin(submit_once(app, alert)).await;
    };
    let id = alert.id;
    let once = Box::pin(submit_once(app, alert));
    let shared = app.keyed_outcomes.0.try_get_with(key, once).await.map_err(Error::Shared)?;
    let first = shared.session_id();
    Ok(if first == id { shared } else { IntakeOutcome::Existing(first) })
}

async fn submit_once(app: &AppState, alert: NewSession) -> Result<IntakeOutcome, Error> {
    let mut may_be_stored = false;
    if app.database_is_up() {
        match app.store.insert_session(alert.clone()).await {
            Ok(Created::Existing { session_id }) => return Ok(IntakeOutcome::Existing(session_id)),
            Ok(Created::New { session_id, events }) => {
                app.publisher.publish(events);
                app.notices.send(Notice::SessionCreated(session_id));
                return Ok(IntakeOutcome::Created(session_id));
            }
            Err(error) if !error.is_unavailable() => return Err(Error::Store(error)),
            Err(error) => {
                may_be_stored = error.may_be_committed();
                let error = tarsy_telemetry::chain(&error).to_string();
                tracing::warn!(error, "an alert is queued until the database is available");
            }
        }
    }
    let session_id = alert.id;
    match queue::send(&app.bus, alert).await {
        Ok(()) => {
            metrics::intake("queued");
            Ok(IntakeOutcome::Queued(session_id))
        }
        Err(Error::Unavailable(_)) if may_be_stored => Err(Error::Unknown),
        Err(error) => Err(error),
    }
}
