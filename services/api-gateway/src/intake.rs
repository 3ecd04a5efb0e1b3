//! Takes alerts in: into the table, or, while PostgreSQL is away, into a stream from which they are
//! stored later under the id that their sender was told.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
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

use crate::app::App;
use crate::{metrics, submission};

/// How many idempotency keys are remembered while the table cannot be asked.
const MAX_KEYS: usize = 10_000;
/// For how long.
const KEY_LIFE: Duration = Duration::from_hours(1);
/// How long a kept alert is held while PostgreSQL is away; with the last try it stays below the
/// consumer's `ack_wait`.
const HELD_FOR: Duration = Duration::from_secs(20);
/// The pause between two tries to store it.
const PAUSE: Duration = Duration::from_millis(500);

/// Why an alert could not be taken in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The table refused it.
    #[error("could not store the alert")]
    Store(#[source] tarsy_store::Error),
    /// Neither the table nor the stream could be reached.
    #[error("could not keep the alert for later")]
    Away(#[source] tarsy_bus::Error),
    /// It could not be written as JSON.
    #[error("could not encode the alert")]
    Encode(#[source] serde_json::Error),
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Store(error) => error.code(),
            Self::Away(_) => Code::Unavailable,
            Self::Encode(_) => Code::Internal,
        }
    }
}

/// What became of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is a new session.
    New(SessionId),
    /// It was taken in before, under the same key.
    Known(SessionId),
    /// It will be a session once PostgreSQL is back.
    Waiting(SessionId),
}

/// The keys of alerts that wait for PostgreSQL.
#[derive(Debug, Default)]
pub(crate) struct Keys(Mutex<HashMap<String, (SessionId, Instant)>>);

impl Keys {
    /// The session that this key stands for: the one that took it first.
    fn take(&self, key: &str, session: SessionId) -> SessionId {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.retain(|_, (_, since)| since.elapsed() < KEY_LIFE);
        if keys.len() >= MAX_KEYS {
            return session;
        }
        keys.entry(key.to_owned()).or_insert((session, Instant::now())).0
    }

    /// Gives a key back whose alert could not be kept.
    fn give_back(&self, key: Option<&str>) {
        if let Some(key) = key {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
    }
}

/// Takes an alert in.
pub(crate) async fn take(app: &App, alert: NewSession) -> Result<Taken, Error> {
    if app.database_is_up() {
        match app.store.insert_session(alert.clone()).await {
            Ok(created) => return Ok(stored(app, created).await),
            Err(error) if !error.is_unavailable() => return Err(Error::Store(error)),
            Err(error) => {
                let error = tarsy_telemetry::chain(&error).to_string();
                tracing::warn!(error, "an alert is kept for later");
            }
        }
    }
    keep(app, alert).await
}

async fn stored(app: &App, created: Created) -> Taken {
    match created {
        Created::Existing { session_id } => Taken::Known(session_id),
        Created::New { session_id, events } => {
            app.publisher.publish(events);
            announce(app, session_id, SessionStatus::Pending).await;
            if let Err(error) = app.bus.wake_session_workers(session_id).await {
                // The row is the fact: a sweeper finds it.
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "no worker was woken");
            }
            Taken::New(session_id)
        }
    }
}

/// Tells the lists of sessions about a step.
pub(crate) async fn announce(app: &App, session_id: SessionId, status: SessionStatus) {
    let live =
        Live { session_id, timestamp: app.clock.now(), body: LiveBody::SessionStatus { status } };
    if let Err(error) = app.bus.publish(subject::LIVE_SESSIONS.to_owned(), &live).await {
        tracing::debug!(error = %tarsy_telemetry::chain(&error), "the lists were not told");
    }
}

/// Keeps an alert in the stream until PostgreSQL is back.
async fn keep(app: &App, new: NewSession) -> Result<Taken, Error> {
    let key = new.idempotency_key.clone();
    let session_id = new.id;
    if let Some(key) = &key {
        let first = app.waiting_keys.take(key, session_id);
        if first != session_id {
            return Ok(Taken::Known(first));
        }
    }
    match send(&app.bus, message(new)).await {
        Ok(()) => {
            metrics::intake("kept");
            Ok(Taken::Waiting(session_id))
        }
        Err(error) => {
            app.waiting_keys.give_back(key.as_deref());
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
        let name = bus.blobs().put(encode(&alert)?).await.map_err(Error::Away)?;
        encode(&Intake::Blob { session_id, name })?
    };
    bus.publish_durable(DurableMessage {
        subject: subject::INTAKE_ALERT.to_owned(),
        message_id: session_id.to_string(),
        payload,
    })
    .await
    .map_err(Error::Away)
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

/// Stores what was kept, once PostgreSQL is back.
pub(crate) fn store_later(app: &App, service: &ServiceContext) {
    let (app, stop) = (app.clone(), service.stopping());
    service.spawn("intake.store", async move {
        let bus = app.bus.clone();
        bus.consume(&topology::INTAKE_ALERTS, stop, |payload| {
            let app = app.clone();
            async move { if settle(&app, payload).await { Handled::Done } else { Handled::Retry } }
        })
        .await;
        Ok(())
    });
}

/// Whether a kept alert is done with.
async fn settle(app: &App, payload: Bytes) -> bool {
    let alert = match unpack(app, &payload).await {
        Ok(alert) => alert,
        Err(Unpack::Later(error)) => {
            tracing::debug!(error, "a kept alert cannot be read yet");
            return false;
        }
        Err(Unpack::Never(error)) => return bury(app, &payload, error).await,
    };
    let id = alert.session_id;
    let session = match session(alert) {
        Ok(session) => session,
        Err(error) => return bury(app, &payload, error.to_string()).await,
    };
    match store_within_patience(app, session).await {
        Ok(created) => {
            metrics::intake("stored");
            match stored(app, created).await {
                Taken::Known(first) if first != id => tracing::warn!(
                    session.id = %id, first = %first,
                    "a kept alert had been taken in before under the same Idempotency-Key"
                ),
                _ => tracing::info!(session.id = %id, "a kept alert is stored"),
            }
            true
        }
        Err(error) if error.code().is_transient() => false,
        Err(error) => {
            let error = tarsy_telemetry::chain(&error).to_string();
            bury(app, &payload, error).await
        }
    }
}

/// Tries until PostgreSQL is back, for as long as the delivery may be held.
async fn store_within_patience(app: &App, new: NewSession) -> Result<Created, tarsy_store::Error> {
    let until = Instant::now() + HELD_FOR;
    loop {
        match app.store.insert_session(new.clone()).await {
            Err(error) if error.is_unavailable() && Instant::now() < until => {
                tokio::select! {
                    () = app.stopping.cancelled() => return Err(error),
                    () = tokio::time::sleep(PAUSE) => {}
                }
            }
            done => return done,
        }
    }
}

enum Unpack {
    Later(String),
    Never(String),
}

async fn unpack(app: &App, payload: &[u8]) -> Result<IntakeAlert, Unpack> {
    let never = |error: serde_json::Error| Unpack::Never(error.to_string());
    match serde_json::from_slice(payload).map_err(never)? {
        Intake::Inline { alert } => Ok(*alert),
        Intake::Blob { session_id, name } => {
            let bytes = app.bus.blobs().get(&name).await.map_err(|error| {
                let text = format!("{session_id}: {}", tarsy_telemetry::chain(&error));
                if app.bus.is_connected() && is_expired(session_id, app.clock.now()) {
                    Unpack::Never(text)
                } else {
                    Unpack::Later(text)
                }
            })?;
            serde_json::from_slice(&bytes).map_err(never)
        }
    }
}

/// Whether what was put aside with this session's alert is gone by now; the id tells its age.
fn is_expired(session: SessionId, now: Timestamp) -> bool {
    let made = session.uuid().get_timestamp().map_or(0, |time| time.to_unix().0);
    let age = now.as_second() - i64::try_from(made).unwrap_or(i64::MAX);
    age > i64::try_from(topology::BLOBS.ttl.as_secs()).unwrap_or(i64::MAX)
}

/// Puts a message aside that can never be stored; not done while that fails, too.
async fn bury(app: &App, payload: &[u8], error: String) -> bool {
    tracing::error!(error, "a kept alert cannot be stored; see the dead letters");
    metrics::intake("buried");
    let letter = NewDeadLetter {
        subject: subject::INTAKE_ALERT.to_owned(),
        payload: payload.to_vec(),
        error,
        deliveries: 1,
    };
    app.store.insert_dead_letter(letter).await.is_ok()
}

#[cfg(test)]
mod tests {
    use tarsy_domain::clock::{Clock as _, SystemClock};

    use super::*;

    #[test]
    fn a_key_stands_for_the_session_that_took_it_first() {
        let keys = Keys::default();
        let (first, second) = (SessionId::new(), SessionId::new());
        assert_eq!(keys.take("a", first), first);
        assert_eq!(keys.take("a", second), first);
        keys.give_back(Some("a"));
        assert_eq!(keys.take("a", second), second);
    }

    #[test]
    fn a_kept_alert_is_not_held_until_it_is_delivered_again() {
        // The last try may wait three seconds for a connection.
        assert!(HELD_FOR + Duration::from_secs(5) < topology::INTAKE_ALERTS.ack_wait);
    }

    #[test]
    fn what_was_put_aside_is_gone_after_its_time_to_live() {
        let (id, now) = (SessionId::new(), SystemClock.now());
        assert!(!is_expired(id, now));
        assert!(is_expired(id, now + topology::BLOBS.ttl + Duration::from_secs(2)));
    }
}
