//! Tool calls that wait for a person's decision.

use jiff::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_contracts::action::{ActionPlan, DryRun};
use tarsy_domain::access::Identification;
use tarsy_domain::event::ApprovalDecision;
use tarsy_domain::id::{ApprovalId, CallId, ExecutionId, SessionId, TimelineEventId};

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::work::actions::{self, plan_columns};
use crate::work::injected::{self, InjectedLine, first_injected};
use crate::work::suspended;

/// A call that needs, or needed, a person's decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    pub id: ApprovalId,
    pub session_id: SessionId,
    pub call_id: CallId,
    /// Shows it on the timeline.
    pub timeline_event_id: TimelineEventId,
    pub server_name: String,
    pub tool_name: String,
    pub tool_arguments: Value,
    /// What the tool said of itself when the person was asked, as a digest.
    pub definition: String,
    /// Why a person has to decide.
    pub reason: String,
    pub requested_at: Timestamp,
    pub expires_at: Timestamp,
    /// Whether `expires_at` has passed, by the database's clock: nobody can decide any more.
    pub is_expired: bool,
    pub decision: Option<ApprovalDecision>,
    pub decided_by: Option<String>,
    /// How who decided was identified; none of a decision of an earlier version.
    pub decided_with: Option<Identification>,
    /// Whether the call may have been made, or was answered without it.
    pub is_closed: bool,
}

macro_rules! columns {
    () => {
        "a.id, a.session_id, a.call_id, a.timeline_event_id, a.server_name, a.tool_name, a.tool_arguments,
         a.definition, a.reason, a.requested_at, a.expires_at, a.expires_at <= now() as is_expired, a.decision,
         a.decided_by, a.decided_with, a.closed_at is not null as is_closed"
    };
}

fn read(row: &PgRow) -> Result<Approval, Error> {
    let cells = Cells::new(row, "tool_approvals");
    Ok(Approval {
        id: cells.id("id")?,
        session_id: cells.id("session_id")?,
        call_id: cells.id("call_id")?,
        timeline_event_id: cells.id("timeline_event_id")?,
        server_name: cells.text("server_name")?,
        tool_name: cells.text("tool_name")?,
        tool_arguments: cells.get("tool_arguments")?,
        definition: cells.text("definition")?,
        reason: cells.text("reason")?,
        requested_at: cells.time("requested_at")?,
        expires_at: cells.time("expires_at")?,
        is_expired: cells.get("is_expired")?,
        decision: cells.maybe_word("decision")?,
        decided_by: cells.maybe_text("decided_by")?,
        decided_with: cells.maybe_word("decided_with")?,
        is_closed: cells.get("is_closed")?,
    })
}

fn open(row: &PgRow) -> Result<OpenApproval, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(OpenApproval {
        approval: read(row)?,
        plan: actions::maybe_plan(&cells)?,
        dry_run: actions::dry_run(&cells)?,
        injected: injected::read(&cells)?,
        title: cells.maybe_text("title")?,
        alert_type: cells.maybe_text("alert_type")?,
        severity: cells.maybe_text("severity")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
    })
}

/// A call that waits, with the alert of its session.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenApproval {
    pub approval: Approval,
    /// What the call is meant to do, if its agent said so.
    pub plan: Option<ActionPlan>,
    pub dry_run: Option<DryRun>,
    /// The first text that the session was given and that addresses a model.
    pub injected: Option<InjectedLine>,
    pub title: Option<String>,
    pub alert_type: Option<String>,
    pub severity: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decider<'a> {
    pub name: &'a str,
    /// How they were identified. The database refuses who was not.
    pub with: Identification,
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum DecideOutcome {
    Decided(Approval),
    /// Somebody decided before, or the time is over.
    Closed(Approval),
    /// The session has no such approval.
    NotFound,
}

impl Store {
    /// The approval of a call; none if nobody was asked.
    #[tracing::instrument(name = "db.approval.find", skip_all)]
    pub async fn find_approval(&self, call: CallId) -> Result<Option<Approval>, Error> {
        let row = sqlx::query(concat!(
            "select ",
            columns!(),
            " from tool_approvals a where a.call_id = $1"
        ))
        .bind(call.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(read).transpose()
    }

    /// The approvals that running sessions wait for, the oldest first.
    #[tracing::instrument(name = "db.approval.list", skip_all)]
    pub async fn list_open_approvals(&self, limit: i64) -> Result<Vec<OpenApproval>, Error> {
        sqlx::query(concat!(
            "select ",
            columns!(),
            ", s.title, s.alert_type, s.severity, s.service, s.namespace, s.cluster, j.injected_call, j.injected_text, ",
            plan_columns!("x"),
            "
             from tool_approvals a
             join alert_sessions s on s.id = a.session_id
             left join actions x on x.call_id = a.call_id
             join timeline_events t on t.id = a.timeline_event_id and t.status = 'streaming'
             left join lateral ",
            first_injected!("s.id", "true"),
            " j on true
             where a.decision is null and a.expires_at > now()
             order by a.requested_at limit $1"
        ))
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(open)
        .collect()
    }

    /// How many other sessions of the source of this execution's work wait for approvals. A source is who began it, an
    /// investigation or a question, and the type of the alert.
    #[tracing::instrument(name = "db.approval.count_waiting", skip_all)]
    pub async fn count_sessions_waiting_for_approval(
        &self,
        session: SessionId,
        execution: ExecutionId,
    ) -> Result<i64, Error> {
        let count = sqlx::query_scalar(
            "with work as (
                select e.id, e.session_id, s.alert_type, coalesce(st.principal, s.principal) as principal
                from agent_executions e join stages st on st.id = e.stage_id
                    join alert_sessions s on s.id = e.session_id
             )
             select count(distinct other.session_id)
             from tool_approvals a
                join mcp_interactions m on m.call_id = a.call_id and m.status = 'started'
                join work other on other.id = a.execution_id
                join work own on own.id = $2
             where a.decision is null and a.closed_at is null and a.expires_at > now() and a.session_id <> $1
                and other.alert_type is not distinct from own.alert_type
                and other.principal is not distinct from own.principal",
        );
        Ok(count.bind(session.uuid()).bind(execution.uuid()).fetch_one(&self.pool).await?)
    }

    /// Decides about a call that waits. The first decision counts. A session that is suspended can be claimed at once.
    #[tracing::instrument(name = "db.approval.decide", skip_all)]
    pub async fn decide_approval(
        &self,
        session: SessionId,
        id: ApprovalId,
        decision: ApprovalDecision,
        decider: Decider<'_>,
    ) -> Result<DecideOutcome, Error> {
        let mut decided_by = decider.name.to_owned();
        encode::clean(&mut decided_by);
        let mut tx = self.pool.begin().await?;
        // The control row first, as everywhere: an owner that suspends the session now sees the decision, or this sees
        // that it is suspended.
        sqlx::query("select 1 from session_control where session_id = $1 for no key update")
            .bind(session.uuid())
            .execute(&mut *tx)
            .await?;
        let row = sqlx::query(concat!(
            "update tool_approvals a set decision = $3, decided_by = $4, decided_with = $5,
                    decided_at = now()
             where a.id = $1 and a.session_id = $2 and a.decision is null and a.expires_at > now()
               and a.closed_at is null
             returning ",
            columns!()
        ))
        .bind(id.uuid())
        .bind(session.uuid())
        .bind(decision.as_str())
        .bind(&decided_by)
        .bind(decider.with.as_str())
        .fetch_optional(&mut *tx)
        .await?;
        if let Some(row) = row {
            suspended::wake(&mut tx, session).await?;
            tx.commit().await?;
            return Ok(DecideOutcome::Decided(read(&row)?));
        }
        let row = sqlx::query(concat!(
            "select ",
            columns!(),
            " from tool_approvals a where a.id = $1 and a.session_id = $2"
        ))
        .bind(id.uuid())
        .bind(session.uuid())
        .fetch_optional(&mut *tx)
        .await?;
        tx.rollback().await?;
        Ok(match row {
            Some(row) => DecideOutcome::Closed(read(&row)?),
            None => DecideOutcome::NotFound,
        })
    }
}
