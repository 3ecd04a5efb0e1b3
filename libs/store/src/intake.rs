//! What alert sources send: each alert is decided about and stored in one transaction, with what follows for its session.

pub(crate) mod attached;
mod held;
mod known;
pub(crate) mod list;
mod plan;
mod write;

use std::sync::Arc;

use tarsy_contracts::event::Committed;
use tarsy_domain::id::{IntakeAlertId, SessionId};
use tarsy_intake::{Alert, Decision, Policy};

pub use self::held::HeldAlert;
use self::plan::Planned;
use crate::cancel;
use crate::encode;
use crate::error::{Conflict, Error};
use crate::pool::Connection;
use crate::sessions::{self, NewSession};
use crate::store::Store;

/// The locks of keys of alerts are this one and those after it. (`tarsyin` as a number.)
const LOCKS: i64 = 0x7461_7273_7969_6e00;
/// How many locks there are: requests with many alerts take few of them, and two requests rarely the same.
const BUCKETS: i64 = 64;
/// Why a session ended that nobody had begun.
const RESOLVED_BEFORE: &str = "The alert was resolved before its investigation began.";

/// The alerts of one request of a source.
#[derive(Clone, Debug)]
pub struct NewAlerts {
    /// The source's name.
    pub source: String,
    pub alerts: Vec<NewAlert>,
    /// The most sessions that may wait for a worker; none is no limit.
    pub pending_sessions: Option<u32>,
    /// The tokens of models for today are used up: an alert that would begin a session waits.
    pub tokens_used_up: bool,
}

/// An alert that is decided about.
#[derive(Clone, Debug)]
pub struct NewAlert {
    /// Masked, but for its keys.
    pub alert: Alert,
    /// What the alerts of its group have in common.
    pub group: Option<String>,
    pub policy: Arc<Policy>,
    pub alert_type: String,
    /// The chain that would investigate it.
    pub chain_id: String,
    /// The rule that gave it its type.
    pub rule: Option<String>,
    pub runbook_url: Option<String>,
    /// It was held, and its time has come.
    pub held: Option<IntakeAlertId>,
}

/// What became of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntakeOutcome {
    pub decision: Decision,
    /// The session that it began or belongs to.
    pub session_id: Option<SessionId>,
    /// The source sent it again.
    pub is_repeat: bool,
}

/// What became of the alerts of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedAlerts {
    /// In the order of the alerts.
    pub outcomes: Vec<IntakeOutcome>,
    /// Sessions that began.
    pub opened: Vec<SessionId>,
    /// Sessions that were stopped.
    pub stopped: Vec<SessionId>,
    /// The events to publish.
    pub events: Vec<Committed>,
}

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
            clean(alert);
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
            sessions::clean(&mut made);
            let events = sessions::insert_pending(&mut tx, &made).await?;
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

/// Takes out what PostgreSQL has no place for.
fn clean(new: &mut NewAlert) {
    let alert = &mut new.alert;
    for text in [&mut alert.title, &mut alert.fingerprint, &mut alert.source] {
        encode::clean(text);
    }
    for text in [
        &mut alert.source_id,
        &mut alert.severity,
        &mut alert.service,
        &mut alert.namespace,
        &mut alert.cluster,
        &mut alert.group_key,
        &mut new.group,
        &mut new.runbook_url,
    ] {
        encode::clean_maybe(text);
    }
    for link in &mut alert.links {
        encode::clean(&mut link.title);
        encode::clean(&mut link.url);
    }
    encode::clean_json(&mut alert.raw);
    for map in [&mut alert.labels, &mut alert.annotations] {
        *map = std::mem::take(map)
            .into_iter()
            .map(|(mut name, mut value)| {
                encode::clean(&mut name);
                encode::clean(&mut value);
                (name, value)
            })
            .collect();
    }
}
