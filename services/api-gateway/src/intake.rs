//! Stores alerts as sessions, or, while PostgreSQL is unavailable, queues them in a stream from which they are
//! stored later under the id that their sender received.

pub(crate) mod drain;
pub(crate) mod outcome;
mod queue;

use tarsy_store::{Created, NewSession};

use self::outcome::Error;
pub(crate) use self::outcome::IntakeOutcome;
use crate::metrics;
use crate::notices::Notice;
use crate::state::AppState;

/// Stores an alert, or queues it while PostgreSQL is unavailable.
pub(crate) async fn submit(app: &AppState, alert: NewSession) -> Result<IntakeOutcome, Error> {
    let Some(key) = alert.idempotency.clone() else {
        return Box::pin(submit_once(app, alert)).await;
    };
    let id = alert.id;
    let once = Box::pin(submit_once(app, alert));
    let shared = app.keyed_outcomes.get_or(key, once).await?;
    let first = shared.session_id();
    Ok(if first == id { shared } else { IntakeOutcome::Existing(first) })
}

async fn submit_once(app: &AppState, alert: NewSession) -> Result<IntakeOutcome, Error> {
    let mut may_be_stored = false;
    if app.database_is_up() {
        match app.store.insert_session(alert.clone()).await {
            Ok(Created::Existing { session_id }) => return Ok(IntakeOutcome::Existing(session_id)),
            Ok(Created::KeyReused) => return Err(Error::KeyReused),
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
