//! Stores queued alerts when PostgreSQL is available.

use std::time::{Duration, Instant};

use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize as _;
use tarsy_bus::Handled;
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::work::{Intake, IntakeAlert};
use tarsy_contracts::{subject, topology};
use tarsy_domain::code::Coded as _;
use tarsy_domain::id::SessionId;
use tarsy_service::ServiceContext;
use tarsy_store::{Created, NewDeadLetter, NewSession};

use crate::notices::Notice;
use crate::state::AppState;
use crate::{metrics, submission};

/// How long one delivery of a queued alert is retried while PostgreSQL is unavailable; with the last attempt it stays
/// below the consumer's `ack_wait`.
const RETRY_FOR: Duration = Duration::from_secs(5);
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Starts the task that stores queued alerts when PostgreSQL is available.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (app, stop) = (app.clone(), service.stopping());
    service.spawn("intake.store", async move {
        let bus = app.bus.clone();
        bus.consume(&topology::INTAKE_ALERTS, stop, |payload| {
            let app = app.clone();
            async move { process(&app, payload).await }
        })
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
    // It was stored, and its acknowledgement was lost.
    match app.store.find_deleted_session(id).await {
        Ok(None) => {}
        Ok(Some(_)) => {
            tracing::info!(session.id = %id, "a queued alert is of a session that a person deleted");
            remove_blob(app, &payload).await;
            return Handled::Done;
        }
        Err(error) => {
            tracing::debug!(error = %tarsy_telemetry::chain(&error), "a queued alert waits");
            return Handled::Retry;
        }
    }
    let session = match session(alert) {
        Ok(session) => session,
        Err(error) => return dead_letter(app, &payload, error.to_string()).await,
    };
    match insert_with_retry(app, session).await {
        Ok(created) => {
            metrics::intake("stored");
            match created {
                Created::Existing { session_id: first } if first != id => tracing::info!(
                    session.id = %id, first = %first,
                    "a queued alert has the Idempotency-Key of an existing session and is an alias of it"
                ),
                // An alert with an id that its sender received is stored under it, whatever its key.
                Created::Existing { .. } | Created::KeyReused => {}
                Created::New { session_id, events } => {
                    app.publisher.publish(events);
                    app.notices.send(Notice::SessionCreated(session_id));
                    tracing::info!(session.id = %id, "a queued alert is stored");
                }
            }
            remove_blob(app, &payload).await;
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
        match app.store.insert_accepted_session(new.clone()).await {
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

/// Removes the payload of a stored alert; one that stays expires.
async fn remove_blob(app: &AppState, payload: &[u8]) {
    if let Ok(Intake::Blob { name, .. }) = serde_json::from_slice(payload)
        && let Err(error) = app.bus.blobs(&topology::INTAKE_BLOBS).delete(&name).await
    {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "a payload stays until it expires");
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
            let bytes =
                app.bus.blobs(&topology::INTAKE_BLOBS).get(&name).await.map_err(|error| {
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
    age > i64::try_from(topology::INTAKE_BLOBS.ttl.as_secs()).unwrap_or(i64::MAX)
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

/// The session of an alert, with the settings of the chain that was resolved for it.
fn session(alert: IntakeAlert) -> Result<NewSession, serde_json::Error> {
    let chain = ResolvedChain::deserialize(&alert.config_snapshot)?;
    Ok(NewSession {
        id: alert.session_id,
        alert_data: alert.alert_data,
        alert_type: alert.alert_type,
        chain_id: alert.chain_id,
        author: alert.author,
        principal: alert.principal,
        runbook_url: alert.runbook_url,
        mcp_selection: alert.mcp_selection,
        requested_provider: alert.requested_provider,
        slack_message_fingerprint: alert.slack_message_fingerprint,
        fields: alert.fields,
        idempotency: alert.idempotency,
        settings: submission::settings(&chain),
        config_snapshot: alert.config_snapshot,
        traceparent: tarsy_telemetry::traceparent(),
    })
}

#[cfg(test)]
mod tests {
    use tarsy_domain::clock::{Clock as _, SystemClock};

    use super::*;

    #[test]
    fn a_queued_alert_is_not_retried_until_it_is_delivered_again() {
        let limits = tarsy_store::PoolLimits::new(1);
        let last = limits.acquire + limits.statement;
        assert!(RETRY_FOR + last < topology::INTAKE_ALERTS.ack_wait);
    }

    #[test]
    fn a_payload_is_expired_after_its_time_to_live() {
        let (id, now) = (SessionId::new(), SystemClock.now());
        assert!(!is_expired(id, now));
        assert!(is_expired(id, now + topology::INTAKE_BLOBS.ttl + Duration::from_secs(2)));
    }
}
