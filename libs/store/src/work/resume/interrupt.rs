//! Closing what a dead owner left streaming, and what an execution that is stopped alone left.

use serde_json::json;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{TimelineStatus, WorkStatus};

use crate::database::numbers;
use crate::database::pool::Transaction;
use crate::database::store::Store;
use crate::error::{Conflict, Error};
use crate::record::batch::op::EndExecution;
use crate::record::events;
use crate::record::timeline;
use crate::work::fence::Fence;

impl Store {
    /// Closes what a dead owner left streaming as failed, with `{"interrupted": true}`; but not the
    /// event of a tool call whose outcome is still open, or of a request for approval, which the new owner
    /// finishes, nor that of a summary which a summarizer writes.
    #[tracing::instrument(name = "db.timeline.interrupt", skip_all)]
    pub async fn interrupt_streaming(&self, fence: Fence) -> Result<Vec<Committed>, Error> {
        retrying!(Box::pin(self.interrupt_once(fence)))
    }

    /// Ends an execution that was stopped while its session goes on, and closes what it left streaming, except the event of a
    /// summary which a summarizer writes.
    #[tracing::instrument(name = "db.execution.stop", skip_all)]
    pub async fn stop_execution(
        &self,
        fence: Fence,
        end: EndExecution,
    ) -> Result<Vec<Committed>, Error> {
        retrying!(Box::pin(self.stop_once(fence, &end)))
    }

    async fn stop_once(&self, fence: Fence, end: &EndExecution) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let status = match end.status {
            WorkStatus::Cancelled => TimelineStatus::Cancelled,
            WorkStatus::TimedOut => TimelineStatus::TimedOut,
            _ => TimelineStatus::Failed,
        };
        let mut tx = self.pool.begin().await?;
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let rows = sqlx::query(
            "with closed as (
                update timeline_events t
                set status = $3, updated_at = now(), metadata = coalesce(t.metadata, '{}'::jsonb) || $4
                where t.session_id = $1 and t.execution_id = $2 and t.status = 'streaming'
                    and not (t.event_type = 'mcp_tool_summary' and exists (
                        select 1 from summaries u
                        where u.timeline_event_id = t.id and u.status = 'in_progress'))
                returning t.id, t.event_type, t.content, t.metadata, t.sequence_number
             )
             select id, event_type, content, metadata from closed order by sequence_number",
        )
        .bind(session.uuid())
        .bind(end.id.uuid())
        .bind(status.as_str())
        .bind(json!({"interrupted": true}))
        .fetch_all(&mut *tx)
        .await?;
        let ended = sqlx::query(
            "update agent_executions set status = $3, error_message = $4, failure = $5, completed_at = now()
             where id = $2 and session_id = $1 and status = 'active'",
        )
        .bind(session.uuid())
        .bind(end.id.uuid())
        .bind(end.status.as_str())
        .bind(&end.error)
        .bind(end.failure.as_ref().map(|failure| json!(failure)))
        .execute(&mut *tx)
        .await?;
        if ended.rows_affected() == 0 {
            return Err(Conflict::NotOpen { what: "execution" }.into());
        }
        commit_ends(tx, session, &rows, status).await
    }

    async fn interrupt_once(&self, fence: Fence) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let mut tx = self.pool.begin().await?;
        // The fence first, without numbers: how many are needed is known after the update.
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let rows = sqlx::query(
            "with interrupted as (
                update timeline_events t
                set status = $2, updated_at = now(), metadata = coalesce(t.metadata, '{}'::jsonb) || $3
                where t.session_id = $1 and t.status = 'streaming'
                    and not (t.event_type = 'llm_tool_call' and exists (
                        select 1 from mcp_interactions m
                        where m.timeline_event_id = t.id and m.status = 'started'))
                    and not (t.event_type = 'tool_approval' and exists (
                        select 1 from tool_approvals a
                        where a.timeline_event_id = t.id and a.closed_at is null))
                    and not (t.event_type = 'mcp_tool_summary' and exists (
                        select 1 from summaries u
                        where u.timeline_event_id = t.id and u.status = 'in_progress'))
                returning t.id, t.event_type, t.content, t.metadata, t.sequence_number
             )
             select id, event_type, content, metadata from interrupted order by sequence_number",
        )
        .bind(session.uuid())
        .bind(TimelineStatus::Failed.as_str())
        .bind(json!({"interrupted": true}))
        .fetch_all(&mut *tx)
        .await?;
        commit_ends(tx, session, &rows, TimelineStatus::Failed).await
    }
}

/// Stores that events of the timeline have ended, and commits.
async fn commit_ends(
    mut tx: Transaction,
    session: SessionId,
    rows: &[PgRow],
    status: TimelineStatus,
) -> Result<Vec<Committed>, Error> {
    let bodies =
        rows.iter().map(|row| timeline::ended(row, status)).collect::<Result<Vec<_>, _>>()?;
    let taken = numbers::take_more(&mut tx, session, &bodies).await?;
    let committed = events::number(session, &bodies, taken)?;
    events::insert(&mut tx, session, &committed).await?;
    tx.commit().await?;
    Ok(committed)
}
