//! Stores alerts as sessions, or, while PostgreSQL is unavailable, queues them in a stream from which they are
//! stored later under the id that their sender received.

pub(crate) mod drain;
pub(crate) mod outcome;
mod queue;
mod session;

use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_store::{AlertQuota, Created, NewSession};
use tracing::Instrument as _;

pub(crate) use self::outcome::{Error, IntakeOutcome};
pub(crate) use self::session::{SenderOf, session};
use crate::metrics;
use crate::notices::Notice;
use crate::state::AppState;

/// Stores an alert that is within its quota, or queues it while PostgreSQL is unavailable. Those of an alert with an
/// idempotency key were taken before.
pub(crate) async fn submit(
    app: &AppState,
    alert: NewSession,
    quota: AlertQuota,
) -> Result<IntakeOutcome, Error> {
    let Some(key) = alert.idempotency.clone() else {
        return Box::pin(submit_once(app, alert, Some(quota))).await;
    };
    let id = alert.id;
    let once = Box::pin(submit_once(app, alert, None));
    let shared = app.keyed_outcomes.get_or(key, once).await?;
    let first = shared.session_id();
    Ok(if first == id { shared } else { IntakeOutcome::Existing(first) })
}

/// Wakes a worker, then publishes the first events. A task of its own, so that the answer is written before: who is woken takes the
/// same processors. A client that is gone changes nothing.
fn announce(app: &AppState, session_id: SessionId, events: Vec<Committed>) {
    let (notices, publisher) = (app.notices.clone(), app.publisher.clone());
    let announced = async move {
        notices.send(Notice::SessionCreated(session_id));
        tokio::task::yield_now().await;
        publisher.publish(events);
    };
    app.service.spawn_aux("intake.announce", announced.in_current_span());
}

async fn submit_once(
    app: &AppState,
    alert: NewSession,
    quota: Option<AlertQuota>,
) -> Result<IntakeOutcome, Error> {
    let mut may_be_stored = false;
    if app.database_is_up() {
        let inserted = match quota {
            Some(quota) => app.store.insert_admitted_session(alert.clone(), quota).await,
            None => app.store.insert_session(alert.clone()).await.map(Ok),
        };
        let inserted = match inserted {
            Ok(Err(refused)) => return Err(Error::Refused(refused)),
            Ok(Ok(created)) => Ok(created),
            Err(error) => Err(error),
        };
        match inserted {
            Ok(Created::Existing { session_id }) => return Ok(IntakeOutcome::Existing(session_id)),
            Ok(Created::KeyReused) => return Err(Error::KeyReused),
            Ok(Created::New { session_id, events }) => {
                announce(app, session_id, events);
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
