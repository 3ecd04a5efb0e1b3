//! What the session's owner knows of a summary that it asked for, and giving it up.

use std::time::Duration;

use tarsy_contracts::event::Committed;
use tarsy_domain::event::SummaryStatus;
use tarsy_domain::id::{CallId, SessionId, SummaryId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;

use super::{SummaryUsage, left_of, write};
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::record::batch::op::Op;
use crate::work::fence::Fence;

#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub id: SummaryId,
    pub status: SummaryStatus,
    /// Its text, once it is completed.
    pub summary: Option<String>,
    pub error: Option<String>,
    /// What its calls of models have used so far, those of all attempts together.
    pub usage: SummaryUsage,
    /// The event of its text, once there is any.
    pub event: Option<TimelineEventId>,
}

/// How the text of a summary ends that is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbandonedSummary {
    /// What its event says.
    pub status: TimelineStatus,
    /// What viewers had seen of it, if anybody knows.
    pub text: Option<String>,
}

impl Store {
    #[tracing::instrument(name = "db.summary.find", skip_all)]
    pub async fn find_summary(&self, call: CallId) -> Result<Option<Summary>, Error> {
        let row = sqlx::query(
            "select u.id, u.status, u.summary, u.error, u.llm_calls, u.input_tokens,
                u.output_tokens, u.total_tokens, u.cost_micro_usd, u.timeline_event_id
             from summaries u join mcp_interactions m on m.id = u.mcp_interaction_id
             where m.call_id = $1",
        )
        .bind(call.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let cells = Cells::new(&row, "summaries");
            Ok(Summary {
                id: cells.id("id")?,
                status: cells.word("status")?,
                summary: cells.maybe_text("summary")?,
                error: cells.maybe_text("error")?,
                usage: SummaryUsage {
                    llm_calls: cells.get("llm_calls")?,
                    input_tokens: cells.get("input_tokens")?,
                    output_tokens: cells.get("output_tokens")?,
                    total_tokens: cells.get("total_tokens")?,
                    cost_micro_usd: cells.get("cost_micro_usd")?,
                },
                event: cells.maybe_id("timeline_event_id")?,
            })
        })
        .transpose()
    }

    /// Whether a summarizer works on a summary, or completed one within this time.
    #[tracing::instrument(name = "db.summary.has_active_summarizers", skip_all)]
    pub async fn has_active_summarizers(&self, within: Duration) -> Result<bool, Error> {
        let row = sqlx::query(
            "select exists (
                select 1 from summaries
                where status = 'in_progress' and lease_expires_at > statement_timestamp()
             ) or exists (
                select 1 from summaries
                where status = 'completed'
                    and finished_at > statement_timestamp() - make_interval(secs => $1)
             ) as active",
        )
        .bind(within.as_secs_f64())
        .fetch_one(&self.pool)
        .await?;
        Cells::new(&row, "summaries").get("active")
    }

    /// Gives a summary up for its session's owner, who waits no longer; one that is finished by now
    /// stays as it is.
    #[tracing::instrument(name = "db.summary.abandon", skip_all)]
    pub async fn abandon_summary(
        &self,
        fence: Fence,
        id: SummaryId,
        why: &str,
        mut unfinished: AbandonedSummary,
    ) -> Result<Vec<Committed>, Error> {
        encode::clean_maybe(&mut unfinished.text);
        retrying!(Box::pin(self.abandon_summary_once(fence, id, why, &unfinished)))
    }

    async fn abandon_summary_once(
        &self,
        fence: Fence,
        id: SummaryId,
        why: &str,
        unfinished: &AbandonedSummary,
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let done = sqlx::query(
            "update summaries
             set status = 'failed', error = $3, finished_at = now(), owner_id = null,
                lease_expires_at = null, lease_epoch = lease_epoch + 1
             where id = $2 and session_id = $1 and status in ('pending', 'in_progress')",
        )
        .bind(fence.session_id.uuid())
        .bind(id.uuid())
        .bind(why)
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(Vec::new());
        }
        let mut left = left_of(&mut tx, id).await?;
        for op in &mut left {
            let Op::CloseEvent(end) = op else { continue };
            end.status = unfinished.status;
            if let Some(text) = &unfinished.text {
                end.content.clone_from(text);
            }
        }
        let committed = write(&mut tx, fence.session_id, &left).await?;
        tx.commit().await?;
        Ok(committed)
    }
}

/// Ends the summaries that a session still waits for; its control row is locked.
pub(crate) async fn end_all(tx: &mut Connection, session: SessionId) -> Result<(), Error> {
    sqlx::query(
        "update summaries
         set status = 'failed', error = 'the investigation ended', finished_at = now(),
            owner_id = null, lease_expires_at = null, lease_epoch = lease_epoch + 1
         where session_id = $1 and status in ('pending', 'in_progress')",
    )
    .bind(session.uuid())
    .execute(tx)
    .await?;
    Ok(())
}
