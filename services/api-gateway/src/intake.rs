//! Stores alerts as sessions, or, while PostgreSQL is unavailable, queues them in a stream from which they are
//! stored later under the id that their sender received.

use std::time::{Duration, Instant};

use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize as _;
use tarsy_bus::{Bus, DurableMessage, Handled};
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::work::{Intake, IntakeAlert};
use tarsy_contracts::{subject, topology};
use tarsy_domain::code::{Code, Coded};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_service::ServiceContext;
use tarsy_store::{Created, NewDeadLetter, NewSession};

use crate::state::AppState;
use crate::{metrics, submission};

/// How long one delivery of a queued alert is retried while PostgreSQL is unavailable; with the last attempt it stays
/// below the consumer's `ack_wait`.
const RETRY_FOR: Duration = Duration::from_secs(20);
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Why an alert could not be stored or queued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("could not store the alert")]
    Store(#[source] tarsy_store::Error),
    /// Neither PostgreSQL nor NATS is available.
    #[error("could not queue the alert")]
    Queue(#[source] tarsy_bus::Error),
    #[error("could not encode the alert")]
    Encode(#[source] serde_json::Error),
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Queue(_) => Code::Unavailable,
            Self::Encode(_) => Code::Internal,
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

/// Stores an alert, or queues it while PostgreSQL is unavailable.
pub(crate) async fn submit(app: &AppState, alert: NewSession) -> Result<IntakeOutcome, Error> {
    if app.database_is_up() {
        match app.store.insert_session(alert.clone()).await {
            Ok(created) => return Ok(announce_created(app, created).await),
            Err(error) if !error.is_unavailable() => return Err(Error::Store(error)),
            Err(error) => {
                let error = tarsy_telemetry::chain(&error).to_string();
                tracing::warn!(error, "an alert is queued until the database is available");
            }
        }
    }
    queue(app, alert).await
}

/// Publishes the events of a new session and wakes a worker.
async fn announce_created(app: &AppState, created: Created) -> IntakeOutcome {
    match created {
        Created::Existing { session_id } => IntakeOutcome::Existing(session_id),
        Created::New { session_id, events } => {
            app.publisher.publish(events);
            publish_status(app, session_id, SessionStatus::Pending).await;
            if let Err(error) = app.bus.wake_session_workers(session_id).await {
                // Workers find the row with their fallback poll.
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "no worker was woken");
            }
            IntakeOutcome::Created(session_id)
        }
    }
}

/// Publishes a session's status to viewers of the session list.
pub(crate) async fn publish_status(app: &AppState, session_id: SessionId, status: SessionStatus) {
    let live =
        Live { session_id, timestamp: app.clock.now(), body: LiveBody::SessionStatus { status } };
    if let Err(error) = app.bus.publish(subject::LIVE_SESSIONS.to_owned(), &live).await {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "the session list was not notified");
    }
}

/// Puts an alert into the stream until PostgreSQL is available.
async fn queue(app: &AppState, new: NewSession) -> Result<IntakeOutcome, Error> {
    let key = new.idempotency_key.clone();
    let session_id = new.id;
    if let Some(key) = &key {
        let first = app.pending_keys.claim(key, session_id);
        if first != session_id {
            return Ok(IntakeOutcome::Existing(first));
        }
    }
    match send(&app.bus, message(new)).await {
        Ok(()) => {
            metrics::intake("queued");
            Ok(IntakeOutcome::Queued(session_id))
        }
        Err(error) => {
            if let Some(key) = &key {
                app.pending_keys.release(key);
            }
            Err(error)
        }
    }
}

async fn send(bus: &Bus, alert: IntakeAlert) -> Result<(), Error> {
    let session_id = alert.session_id;
    let payload = encode(&Intake::Inline { alert: Box::new(alert.clone()) })?;
    let payload = if payload.len() <= topology::INLINE_LIMIT {
        payload
    } else {
        let name = bus.blobs().put(encode(&alert)?).await.map_err(Error::Queue)?;
        encode(&Intake::Blob { session_id, name })?
    };
    bus.publish_durable(DurableMessage {
        subject: subject::INTAKE_ALERT.to_owned(),
        message_id: session_id.to_string(),
        payload,
    })
    .await
    .map_err(Error::Queue)
}

fn encode<T: serde::Serialize>(value: &T) -> Result<Bytes, Error> {
    serde_json::to_vec(value).map(Bytes::from).map_err(Error::Encode)
}

fn message(new: NewSession) -> IntakeAlert {
    IntakeAlert {
        session_id: new.id,
        alert_data: new.alert_data,
        alert_type: new.alert_type,
        chain_id: new.chain_id,
        author: new.author,
        runbook_url: new.runbook_url,
        mcp_selection: new.mcp_selection,
        slack_message_fingerprint: new.slack_message_fingerprint,
        idempotency_key: new.idempotency_key,
        config_snapshot: new.config_snapshot,
    }
}

/// The session of an alert, with the settings of the chain that was resolved for it.
fn session(alert: IntakeAlert) -> Result<NewSession, serde_json::Error> {
    let chain = ResolvedChain::deserialize(&alert.config_snapshot)?;
    Ok(NewSession {
        id: alert.session_id,
        alert_data: alert.alert_data,
        alert_type: alert.alert_type,
        chain_id: alert.chain_id,
        author: alert.author,
        runbook_url: alert.runbook_url,
        mcp_selection: alert.mcp_selection,
        slack_message_fingerprint: alert.slack_message_fingerprint,
        idempotency_key: alert.idempotency_key,
        settings: submission::settings(&chain),
        config_snapshot: alert.config_snapshot,
    })
}

/// Starts the task that stores queued alerts when PostgreSQL is available.
pub(crate) fn start_drain(app: &AppState, service: &ServiceContext) {
    let (app, stop) = (app.clone(), service.stopping());
    service.spawn("intake.store", async move {
        let bus = app.bus.clone();
        // Boxed: the statements of a submission make a future of 16 KB.
        Box::pin(bus.consume(&topology::INTAKE_ALERTS, stop, |payload| {
            let app = app.clone();
            async move { process(&app, payload).await }
        }))
        .await;
        Ok(())
    });
}

/// Stores a queued alert; one that can never be stored becomes a dead letter.
async fn process(app: &AppState, payload: Bytes) -> Handled {
    let alert = match decode(app, &payload).await {
        Ok(alert) => alert,
        Err(DecodeError::Unavailable(error)) => {
            tracing::debug!(error, "a queued alert cannot be read yet");
            return Handled::Retry;
        }
        Err(DecodeError::Invalid(error)) => return dead_letter(app, &payload, error).await,
    };
    let id = alert.session_id;
    let session = match session(alert) {
        Ok(session) => session,
        Err(error) => return dead_letter(app, &payload, error.to_string()).await,
    };
    match insert_with_retry(app, session).await {
        Ok(created) => {
            metrics::intake("stored");
            match announce_created(app, created).await {
                IntakeOutcome::Existing(first) if first != id => tracing::warn!(
                    session.id = %id, first = %first,
                    "a queued alert has the Idempotency-Key of an existing session"
                ),
                _ => tracing::info!(session.id = %id, "a queued alert is stored"),
            }
            Handled::Done
        }
        Err(error) if error.code().is_transient() => Handled::Retry,
        Err(error) => {
            let error = tarsy_telemetry::chain(&error).to_string();
            dead_letter(app, &payload, error).await
        }
    }
}

/// Retries until PostgreSQL is available, at most for [`RETRY_FOR`].
async fn insert_with_retry(app: &AppState, new: NewSession) -> Result<Created, tarsy_store::Error> {
    let until = Instant::now() + RETRY_FOR;
    loop {
        match app.store.insert_session(new.clone()).await {
            Err(error) if error.is_unavailable() && Instant::now() < until => {
                tokio::select! {
                    () = app.stopping.cancelled() => return Err(error),
                    () = tokio::time::sleep(RETRY_PAUSE) => {}
                }
            }
            done => return done,
        }
    }
}

/// Why a queued alert could not be read.
enum DecodeError {
    /// Its payload may be available later.
    Unavailable(String),
    Invalid(String),
}

async fn decode(app: &AppState, payload: &[u8]) -> Result<IntakeAlert, DecodeError> {
    let invalid = |error: serde_json::Error| DecodeError::Invalid(error.to_string());
    match serde_json::from_slice(payload).map_err(invalid)? {
        Intake::Inline { alert } => Ok(*alert),
        Intake::Blob { session_id, name } => {
            let bytes = app.bus.blobs().get(&name).await.map_err(|error| {
                let text = format!("{session_id}: {}", tarsy_telemetry::chain(&error));
                if app.bus.is_connected() && is_expired(session_id, app.clock.now()) {
                    DecodeError::Invalid(text)
                } else {
                    DecodeError::Unavailable(text)
                }
            })?;
            serde_json::from_slice(&bytes).map_err(invalid)
        }
    }
}

/// Whether the object store has deleted the payload of this session's alert by now; the id holds its age.
fn is_expired(session: SessionId, now: Timestamp) -> bool {
    let made = session.uuid().get_timestamp().map_or(0, |time| time.to_unix().0);
    let age = now.as_second() - i64::try_from(made).unwrap_or(i64::MAX);
    age > i64::try_from(topology::BLOBS.ttl.as_secs()).unwrap_or(i64::MAX)
}

/// Makes a message that can never be stored a dead letter.
async fn dead_letter(app: &AppState, payload: &[u8], error: String) -> Handled {
    tracing::error!(error, "a queued alert cannot be stored; see the dead letters");
    metrics::intake("dead_letter");
    let letter = NewDeadLetter {
        subject: subject::INTAKE_ALERT.to_owned(),
        payload: payload.to_vec(),
        error,
        deliveries: 1,
    };
    match app.store.insert_dead_letter(letter).await {
        Ok(()) => Handled::Done,
        Err(_) => Handled::Retry,
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::clock::{Clock as _, SystemClock};

    use super::*;

    #[test]
    fn a_queued_alert_is_not_retried_until_it_is_delivered_again() {
        // The last try may wait three seconds for a connection.
        assert!(RETRY_FOR + Duration::from_secs(5) < topology::INTAKE_ALERTS.ack_wait);
    }

    #[test]
    fn a_payload_is_expired_after_its_time_to_live() {
        let (id, now) = (SessionId::new(), SystemClock.now());
        assert!(!is_expired(id, now));
        assert!(is_expired(id, now + topology::BLOBS.ttl + Duration::from_secs(2)));
    }
}
