//! Sending the notifications that are due: claim, attempt, outcome.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::claim::ClaimCounts;
use tarsy_contracts::failure::FailureView;
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::verdict::Verdict;
use uuid::Uuid;

use super::NotificationKind;
use super::answers::{self, NotifiedAnswer, Place, place};
use super::approvals::{self, NotifiedApproval};
use super::reviews::{self, NotifiedReview};
use super::triage::{self, NotifiedTriage};
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;
use crate::finding::claims;
use crate::finding::claims::failed_tools::failed_tools;
use crate::finding::verdicts;
use crate::session::alert_fields;
use crate::work::actions::{ActionResult, plan_columns, results, rollback_began};
use crate::work::failures;
use crate::work::injected::first_injected;

/// A notification that was claimed, and the session it tells of.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    pub id: Uuid,
    /// The fence of this claim.
    pub claim: i64,
    pub kind: NotificationKind,
    pub destination: String,
    /// How often it failed.
    pub failures: i32,
    pub created_at: Timestamp,
    /// When it was claimed, by the database's clock: about now.
    pub claimed_at: Timestamp,
    /// When it may have been sent first.
    pub attempted_at: Option<Timestamp>,
    pub thread_ref: Option<String>,
    /// The thread of the message that announced the start.
    pub started_thread_ref: Option<String>,
    /// The message that announced the start.
    pub started_ref: Option<String>,
    pub session_id: SessionId,
    /// The trace context of the session; none if spans were not exported.
    pub traceparent: Option<String>,
    pub status: SessionStatus,
    pub alert_type: Option<String>,
    pub chain_id: String,
    pub author: Option<String>,
    /// The text of the message that it came from.
    pub fingerprint: Option<String>,
    /// What its alert is about.
    pub alert: AlertFields,
    /// Where its alert came from; none if no source of `intake` sent it.
    pub alert_source: Option<AlertSource>,
    pub submitted_at: Timestamp,
    /// When a worker claimed it first.
    pub started_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    /// What was found, cut to what a message can hold.
    pub final_analysis: Option<String>,
    pub executive_summary: Option<String>,
    pub error_message: Option<String>,
    /// Why it failed, with what to do.
    pub failure: Option<FailureView>,
    /// The claims of its findings; none if nothing was checked.
    pub claims: Option<ClaimCounts>,
    /// Why its findings need a second look.
    pub degraded_reasons: Vec<DegradedReason>,
    /// `server.tool` of each tool of which every call failed.
    pub failed_tools: Vec<String>,
    pub actions: Vec<ActionResult>,
    /// What was found, typed; only of its end.
    pub verdict: Option<Verdict>,
    /// The call that it is about.
    pub approval: Option<NotifiedApproval>,
    /// The review of the session that counts.
    pub review: Option<NotifiedReview>,
    /// The state of work on the session; none before somebody changed it.
    pub triage: Option<NotifiedTriage>,
    /// The message that reported the end of the session.
    pub ended_ref: Option<String>,
    /// Where the session, or the question that is answered, was asked for.
    pub place: Option<Place>,
    /// The answer that it sends.
    pub answer: Option<NotifiedAnswer>,
}

impl Notification {
    /// By which its message is known where it was sent. A row of answers is sent again with each one.
    pub fn mark(&self) -> Uuid {
        self.answer.as_ref().map_or(self.id, |answer| answer.question_id.uuid())
    }
}

/// Which source of alerts sent the first alert of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertSource {
    /// Its name in `intake.sources`.
    pub name: String,
    /// The id that the alert has there, such as that of an incident of PagerDuty.
    pub source_id: Option<String>,
}

/// What stands in the way of sending a claimed notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendAttempt {
    /// Nothing: it is to be sent now.
    Allowed,
    /// Another has claimed it by now.
    Superseded,
    /// It reports the start of a session that has ended since, asks about a call that waits no more, or
    /// shows a review that was replaced.
    Obsolete,
}

/// The end waits for the word of the start while that is on its way; not for one that rests longer
/// than a claim after a failure, for that is dropped when it is due again. Likewise what changes the message of the end waits
/// for the change before it, and for one that is on its way, so that the message shows the last one.
const CLAIM: &str = concat!(
    "
    with due as (
        select n.id from notifications n
        where n.status = 'pending' and n.due_at <= statement_timestamp() and n.destination = any($1)
            and not (n.kind = 'ended' and exists (
                select 1 from notifications b
                where b.session_id = n.session_id and b.destination = n.destination
                    and b.kind = 'started' and b.status = 'pending'
                    and b.due_at <= statement_timestamp() + make_interval(secs => $3)
            ))
            and not (n.kind in ('reviewed', 'triaged', 'rolled_back') and exists (
                select 1 from notifications b
                where b.session_id = n.session_id and b.destination = n.destination
                    and b.kind in ('reviewed', 'triaged', 'rolled_back') and b.status = 'pending'
                    and (b.id < n.id or b.id <> n.id and b.due_at > statement_timestamp())
                    and b.due_at <= statement_timestamp() + make_interval(secs => $3)
            ))
        order by n.due_at, n.id
        limit $2
        for no key update of n skip locked
    ), claimed as (
        update notifications n
        set claim = n.claim + 1, due_at = statement_timestamp() + make_interval(secs => $3)
        from due where n.id = due.id
        returning n.*
    )
    select c.id, c.claim, c.kind, c.destination, c.failures, c.created_at,
        statement_timestamp() as claimed_at, c.attempted_at, c.thread_ref,
        (select b.thread_ref from notifications b
         where b.session_id = c.session_id and b.destination = c.destination and b.kind = 'started'
            and b.id <> c.id) as started_thread_ref,
        (select b.external_ref from notifications b
         where b.session_id = c.session_id and b.destination = c.destination and b.kind = 'started'
            and b.id <> c.id) as started_ref,
        s.title, s.severity, s.service, s.namespace, s.cluster, s.links, s.labels, s.fingerprint, i.source as alert_source,
        i.source_id as alert_source_id, s.id as session_id, s.traceparent, s.status, s.alert_type, s.chain_id, s.author,
        s.slack_message_fingerprint, s.created_at as submitted_at, s.started_at, s.completed_at, s.claims,
        s.verified_claims, s.degraded_reasons, left(s.final_analysis, 60000) as final_analysis,
        left(s.executive_summary, 20000) as executive_summary, left(s.error_message, 4000) as error_message, s.failure,
        case when 'tool_failed' = any(s.degraded_reasons) then array(
            select m.server_name || '.' || m.tool_name ",
    failed_tools!("s.id"),
    " order by 1
        ) else '{}' end as failed_tools,
 ",
    results!("s"),
    " as actions,
        ",
    plan_columns!("p"),
    ",
        a.id as approval_id, x.agent_name, a.server_name, a.tool_name,
        left(a.tool_arguments::text, 20000) as tool_arguments,
        char_length(a.tool_arguments::text) <= 20000 as has_all_arguments, a.timeline_event_id,
        a.reason, j.injected_call, j.injected_text, a.expires_at, a.decision, a.decided_by, a.decided_at, a.expires_at <= statement_timestamp() as is_expired,
        (select r.external_ref from notifications r
         where r.approval_id = c.approval_id and r.destination = c.destination
            and r.kind = 'approval_requested') as request_ref,
        v.review, v.reviewer, v.created_at as reviewed_at, s.triage, s.assignee, t.created_at as triage_since,
        (select b.external_ref from notifications b
         where b.session_id = c.session_id and b.destination = c.destination and b.kind = 'ended'
            and b.id <> c.id) as ended_ref,
        k.messenger, k.channel, k.thread, c.question_id, left(q.content, 500) as question, g.status as answer_status,
        left(g.error_message, 4000) as answer_error,
        (select left(e.conclusion, 60000) from agent_executions e where e.stage_id = g.id and e.conclusion is not null
         order by e.id desc limit 1) as answer
    from claimed c join alert_sessions s on s.id = c.session_id
        left join lateral ",
    place!("c.question_id", "c.session_id"),
    " k on true left join chat_user_messages q on q.id = c.question_id left join stages g on g.chat_user_message_id = q.id
        left join session_reviews v on v.id = s.review_id left join triage_entries t on t.id = s.triage_entry_id
        left join lateral (
            select a.source, a.source_id from intake_alerts a
            where a.session_id = s.id order by a.seq limit 1
        ) i on true
        left join tool_approvals a on a.id = c.approval_id
        left join actions p on p.call_id = a.call_id left join agent_executions x on x.id = a.execution_id
        left join lateral ",
    first_injected!("s.id", "c.kind = 'approval_requested'"),
    " j on true
    order by c.created_at, c.id"
);

impl Store {
    /// Claims what is due for these destinations; nobody else gets it for the time of the lease.
    #[tracing::instrument(name = "db.notification.claim", skip_all)]
    pub async fn claim_notifications(
        &self,
        names: &[String],
        limit: i64,
        lease: Duration,
    ) -> Result<Vec<Notification>, Error> {
        let mut connection = self.pool.acquire().await?;
        let rows = sqlx::query(CLAIM)
            .bind(names)
            .bind(limit)
            .bind(lease.as_secs_f64())
            .fetch_all(&mut connection)
            .await?;
        let mut claimed = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        for note in &mut claimed {
            if note.kind.has_end() {
                note.verdict =
                    verdicts::of_session(&mut connection, note.session_id).await?.verdict;
            }
        }
        Ok(claimed)
    }

    /// Notes that a claimed notification is about to be sent, and in which thread. It must be sent only
    /// if nothing stands in the way.
    #[tracing::instrument(name = "db.notification.begin_send", skip_all)]
    pub async fn begin_notification_send(
        &self,
        id: Uuid,
        claim: i64,
        thread: Option<&str>,
    ) -> Result<SendAttempt, Error> {
        let row = sqlx::query(
            "update notifications n
             set attempted_at = coalesce(n.attempted_at, now()), thread_ref = $3
             from alert_sessions s
             where n.id = $1 and n.claim = $2 and n.status = 'pending'
                and n.due_at > statement_timestamp() and s.id = n.session_id
             returning (n.kind = 'started' and s.status <> 'in_progress')
                or (n.kind = 'reviewed' and s.review_id is distinct from n.review_id)
                or (n.kind = 'approval_requested' and not exists (
                    select 1 from tool_approvals a
                    join timeline_events t on t.id = a.timeline_event_id and t.status = 'streaming'
                    where a.id = n.approval_id and a.decision is null and a.expires_at > now()
                )) as obsolete",
        )
        .bind(id)
        .bind(claim)
        .bind(thread)
        .fetch_optional(&self.pool)
        .await?;
        Ok(match row {
            None => SendAttempt::Superseded,
            Some(row) if row.try_get("obsolete")? => SendAttempt::Obsolete,
            Some(_) => SendAttempt::Allowed,
        })
    }

    /// How many notifications of these destinations are not finished.
    #[tracing::instrument(name = "db.notification.count_pending", skip_all)]
    pub async fn count_pending_notifications(&self, names: &[String]) -> Result<i64, Error> {
        let row = sqlx::query(
            "select count(*) as pending from notifications
             where status = 'pending' and destination = any($1)",
        )
        .bind(names)
        .fetch_one(&self.pool)
        .await?;
        Ok(row.try_get("pending")?)
    }
}

fn read(row: &PgRow) -> Result<Notification, Error> {
    let cells = Cells::new(row, "notifications");
    Ok(Notification {
        id: cells.get("id")?,
        claim: cells.get("claim")?,
        kind: cells.word("kind")?,
        destination: cells.text("destination")?,
        failures: cells.get("failures")?,
        created_at: cells.time("created_at")?,
        claimed_at: cells.time("claimed_at")?,
        attempted_at: cells.maybe_time("attempted_at")?,
        thread_ref: cells.maybe_text("thread_ref")?,
        started_thread_ref: cells.maybe_text("started_thread_ref")?,
        started_ref: cells.maybe_text("started_ref")?,
        session_id: cells.id("session_id")?,
        traceparent: cells.maybe_text("traceparent")?,
        status: cells.word("status")?,
        alert_type: cells.maybe_text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        author: cells.maybe_text("author")?,
        fingerprint: cells.maybe_text("slack_message_fingerprint")?,
        alert: alert_fields::read(&cells)?,
        alert_source: alert_source(&cells)?,
        submitted_at: cells.time("submitted_at")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
        final_analysis: cells.maybe_text("final_analysis")?,
        executive_summary: cells.maybe_text("executive_summary")?,
        error_message: cells.maybe_text("error_message")?,
        failure: failures::view(&cells)?,
        claims: claims::counts(&cells)?,
        degraded_reasons: claims::degraded_reasons(&cells)?,
        failed_tools: cells.get("failed_tools")?,
        actions: cells.maybe_decoded("actions")?.unwrap_or_default(),
        verdict: None,
        approval: approvals::read(row)?,
        review: reviews::read(row)?,
        triage: triage::read(row)?,
        ended_ref: cells.maybe_text("ended_ref")?,
        place: answers::read_place(&cells)?,
        answer: answers::read(row)?,
    })
}

fn alert_source(cells: &Cells<'_>) -> Result<Option<AlertSource>, Error> {
    let source_id = cells.maybe_text("alert_source_id")?;
    let name = cells.maybe_text("alert_source")?;
    Ok(name.map(|name| AlertSource { name, source_id }))
}
