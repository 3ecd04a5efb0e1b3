//! Alerts of a session: on its timeline, and for its agents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use tarsy_intake::Action;

use super::list::{ReceivedAlert, columns, read};
use super::new::NewAlerts;
use super::plan::{Planned, Step};
use crate::access::triage;
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode::Tail;
use crate::error::Error;
use crate::record::batch::write_timeline;
use crate::record::events;

/// Shows alerts on the timelines of their sessions; returns the events to publish.
pub(super) async fn show(
    tx: &mut Connection,
    new: &NewAlerts,
    planned: &Planned,
) -> Result<Vec<Committed>, Error> {
    // In the order of the sessions: two requests lock their rows in the same order.
    let mut shown: BTreeMap<SessionId, Vec<NewTimelineEvent>> = BTreeMap::new();
    // Their problem is there again, whatever people have done about it.
    let mut again = BTreeSet::new();
    for (alert, step) in new.alerts.iter().zip(&planned.steps) {
        if let Some(session) = step.session.filter(|_| step.is_shown()) {
            if matches!(step.decision.action, Action::Attach { .. }) {
                again.insert(session);
            }
            shown.entry(session).or_default().push(event(&alert.alert, step));
        }
    }
    let mut committed = Vec::new();
    for (session, events) in shown {
        committed.extend(write(tx, session, events).await?);
        if again.contains(&session) {
            committed.extend(triage::reopen(tx, session).await?);
        }
    }
    Ok(committed)
}

fn event(alert: &tarsy_intake::Alert, step: &Step) -> NewTimelineEvent {
    NewTimelineEvent {
        id: TimelineEventId::new(),
        stage_id: None,
        execution_id: None,
        kind: TimelineKind::AlertReceived,
        status: TimelineStatus::Completed,
        content: alert.title.clone(),
        metadata: Some(json!({
            "alert_id": step.id,
            "source": alert.source,
            "status": alert.status,
            "severity": alert.severity,
            "reason": step.decision.reason.as_str(),
            "starts_at": alert.starts_at,
            "ends_at": alert.ends_at,
        })),
    }
}

async fn write(
    tx: &mut Connection,
    session: SessionId,
    events: Vec<NewTimelineEvent>,
) -> Result<Vec<Committed>, Error> {
    let many = i64::try_from(events.len()).unwrap_or(i64::MAX);
    let numbers = numbers::take_unfenced(tx, session, many, many).await?;
    write_timeline::open(tx, session, &events.iter().collect::<Vec<_>>(), numbers).await?;
    let mut committed = Vec::with_capacity(events.len());
    for (offset, event) in (0..).zip(events) {
        let body = Body::TimelineCreated { event, sequence_number: None };
        let tail = Tail::new(session, &body)?;
        let place = Some(numbers.place + offset);
        committed.push(tail.committed(session, numbers.seq + offset, place, numbers.at));
    }
    events::insert(tx, session, &committed).await?;
    Ok(committed)
}

/// Alerts that belong to a session and that the text it began with does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttachedAlerts {
    /// The oldest first.
    pub alerts: Vec<ReceivedAlert>,
    /// How many came after these.
    pub more: i64,
    /// The place of the newest one, those that came after these included; none if there are none.
    pub newest: Option<i64>,
}

impl Store {
    /// The alerts that were attached to a session, or resolved, after this place; at most `limit`, the others are
    /// counted. Places of one session are given out under its row's lock, so that none appears before a lower one.
    #[tracing::instrument(name = "db.intake.list_attached", skip_all)]
    pub async fn list_attached_alerts(
        &self,
        session: SessionId,
        after: i64,
        limit: i64,
    ) -> Result<AttachedAlerts, Error> {
        let rows = sqlx::query(concat!(
            "select ",
            columns!(),
            ", count(*) over () as total, max(a.seq) over () as newest from intake_alerts a
             where a.session_id = $1 and a.seq > $2 and not a.in_session_text
                and a.action in ('attach', 'resolve')
             order by a.seq limit $3"
        ))
        .bind(session.uuid())
        .bind(after)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        let mut attached = AttachedAlerts::default();
        for row in &rows {
            let cells = Cells::new(row, "intake_alerts");
            attached.alerts.push(read(&cells)?);
            attached.newest = cells.get("newest")?;
            attached.more = cells.get("total")?;
        }
        attached.more -= i64::try_from(attached.alerts.len()).unwrap_or(i64::MAX);
        Ok(attached)
    }
}
