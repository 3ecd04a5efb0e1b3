//! Stages and executions, and the session's own row.

use serde_json::json;
use tarsy_contracts::review::SeenBefore;
use tarsy_domain::id::{ExecutionId, SessionId, StageId};
use uuid::Uuid;

use crate::batch::op::{
    Conclusion, ConclusionRequest, EndExecution, EndStage, Gathering, NewExecution, NewStage,
    ProviderSwitch, RunbookContent,
};
use crate::batch::write_timeline::all;
use crate::error::Error;
use crate::pool::Connection;

/// Begins a stage and makes it the session's current one.
pub(super) async fn begin_stage(
    tx: &mut Connection,
    session: SessionId,
    stage: &NewStage,
) -> Result<(), Error> {
    sqlx::query(
        "with current as (
            update alert_sessions set current_stage_id = $1, current_stage_index = $3 where id = $2
         )
         insert into stages
            (id, session_id, stage_index, stage_name, expected_agent_count, parallel_type,
             success_policy, joins_stage_id, status, started_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', now())",
    )
    .bind(stage.id.uuid())
    .bind(session.uuid())
    .bind(stage.stage_index)
    .bind(&stage.stage_name)
    .bind(stage.expected_agent_count)
    .bind(&stage.parallel_type)
    .bind(&stage.success_policy)
    .bind(stage.joins_stage_id.map(StageId::uuid))
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends an active stage.
pub(super) async fn end_stage(
    tx: &mut Connection,
    session: SessionId,
    end: &EndStage,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update stages set status = $3, error_message = $4, completed_at = now()
         where id = $2 and session_id = $1 and status = 'active'",
    )
    .bind(session.uuid())
    .bind(end.id.uuid())
    .bind(end.status.as_str())
    .bind(&end.error)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "stage")
}

/// Begins an agent's execution.
pub(super) async fn begin_execution(
    tx: &mut Connection,
    session: SessionId,
    execution: &NewExecution,
) -> Result<(), Error> {
    sqlx::query(
        "insert into agent_executions
            (id, session_id, stage_id, agent_name, agent_index, iteration_strategy, llm_provider,
             active_provider, status, started_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7, 'active', now())",
    )
    .bind(execution.id.uuid())
    .bind(session.uuid())
    .bind(execution.stage_id.uuid())
    .bind(&execution.agent_name)
    .bind(execution.agent_index)
    .bind(&execution.iteration_strategy)
    .bind(&execution.llm_provider)
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends an active execution.
pub(super) async fn end_execution(
    tx: &mut Connection,
    session: SessionId,
    end: &EndExecution,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update agent_executions set status = $3, error_message = $4, completed_at = now()
         where id = $2 and session_id = $1 and status = 'active'",
    )
    .bind(session.uuid())
    .bind(end.id.uuid())
    .bind(end.status.as_str())
    .bind(&end.error)
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
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
pub(super) async fn conclude(
    tx: &mut Connection,
    session: SessionId,
    conclusion: &Conclusion,
) -> Result<(), Error> {
    let done = sqlx::query(
        "update agent_executions set conclusion = $3, unseen = $4, concluded_at = clock_timestamp()
         where id = $2 and session_id = $1 and status = 'active'",
    )
    .bind(session.uuid())
    .bind(conclusion.execution_id.uuid())
    .bind(&conclusion.text)
    .bind(conclusion.unseen.as_deref())
    .execute(tx)
    .await?;
    all(done.rows_affected(), 1, "execution")
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

pub(super) async fn set_executive_summary(
    tx: &mut Connection,
    session: SessionId,
    text: &str,
) -> Result<(), Error> {
    sqlx::query("update alert_sessions set executive_summary = $2 where id = $1")
        .bind(session.uuid())
        .bind(text)
        .execute(tx)
        .await?;
    Ok(())
}

/// Notes that a model or a tool was called.
pub(super) async fn touch(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query("update alert_sessions set last_interaction_at = now() where id = $1")
        .bind(session.uuid())
        .execute(tx)
        .await?;
    Ok(())
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

/// Keeps the reviewed sessions that the investigation is given.
pub(super) async fn set_seen_before(
    tx: &mut Connection,
    session: SessionId,
    sessions: &[SeenBefore],
) -> Result<(), Error> {
    sqlx::query("update alert_sessions set seen_before = $2 where id = $1")
        .bind(session.uuid())
        .bind(json!(sessions))
        .execute(tx)
        .await?;
    Ok(())
}
