//! Summaries of large tool results: asked for by a session's owner, made by a summarizer that holds
//! a lease of its own.
//!
//! Whoever writes an event of the session locks `session_control` first and the summary second.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::postgres::PgConnection;
use tarsy_contracts::event::Committed;
use tarsy_domain::event::{SummaryStatus, TimelineKind};
use tarsy_domain::id::{CallId, SessionId, SummaryId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;

use crate::batch::Batch;
use crate::batch::op::{EndTimelineEvent, NewLlmInteraction, NewTimelineEvent, Op};
use crate::batch::plan::Plan;
use crate::cells::Cells;
use crate::encode;
use crate::error::Error;
use crate::events;
use crate::fence::Fence;
use crate::numbers;
use crate::store::Store;

/// Proof that a summary is one's own to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SummaryFence {
    pub summary_id: SummaryId,
    pub session_id: SessionId,
    /// The lease's number; a newer one makes this one worthless.
    pub epoch: i64,
}

/// A claimed summary.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryClaim {
    /// The fencing token.
    pub fence: SummaryFence,
    /// What the session's owner asked for.
    pub request: Value,
    /// The whole result of the call, masked.
    pub result: String,
    /// How often it was claimed, this time included.
    pub attempts: i32,
}

/// A summary as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub id: SummaryId,
    /// Its status.
    pub status: SummaryStatus,
    /// Its text, once it is completed.
    pub summary: Option<String>,
    /// Why there is none.
    pub error: Option<String>,
    /// What its calls of models have used so far, those of all attempts together.
    pub usage: SummaryUsage,
    /// The event of its text, once there is any.
    pub event: Option<TimelineEventId>,
}

/// What the calls of models for a summary used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SummaryUsage {
    pub llm_calls: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub total_tokens: i64,
}

impl SummaryUsage {
    /// What the calls among these operations used; a call whose provider counts no tokens is counted, too.
    fn of(ops: &[Op]) -> Self {
        let mut sum = Self::default();
        for op in ops {
            let Op::LlmInteraction(call) = op else { continue };
            sum.llm_calls += 1;
            sum.input_tokens += i64::from(call.input_tokens.unwrap_or_default());
            sum.output_tokens += i64::from(call.output_tokens.unwrap_or_default());
            sum.total_tokens += i64::from(call.total_tokens.unwrap_or_default());
        }
        sum
    }
}

/// How a summary ends, with the operations that tell of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryEnd {
    /// Its text, if there is one.
    pub summary: Option<String>,
    /// Why there is none.
    pub error: Option<String>,
    /// The record of the call and the end of its event.
    pub batch: Batch,
}

/// How the text of a summary ends that is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbandonedSummary {
    /// What its event says.
    pub status: TimelineStatus,
    /// What viewers had seen of it, if anybody knows.
    pub text: Option<String>,
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
        coalesce(r.content, m.tool_result, '') as result";

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
        retrying!(self.open_summary_once(fence, &event))
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
        retrying!(self.add_summary_usage_once(fence, &ops))
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
        retrying!(self.finish_summary_once(fence, &end))
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

    /// A summary as it stands.
    #[tracing::instrument(name = "db.summary.find", skip_all)]
    pub async fn find_summary(&self, call: CallId) -> Result<Option<Summary>, Error> {
        let row = sqlx::query(
            "select u.id, u.status, u.summary, u.error, u.llm_calls, u.input_tokens,
                u.output_tokens, u.total_tokens, u.timeline_event_id
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
                },
                event: cells.maybe_id("timeline_event_id")?,
            })
        })
        .transpose()
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
        retrying!(self.abandon_summary_once(fence, id, why, &unfinished))
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

/// Ends the summaries that a session still waits for; its control row is locked.
pub(crate) async fn end_all(tx: &mut PgConnection, session: SessionId) -> Result<(), Error> {
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

/// Adds what the calls among these operations used; locks the summary's row, whose lease must be this fence's.
async fn add_usage(tx: &mut PgConnection, fence: SummaryFence, ops: &[Op]) -> Result<(), Error> {
    let used = SummaryUsage::of(ops);
    let done = sqlx::query(
        "update summaries
         set llm_calls = llm_calls + $3, input_tokens = input_tokens + $4,
            output_tokens = output_tokens + $5, total_tokens = total_tokens + $6
         where id = $1 and lease_epoch = $2 and status = 'in_progress'",
    )
    .bind(fence.summary_id.uuid())
    .bind(fence.epoch)
    .bind(used.llm_calls)
    .bind(used.input_tokens)
    .bind(used.output_tokens)
    .bind(used.total_tokens)
    .execute(tx)
    .await?;
    if done.rows_affected() == 0 {
        return Err(Error::Fenced { session: fence.session_id });
    }
    Ok(())
}

/// Writes operations of a session whose control row is locked.
async fn write(
    tx: &mut PgConnection,
    session: SessionId,
    ops: &[Op],
) -> Result<Vec<Committed>, Error> {
    if ops.is_empty() {
        return Ok(Vec::new());
    }
    for op in ops {
        op.check()?;
    }
    let plan = Plan::of(session, ops)?;
    let numbers = numbers::take_unfenced(tx, session, plan.events(), plan.places()).await?;
    let committed = plan.write(tx, session, numbers).await?;
    events::insert(tx, session, &committed).await?;
    Ok(committed)
}

/// What ends the event that an attempt left streaming, if one did.
async fn left_of(tx: &mut PgConnection, id: SummaryId) -> Result<Vec<Op>, Error> {
    let row = sqlx::query(
        "select t.id, t.content
         from summaries u join timeline_events t on t.id = u.timeline_event_id
         where u.id = $1 and t.status = 'streaming'",
    )
    .bind(id.uuid())
    .fetch_optional(tx)
    .await?;
    let Some(row) = row else { return Ok(Vec::new()) };
    let cells = Cells::new(&row, "timeline_events");
    Ok(vec![Op::CloseEvent(EndTimelineEvent {
        id: cells.id::<TimelineEventId>("id")?,
        kind: TimelineKind::McpToolSummary,
        status: TimelineStatus::Failed,
        content: cells.text("content")?,
        metadata: Some(json!({"interrupted": true})),
    })])
}
