//! Messages about tool calls that wait for a person's decision.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_contracts::action::{ActionPlan, DryRun};
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::{ApprovalId, SessionId, TimelineEventId};
use uuid::Uuid;

use super::NotificationKind;
use super::answers::{self, Place};
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;
use crate::work::actions;
use crate::work::injected::{self, InjectedLine};

/// A message about a call that a destination has no row for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnotifiedApproval {
    pub approval_id: ApprovalId,
    pub session_id: SessionId,
    /// The missing notification.
    pub kind: NotificationKind,
    pub destination: String,
    pub alert_type: Option<String>,
    /// Where a command asked for the session.
    pub place: Option<Place>,
}

/// A row about a call to insert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApprovalNotification {
    pub approval: UnnotifiedApproval,
    /// Whether it is sent; what is not sent is noted, too, so that it is decided once.
    pub send: bool,
}

/// What a message says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedApproval {
    pub id: ApprovalId,
    /// The agent that requested the call; none if its execution is unknown.
    pub agent: Option<String>,
    pub server_name: String,
    pub tool_name: String,
    /// JSON as the model wrote it, the first 20,000 characters.
    pub tool_arguments: String,
    /// Whether these are all of them.
    pub has_all_arguments: bool,
    /// What the call is meant to do, if its agent said so.
    pub plan: Option<ActionPlan>,
    pub dry_run: Option<DryRun>,
    /// Shows the request on the timeline.
    pub timeline_event_id: TimelineEventId,
    /// Why a person has to decide.
    pub reason: String,
    /// The first text that the session was given and that addresses a model.
    pub injected: Option<InjectedLine>,
    pub expires_at: Timestamp,
    pub decision: Option<ApprovalDecision>,
    pub decided_by: Option<String>,
    pub decided_at: Option<Timestamp>,
    /// Whether nobody can decide any more because the time is over, by the database's clock.
    pub is_expired: bool,
    /// The message that asked for the decision.
    pub request_ref: Option<String>,
}

/// A request is missing while its call waits; its end, when the request was posted and the call waits no more. The
/// ends of old requests are of no interest to anybody.
const UNNOTIFIED: &str = "
    select a.id as approval_id, a.session_id, 'approval_requested' as kind, d.name as destination, s.alert_type,
        a.requested_at, k.messenger, k.channel, k.thread
    from tool_approvals a
    join alert_sessions s on s.id = a.session_id
    join timeline_events t on t.id = a.timeline_event_id and t.status = 'streaming'
    left join commands k on k.session_id = s.id and k.question_id is null
    cross join unnest($1::text[]) as d (name)
    where a.decision is null and a.expires_at > now() and not exists (
        select 1 from notifications n
        where n.approval_id = a.id and n.kind = 'approval_requested' and n.destination = d.name
    )
    union all
    select a.id, a.session_id, 'approval_closed', r.destination, s.alert_type, a.requested_at, null, null, null
    from notifications r
    join tool_approvals a on a.id = r.approval_id
    join alert_sessions s on s.id = a.session_id
    left join timeline_events t on t.id = a.timeline_event_id
    where r.kind = 'approval_requested' and r.status = 'sent' and r.external_ref is not null
        and r.destination = any($1) and r.created_at > now() - interval '7 days'
        and (a.decision is not null or a.expires_at <= now() or t.status is distinct from 'streaming')
        and not exists (
            select 1 from notifications n
            where n.approval_id = a.id and n.kind = 'approval_closed' and n.destination = r.destination
        )
    order by requested_at
    limit $2";

impl Store {
    /// The messages about calls that these destinations have no row for, the oldest calls first.
    #[tracing::instrument(name = "db.notification.list_unnotified_approvals", skip_all)]
    pub async fn list_unnotified_approvals(
        &self,
        destinations: &[String],
        limit: i64,
    ) -> Result<Vec<UnnotifiedApproval>, Error> {
        let rows = sqlx::query(UNNOTIFIED).bind(destinations).bind(limit);
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "notifications");
                Ok(UnnotifiedApproval {
                    approval_id: cells.id("approval_id")?,
                    session_id: cells.id("session_id")?,
                    kind: cells.word("kind")?,
                    destination: cells.text("destination")?,
                    alert_type: cells.maybe_text("alert_type")?,
                    place: answers::read_place(&cells)?,
                })
            })
            .collect()
    }

    /// Writes rows that are not there yet; returns how many of them are to be sent.
    #[tracing::instrument(name = "db.notification.insert_approvals", skip_all)]
    pub async fn insert_approval_notifications(
        &self,
        rows: &[NewApprovalNotification],
    ) -> Result<u64, Error> {
        let ids: Vec<Uuid> = rows.iter().map(|_| Uuid::now_v7()).collect();
        let approvals: Vec<Uuid> = rows.iter().map(|row| row.approval.approval_id.uuid()).collect();
        let kinds: Vec<&str> = rows.iter().map(|row| row.approval.kind.into()).collect();
        let destinations: Vec<&str> =
            rows.iter().map(|row| row.approval.destination.as_str()).collect();
        let send: Vec<bool> = rows.iter().map(|row| row.send).collect();
        let written = sqlx::query(
            "with written as (
                insert into notifications (id, session_id, kind, destination, status, approval_id)
                select r.id, a.session_id, r.kind, r.destination,
                    case when r.send then 'pending' else 'skipped' end, a.id
                from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bool[])
                        as r (id, approval_id, kind, destination, send)
                    join tool_approvals a on a.id = r.approval_id
                on conflict (session_id, kind, destination, approval_id, review_id) do nothing
                returning status
             )
             select count(*) as pending from written where status = 'pending'",
        )
        .bind(ids)
        .bind(approvals)
        .bind(kinds)
        .bind(destinations)
        .bind(send)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(written.try_get::<i64, _>("pending")?).unwrap_or_default())
    }
}

/// Reads what the claim of a notification selects; none if it is not about a call.
pub(super) fn read(row: &PgRow) -> Result<Option<NotifiedApproval>, Error> {
    let cells = Cells::new(row, "tool_approvals");
    let Some(id) = cells.maybe_id("approval_id")? else { return Ok(None) };
    Ok(Some(NotifiedApproval {
        id,
        agent: cells.maybe_text("agent_name")?,
        server_name: cells.text("server_name")?,
        tool_name: cells.text("tool_name")?,
        tool_arguments: cells.text("tool_arguments")?,
        has_all_arguments: cells.get("has_all_arguments")?,
        plan: actions::maybe_plan(&cells)?,
        dry_run: actions::dry_run(&cells)?,
        timeline_event_id: cells.id("timeline_event_id")?,
        reason: cells.text("reason")?,
        injected: injected::read(&cells)?,
        expires_at: cells.time("expires_at")?,
        decision: cells.maybe_word("decision")?,
        decided_by: cells.maybe_text("decided_by")?,
        decided_at: cells.maybe_time("decided_at")?,
        is_expired: cells.get("is_expired")?,
        request_ref: cells.maybe_text("request_ref")?,
    }))
}
