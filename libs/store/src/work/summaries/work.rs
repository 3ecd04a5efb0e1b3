//! Making a summary: what a summarizer claims, keeps and finishes.

use std::time::Duration;

use serde_json::Value;
use tarsy_contracts::event::Committed;
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_domain::event::SummaryStatus;
use tarsy_domain::id::{SessionId, SummaryId};

use super::{SummaryUsage, left_of, write};
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::record::batch::Batch;
use crate::record::batch::op::{NewLlmInteraction, Op};

/// Proof that a summary is one's own to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SummaryFence {
    pub summary_id: SummaryId,
    pub session_id: SessionId,
    /// The lease's number; a newer one makes this one worthless.
    pub epoch: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SummaryClaim {
    pub fence: SummaryFence,
    /// What the session's owner asked for.
    pub request: Value,
    /// The whole result of the call, masked.
    pub result: String,
    /// How often it was claimed, this time included.
    pub attempts: i32,
    /// The trace context of its session; none if spans were not exported.
    pub traceparent: Option<String>,
}

/// How a summary ends, with the operations that tell of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryEnd {
    /// Its text, if there is one.
    pub summary: Option<String>,
    pub error: Option<String>,
    /// The record of the call and the end of its event.
    pub batch: Batch,
}

const CLAIM: &str = "
    with picked as (
        select id from summaries
        where status = 'pending'
            or (status = 'in_progress' and lease_expires_at <= statement_timestamp())
        order by created_at, id
        limit 1
        for update skip locked
    )
    update summaries u
    set status = 'in_progress', owner_id = $1, lease_epoch = u.lease_epoch + 1,
        attempts = u.attempts + 1,
        lease_expires_at = statement_timestamp() + make_interval(secs => $2)
    from picked, mcp_interactions m left join tool_results r on r.interaction_id = m.id
    where u.id = picked.id and m.id = u.mcp_interaction_id
    returning u.id, u.session_id, u.lease_epoch, u.attempts, u.request,
        coalesce(r.content, m.tool_result, '') as result,
        (select s.traceparent from alert_sessions s where s.id = u.session_id) as traceparent";

impl Store {
    /// Claims the oldest summary that waits, or whose summarizer is lost.
    #[tracing::instrument(name = "db.summary.claim", skip_all)]
    pub async fn claim_summary(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<SummaryClaim>, Error> {
        let row = retrying!(self.claim_summary_once(owner, lease))?;
        row.map(|row| {
            let cells = Cells::new(&row, "summaries");
            let fence = SummaryFence {
                summary_id: cells.id("id")?,
                session_id: cells.id("session_id")?,
                epoch: cells.get("lease_epoch")?,
            };
            Ok(SummaryClaim {
                fence,
                request: cells.get("request")?,
                result: cells.text("result")?,
                attempts: cells.get("attempts")?,
                traceparent: cells.maybe_text("traceparent")?,
            })
        })
        .transpose()
    }

    async fn claim_summary_once(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<sqlx::postgres::PgRow>, Error> {
        let claimed = sqlx::query(CLAIM).bind(owner).bind(lease.as_secs_f64());
        Ok(claimed.fetch_optional(&self.pool).await?)
    }

    /// Keeps a summary's lease; answers whether the session is asked to stop.
    #[tracing::instrument(name = "db.summary.renew", skip_all)]
    pub async fn renew_summary(&self, fence: SummaryFence, lease: Duration) -> Result<bool, Error> {
        let row = sqlx::query(
            "update summaries u
             set lease_expires_at = statement_timestamp() + make_interval(secs => $3)
             from session_control c
             where u.id = $1 and u.lease_epoch = $2 and u.status = 'in_progress'
                and c.session_id = u.session_id
             returning c.cancel_requested_at is not null as cancel_requested",
        )
        .bind(fence.summary_id.uuid())
        .bind(fence.epoch)
        .bind(lease.as_secs_f64())
        .fetch_optional(&self.pool)
        .await?
        .ok_or(Error::Fenced { session: fence.session_id })?;
        Cells::new(&row, "session_control").get("cancel_requested")
    }

    /// Gives a summary back at once, without counting the attempt: a graceful stop.
    #[tracing::instrument(name = "db.summary.release", skip_all)]
    pub async fn release_summary(&self, fence: SummaryFence) -> Result<(), Error> {
        sqlx::query(
            "update summaries
             set owner_id = null, lease_expires_at = statement_timestamp(),
                attempts = greatest(attempts - 1, 0)
             where id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.summary_id.uuid())
        .bind(fence.epoch)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Begins the event that streams a summary; what an earlier attempt left streaming is closed as
    /// failed, with `{"interrupted": true}`.
    #[tracing::instrument(name = "db.summary.open", skip_all)]
    pub async fn open_summary_event(
        &self,
        fence: SummaryFence,
        mut event: NewTimelineEvent,
    ) -> Result<Vec<Committed>, Error> {
        encode::clean_maybe_json(&mut event.metadata);
        retrying!(Box::pin(self.open_summary_once(fence, &event)))
    }

    async fn open_summary_once(
        &self,
        fence: SummaryFence,
        event: &NewTimelineEvent,
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        let mut ops = left_of(&mut tx, fence.summary_id).await?;
        ops.push(Op::OpenEvent(event.clone()));
        let committed = write(&mut tx, fence.session_id, &ops).await?;
        let done = sqlx::query(
            "update summaries set timeline_event_id = $3
             where id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.summary_id.uuid())
        .bind(fence.epoch)
        .bind(event.id.uuid())
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            tx.rollback().await?;
            return Err(Error::Fenced { session: fence.session_id });
        }
        tx.commit().await?;
        Ok(committed)
    }

    /// Records a call of a model that made no summary, and adds what it used: it counts whatever becomes of this
    /// attempt.
    #[tracing::instrument(name = "db.summary.add_usage", skip_all)]
    pub async fn add_summary_usage(
        &self,
        fence: SummaryFence,
        call: NewLlmInteraction,
    ) -> Result<Vec<Committed>, Error> {
        let ops = [Op::LlmInteraction(call)];
        retrying!(Box::pin(self.add_summary_usage_once(fence, &ops)))
    }

    async fn add_summary_usage_once(
        &self,
        fence: SummaryFence,
        ops: &[Op],
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        add_usage(&mut tx, fence, ops).await?;
        let committed = write(&mut tx, fence.session_id, ops).await?;
        tx.commit().await?;
        Ok(committed)
    }

    /// Ends a summary and what tells of it, in one transaction. Afterwards the fence is worthless.
    #[tracing::instrument(name = "db.summary.finish", skip_all)]
    pub async fn finish_summary(
        &self,
        fence: SummaryFence,
        mut end: SummaryEnd,
    ) -> Result<Vec<Committed>, Error> {
        encode::clean_maybe(&mut end.summary);
        encode::clean_maybe(&mut end.error);
        retrying!(Box::pin(self.finish_summary_once(fence, &end)))
    }

    async fn finish_summary_once(
        &self,
        fence: SummaryFence,
        end: &SummaryEnd,
    ) -> Result<Vec<Committed>, Error> {
        let status = match end.summary {
            Some(_) => SummaryStatus::Completed,
            None => SummaryStatus::Failed,
        };
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        add_usage(&mut tx, fence, end.batch.ops()).await?;
        sqlx::query(
            "update summaries
             set status = $2, summary = $3, error = $4, finished_at = now(),
                owner_id = null, lease_expires_at = null
             where id = $1",
        )
        .bind(fence.summary_id.uuid())
        .bind(status.as_str())
        .bind(&end.summary)
        .bind(&end.error)
        .execute(&mut *tx)
        .await?;
        let mut committed = write(&mut tx, fence.session_id, end.batch.ops()).await?;
        // An attempt that never came to its event leaves none open, either.
        let left = left_of(&mut tx, fence.summary_id).await?;
        committed.extend(write(&mut tx, fence.session_id, &left).await?);
        tx.commit().await?;
        Ok(committed)
    }

    /// How many summaries could be claimed now.
    #[tracing::instrument(name = "db.summary.count_claimable", skip_all)]
    pub async fn count_claimable_summaries(&self) -> Result<i64, Error> {
        let row = sqlx::query(
            "select count(*) as summaries from summaries
             where status = 'pending'
                or (status = 'in_progress' and lease_expires_at <= statement_timestamp())",
        )
        .fetch_one(&self.pool)
        .await?;
        Cells::new(&row, "summaries").get("summaries")
    }
}

/// Adds what the calls among these operations used; locks the summary's row, whose lease must be this fence's.
async fn add_usage(tx: &mut Connection, fence: SummaryFence, ops: &[Op]) -> Result<(), Error> {
    let used = SummaryUsage::of(ops);
    let done = sqlx::query(
        "update summaries
         set llm_calls = llm_calls + $3, input_tokens = input_tokens + $4,
            output_tokens = output_tokens + $5, total_tokens = total_tokens + $6,
            cost_micro_usd = cost_micro_usd + $7
         where id = $1 and lease_epoch = $2 and status = 'in_progress'",
    )
    .bind(fence.summary_id.uuid())
    .bind(fence.epoch)
    .bind(used.llm_calls)
    .bind(used.input_tokens)
    .bind(used.output_tokens)
    .bind(used.total_tokens)
    .bind(used.cost_micro_usd)
    .execute(tx)
    .await?;
    if done.rows_affected() == 0 {
        return Err(Error::Fenced { session: fence.session_id });
    }
    Ok(())
}
