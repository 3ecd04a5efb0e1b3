//! What alert sources send: each alert is decided about and stored in one transaction, with what follows for its session.

pub(crate) mod attached;
mod heartbeats;
mod held;
mod known;
pub(crate) mod list;
mod new;
mod plan;
mod refused;
mod write;

use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;

pub use self::held::HeldAlert;
pub use self::new::{IntakeOutcome, NewAlert, NewAlerts, ReceivedAlerts};
use self::plan::Planned;
pub use self::refused::{RefusalReason, RefusedRequests};
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::{Conflict, Error};
use crate::session::new_sessions;
use crate::session::sessions::NewSession;
use crate::work::cancel;

/// Why a session ended that nobody had begun.
const RESOLVED_BEFORE: &str = "The alert was resolved before its investigation began.";

impl Store {
    /// Decides about the alerts of a request and stores them; all of them or none. `session` makes the session that
    /// begins with these alerts, given by their places in the request, the first one as the one that it is about.
    /// [`Conflict::QueueFull`] if a session would begin while too many wait.
    #[tracing::instrument(name = "db.intake.receive", skip_all)]
    pub async fn receive_alerts(
        &self,
        mut new: NewAlerts,
        session: impl Fn(&[usize]) -> NewSession + Send + Sync,
    ) -> Result<ReceivedAlerts, Error> {
        for alert in &mut new.alerts {
            alert.clean();
        }
        retrying!(Box::pin(self.receive_once(&new, &session)))
    }

    async fn receive_once(
        &self,
        new: &NewAlerts,
        session: &(impl Fn(&[usize]) -> NewSession + Send + Sync),
    ) -> Result<ReceivedAlerts, Error> {
        let mut tx = self.pool.begin().await?;
        let now = known::lock(&mut tx, new).await?;
        let known = known::read(&mut tx, new, now).await?;
        let planned = plan::plan(known, new, now);
        let mut done = ReceivedAlerts::default();
        for opening in &planned.opened {
            admit(&mut tx, new.pending_sessions).await?;
            let mut made = session(&opening.alerts);
            made.id = opening.session;
            new_sessions::clean(&mut made);
            let events = new_sessions::insert_pending(&mut tx, &self.snapshots, &made).await?;
            done.events.extend(events.unwrap_or_default());
            done.opened.push(opening.session);
        }
        let stopped = stop(&mut tx, &planned, &mut done.events).await?;
        done.events.extend(attached::show(&mut tx, new, &planned).await?);
        done.outcomes = write::write(&mut tx, new, planned, &stopped, now).await?;
        done.stopped = stopped;
        tx.commit().await?;
        Ok(done)
    }
}

/// Refuses while as many sessions wait as may wait.
async fn admit(tx: &mut Connection, most: Option<u32>) -> Result<(), Error> {
    let Some(most) = most else { return Ok(()) };
    let waiting: i64 = sqlx::query_scalar(
        "select count(*) from (select 1 from alert_sessions where status = 'pending' limit $1) pending",
    )
    .bind(i64::from(most))
    .fetch_one(tx)
    .await?;
    if waiting >= i64::from(most) { Err(Conflict::QueueFull.into()) } else { Ok(()) }
}

/// Stops the sessions that nothing is left of, unless somebody has begun them meanwhile.
async fn stop(
    tx: &mut Connection,
    planned: &Planned,
    events: &mut Vec<Committed>,
) -> Result<Vec<SessionId>, Error> {
    let mut stopped = Vec::new();
    for session in &planned.stopped {
        if let Some(committed) = cancel::stop_pending(tx, *session, RESOLVED_BEFORE).await? {
            events.extend(committed);
            stopped.push(*session);
        }
    }
    Ok(stopped)
}
