//! Stages and executions, and the session's own row.

use serde_json::json;
use tarsy_contracts::change::GivenChanges;
use tarsy_contracts::dependency::GivenDependencies;
use tarsy_contracts::memory::GivenMemory;
use tarsy_contracts::review::SeenBefore;
use tarsy_domain::id::{ExecutionId, SessionId, StageId, VerdictId};
use uuid::Uuid;

use crate::database::pool::Connection;
use crate::error::Error;
use crate::record::batch::op::{
    Conclusion, ConclusionRequest, EndExecution, EndStage, Gathering, NewExecution, NewStage,
    ProviderSwitch, RunbookContent,
};
use crate::record::batch::statement::Statement;
use crate::record::batch::write_timeline::all;

pub(super) fn begin_stage(statement: &mut Statement, stage: &NewStage) {
    statement
        .part(
            "insert into stages
                (id, session_id, stage_index, stage_name, expected_agent_count, parallel_type,
                 success_policy, joins_stage_id, status, started_at)
             select $2, $1, $3, $4, $5, $6, $7, $8, 'active', now() from fence
             returning 1",
        )
        .bind(stage.id.uuid())
        .bind(stage.stage_index)
        .bind(&stage.stage_name)
        .bind(stage.expected_agent_count)
        .bind(&stage.parallel_type)
        .bind(&stage.success_policy)
        .bind(stage.joins_stage_id.map(StageId::uuid));
}

/// What an investigation is given beside its alert: reviewed sessions, memories if there are any at all, changes and dependencies.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'a> {
    pub(super) sessions: Option<&'a [SeenBefore]>,
    pub(super) memories: Option<&'a [GivenMemory]>,
    pub(super) changes: Option<&'a GivenChanges>,
    pub(super) dependencies: Option<&'a GivenDependencies>,
}

/// Makes a stage the session's current one and, with the first one, keeps what the investigation is given.
pub(super) fn make_current(statement: &mut Statement, stage: &NewStage, given: Given<'_>) {
    statement
        .part(
            "update alert_sessions s
             set current_stage_id = $2, current_stage_index = $3, seen_before = coalesce($4, s.seen_before),
                recalled = coalesce($5, s.recalled), changes = coalesce($6, s.changes),
                dependencies = coalesce($7, s.dependencies)
             from fence where s.id = $1
             returning 1",
        )
        .bind(stage.id.uuid())
        .bind(stage.stage_index)
        .bind(given.sessions.map(|sessions| json!(sessions)))
        .bind(given.memories.map(|memories| json!(memories)))
        .bind(given.changes.map(|changes| json!(changes)))
        .bind(given.dependencies.map(|dependencies| json!(dependencies)));
}

/// Ends an active stage.
pub(super) fn end_stage(statement: &mut Statement, end: &EndStage) {
    statement
        .part(
            "update stages s set status = $3, error_message = $4, completed_at = now()
             from fence
             where s.id = $2 and s.session_id = $1 and s.status = 'active'
             returning 1",
        )
        .bind(end.id.uuid())
        .bind(end.status.as_str())
        .bind(&end.error)
        .expect(1, "stage");
}

/// Begins an agent's execution.
pub(super) fn begin_execution(statement: &mut Statement, execution: &NewExecution) {
    statement
        .part(
            "insert into agent_executions
                (id, session_id, stage_id, agent_name, agent_index, iteration_strategy, llm_provider,
                 active_provider, parent_execution_id, task, status, started_at)
             select $2, $1, $3, $4, $5, $6, $7, $7, $8, $9, 'active', now() from fence
             returning 1",
        )
        .bind(execution.id.uuid())
        .bind(execution.stage_id.uuid())
        .bind(&execution.agent_name)
        .bind(execution.agent_index)
        .bind(&execution.iteration_strategy)
        .bind(&execution.llm_provider)
        .bind(execution.dispatched.as_ref().map(|dispatched| dispatched.parent.uuid()))
        .bind(execution.dispatched.as_ref().map(|dispatched| dispatched.task.as_str()));
}

/// Ends an active execution.
pub(super) fn end_execution(statement: &mut Statement, end: &EndExecution) {
    statement
        .part(
            "update agent_executions e set status = $3, error_message = $4, failure = $5, completed_at = now()
             from fence
             where e.id = $2 and e.session_id = $1 and e.status = 'active'
             returning 1",
        )
        .bind(end.id.uuid())
        .bind(end.status.as_str())
        .bind(&end.error)
        .bind(end.failure.as_ref().map(|failure| json!(failure)))
        .expect(1, "execution");
}

/// Notes when conclusions were requested first, and which are to be corrected.
pub(super) async fn request_conclusions(
    tx: &mut Connection,
    session: SessionId,
    requests: &[ConclusionRequest],
    repairs: &[ExecutionId],
) -> Result<(), Error> {
    for request in requests {
        request_conclusion(tx, session, *request).await?;
    }
    for execution in repairs {
        request_repair(tx, session, *execution).await?;
    }
    Ok(())
}

async fn request_repair(
    tx: &mut Connection,
    session: SessionId,
    execution: ExecutionId,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update agent_executions
         set closing_at = coalesce(closing_at, now()), repair_requested_at = now()
         where id = $2 and session_id = $1 and status = 'active' and repair_requested_at is null",
    )
    .bind(session.uuid())
    .bind(execution.uuid())
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
}

/// Notes that an agent was sent back to look.
pub(super) async fn request_look(
    tx: &mut Connection,
    session: SessionId,
    execution: ExecutionId,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update agent_executions set look_requested_at = now()
         where id = $2 and session_id = $1 and status = 'active' and look_requested_at is null",
    )
    .bind(session.uuid())
    .bind(execution.uuid())
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
}

/// Notes that evidence is gathered for an agent, or that it was.
pub(super) async fn gather(
    tx: &mut Connection,
    session: SessionId,
    gathering: Gathering,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update agent_executions set gathering_since = $3, gathering_until = $4
         where id = $2 and session_id = $1 and status = 'active' and gathering_until is null
            and coalesce(gathering_since, $3) = $3",
    )
    .bind(session.uuid())
    .bind(gathering.execution_id.uuid())
    .bind(gathering.since)
    .bind(gathering.until)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
}

async fn request_conclusion(
    tx: &mut Connection,
    session: SessionId,
    request: ConclusionRequest,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update agent_executions
         set closing_at = coalesce(closing_at, now()), conclusion_cause = coalesce(conclusion_cause, $3)
         where id = $2 and session_id = $1 and status = 'active'",
    )
    .bind(session.uuid())
    .bind(request.execution_id.uuid())
    .bind(request.cause.as_str())
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
}

/// Stores a conclusion. Its time is the clock's, not the transaction's: conclusions of concurrent agents have the
/// order of their timeline events.
pub(super) fn conclude(statement: &mut Statement, conclusion: &Conclusion) {
    statement
        .part(
            "update agent_executions e
             set conclusion = $3, unseen = $4, concluded_at = clock_timestamp()
             from fence
             where e.id = $2 and e.session_id = $1 and e.status = 'active'
             returning 1",
        )
        .bind(conclusion.execution_id.uuid())
        .bind(&conclusion.text)
        .bind(conclusion.unseen.as_deref())
        .expect(1, "execution");
}

/// Sets the active provider of an execution or of the executive summary.
pub(super) async fn switch_provider(
    tx: &mut Connection,
    session: SessionId,
    switch: &ProviderSwitch,
) -> Result<(), Error> {
    let Some(execution) = switch.execution_id else {
        sqlx::query("update alert_sessions set executive_summary_provider = $2 where id = $1")
            .bind(session.uuid())
            .bind(&switch.provider)
            .execute(tx)
            .await?;
        return Ok(());
    };
    let done = sqlx::query(
        "update agent_executions set active_provider = $3, active_provider_since = $4
         where id = $2 and session_id = $1 and status = 'active'",
    )
    .bind(session.uuid())
    .bind(Uuid::from(execution))
    .bind(&switch.provider)
    .bind(switch.since)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
}

/// What a batch changes of the session's own row beside what it began with. A column is named only if it changes: its triggers
/// run by names.
#[derive(Clone, Copy)]
pub(super) struct Changed<'a> {
    /// A model or a tool was called.
    pub(super) is_touched: bool,
    pub(super) executive_summary: Option<&'a str>,
    pub(super) verdict: Option<VerdictId>,
}

pub(super) fn change_session(statement: &mut Statement, changed: Changed<'_>) {
    let Changed { is_touched, executive_summary, verdict } = changed;
    let columns = [
        is_touched.then_some("last_interaction_at = now()"),
        executive_summary.map(|_| "executive_summary = $2"),
        verdict.map(|_| match executive_summary {
            Some(_) => "verdict_id = $3, verdict_failure = null",
            None => "verdict_id = $2, verdict_failure = null",
        }),
    ];
    let columns: Vec<&str> = columns.into_iter().flatten().collect();
    if columns.is_empty() {
        return;
    }
    let columns = columns.join(", ");
    statement.part(&format!(
        "update alert_sessions s set {columns} from fence where s.id = $1 returning 1"
    ));
    if let Some(text) = executive_summary {
        statement.bind(text);
    }
    if let Some(id) = verdict {
        statement.bind(id.uuid());
    }
}

/// Keeps the text of the session's runbook, or why there is none.
pub(super) async fn keep_runbook(
    tx: &mut Connection,
    session: SessionId,
    kept: &RunbookContent,
) -> Result<(), Error> {
    sqlx::query("update alert_sessions set runbook = $2, runbook_error = $3 where id = $1")
        .bind(session.uuid())
        .bind(&kept.text)
        .bind(&kept.error)
        .execute(tx)
        .await?;
    Ok(())
}

pub(super) fn set_given(statement: &mut Statement, given: Given<'_>) {
    statement
        .part(
            "update alert_sessions s
             set seen_before = coalesce($2, s.seen_before), recalled = coalesce($3, s.recalled),
                changes = coalesce($4, s.changes), dependencies = coalesce($5, s.dependencies)
             from fence where s.id = $1
             returning 1",
        )
        .bind(given.sessions.map(|sessions| json!(sessions)))
        .bind(given.memories.map(|memories| json!(memories)))
        .bind(given.changes.map(|changes| json!(changes)))
        .bind(given.dependencies.map(|dependencies| json!(dependencies)));
}
