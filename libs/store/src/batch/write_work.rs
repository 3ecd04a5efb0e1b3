//! Stages and executions, and the session's own row.

use sqlx::postgres::PgConnection;
use tarsy_domain::id::SessionId;

use crate::batch::op::{EndExecution, EndStage, NewExecution, NewStage, RunbookContent};
use crate::batch::write_timeline::all;
use crate::error::Error;

/// Begins a stage and makes it the session's current one.
pub(super) async fn begin_stage(
    tx: &mut PgConnection,
    session: SessionId,
    stage: &NewStage,
) -> Result<(), Error> {
    sqlx::query(
        "with current as (
            update alert_sessions set current_stage_id = $1, current_stage_index = $3 where id = $2
         )
         insert into stages
            (id, session_id, stage_index, stage_name, expected_agent_count, parallel_type,
             success_policy, status, started_at)
         values ($1, $2, $3, $4, $5, $6, $7, 'active', now())",
    )
    .bind(stage.id.uuid())
    .bind(session.uuid())
    .bind(stage.stage_index)
    .bind(&stage.stage_name)
    .bind(stage.expected_agent_count)
    .bind(&stage.parallel_type)
    .bind(&stage.success_policy)
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends an active stage.
pub(super) async fn end_stage(
    tx: &mut PgConnection,
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
    tx: &mut PgConnection,
    session: SessionId,
    execution: &NewExecution,
) -> Result<(), Error> {
    sqlx::query(
        "insert into agent_executions
            (id, session_id, stage_id, agent_name, agent_index, iteration_strategy, llm_provider,
             status, started_at)
         values ($1, $2, $3, $4, $5, $6, $7, 'active', now())",
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
    tx: &mut PgConnection,
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

/// Notes that a model or a tool was called.
pub(super) async fn touch(tx: &mut PgConnection, session: SessionId) -> Result<(), Error> {
    sqlx::query("update alert_sessions set last_interaction_at = now() where id = $1")
        .bind(session.uuid())
        .execute(tx)
        .await?;
    Ok(())
}

/// Keeps the text of the session's runbook, or why there is none.
pub(super) async fn keep_runbook(
    tx: &mut PgConnection,
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
