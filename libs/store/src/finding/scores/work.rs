//! Making a score: what its owner claims, keeps, answers and finishes.

use std::time::Duration;

use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::Committed;
use tarsy_contracts::score::MissingTool;
use tarsy_domain::score::{FailureTag, ScoreChecks, ScoreFailure, ScoreStatus};

use super::{ScoreFence, end, report};
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::figures::overview;
use crate::record::batch::op::{NewLlmInteraction, Op};
use crate::session::sessions::{self, Session};
use crate::work::summaries::{self, SummaryUsage};

#[derive(Clone, Debug)]
pub struct ScoreClaim {
    /// The fencing token.
    pub fence: ScoreFence,
    /// The session that is judged.
    pub session: Session,
    /// What was stored with the request.
    pub judge: Value,
    /// How often it was claimed, this time included.
    pub attempts: i32,
    /// The time since it was claimed first, by the database's clock.
    pub elapsed: Duration,
    /// The first answer, if an earlier owner has it.
    pub judgement: Option<Judgement>,
}

/// The first answer of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// From 0 to 100.
    pub score: u8,
    /// At most 8,000 characters.
    pub analysis: String,
    pub failure_tags: Vec<FailureTag>,
    pub provider: String,
    pub model: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScoreEnd {
    /// With the tools that the second answer names, or why there is none.
    Completed(Result<Vec<MissingTool>, ScoreFailure>),
    /// Without a number.
    Failed(ScoreFailure),
}

const CLAIM: &str = "
    with picked as (
        select p.id from scores p join alert_sessions s on s.id = p.session_id
        where s.deleted_at is null and (p.status = 'pending'
            or (p.status = 'in_progress' and p.lease_expires_at <= statement_timestamp()))
        order by p.created_at, p.id
        limit 1
        for update of p skip locked
    )
    update scores p
    set status = 'in_progress', owner_id = $1, lease_epoch = p.lease_epoch + 1, attempts = p.attempts + 1,
        started_at = coalesce(p.started_at, statement_timestamp()),
        lease_expires_at = statement_timestamp() + make_interval(secs => $2)
    from picked where p.id = picked.id
    returning p.id, p.session_id, p.lease_epoch, p.attempts, p.judge, p.model_score, p.analysis, p.failure_tags, p.provider,
        p.model_name, extract(epoch from (statement_timestamp() - p.started_at))::double precision as elapsed";

impl Store {
    /// Claims the oldest score that waits, or whose owner is lost.
    #[tracing::instrument(name = "db.score.claim", skip_all)]
    pub async fn claim_score(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ScoreClaim>, Error> {
        retrying!(Box::pin(self.claim_score_once(owner, lease)))
    }

    async fn claim_score_once(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ScoreClaim>, Error> {
        let mut tx = self.pool.begin().await?;
        let claimed = sqlx::query(CLAIM).bind(owner).bind(lease.as_secs_f64());
        let Some(row) = claimed.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        let cells = Cells::new(&row, "scores");
        let fence = ScoreFence {
            score_id: cells.id("id")?,
            session_id: cells.id("session_id")?,
            epoch: cells.get("lease_epoch")?,
        };
        let session = sessions::find(&mut tx, fence.session_id).await?;
        let session = session.ok_or(Error::Inconsistent { table: "alert_sessions" })?;
        tx.commit().await?;
        let elapsed = Duration::try_from_secs_f64(cells.get("elapsed")?).unwrap_or_default();
        Ok(Some(ScoreClaim {
            fence,
            session,
            judge: cells.get("judge")?,
            attempts: cells.get("attempts")?,
            elapsed,
            judgement: judgement(&row)?,
        }))
    }

    /// Keeps a score's lease.
    #[tracing::instrument(name = "db.score.renew", skip_all)]
    pub async fn renew_score(&self, fence: ScoreFence, lease: Duration) -> Result<(), Error> {
        let done = sqlx::query(
            "update scores set lease_expires_at = statement_timestamp() + make_interval(secs => $3)
             where id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.score_id.uuid())
        .bind(fence.epoch)
        .bind(lease.as_secs_f64())
        .execute(&self.pool)
        .await?;
        held(fence, done.rows_affected())
    }

    /// Gives a score back at once, without counting the attempt: a graceful stop.
    #[tracing::instrument(name = "db.score.release", skip_all)]
    pub async fn release_score(&self, fence: ScoreFence) -> Result<(), Error> {
        sqlx::query(
            "update scores
             set owner_id = null, lease_expires_at = statement_timestamp(), attempts = greatest(attempts - 1, 0)
             where id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.score_id.uuid())
        .bind(fence.epoch)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Stores what code counts, and in whose words the model is asked.
    #[tracing::instrument(name = "db.score.begin", skip_all)]
    pub async fn begin_score(
        &self,
        fence: ScoreFence,
        checks: &ScoreChecks,
        prompt_version: &str,
    ) -> Result<(), Error> {
        let count = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let done = sqlx::query(
            "update scores
             set claims = $3, unbacked_claims = $4, calls = $5, failed_calls = $6, repeated_calls = $7, budget_used_up = $8,
                looked = $9, checks_score = $10, prompt_version = $11
             where id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.score_id.uuid())
        .bind(fence.epoch)
        .bind(count(checks.claims.of))
        .bind(count(checks.claims.count))
        .bind(count(checks.failed.of))
        .bind(count(checks.failed.count))
        .bind(count(checks.repeated.count))
        .bind(checks.budget_used_up)
        .bind(checks.looked)
        .bind(i16::from(checks.score()))
        .bind(prompt_version)
        .execute(&self.pool)
        .await?;
        held(fence, done.rows_affected())
    }

    /// Records a call of a model whose answer is not used, and adds what it used.
    #[tracing::instrument(name = "db.score.add_usage", skip_all)]
    pub async fn add_score_usage(
        &self,
        fence: ScoreFence,
        call: NewLlmInteraction,
    ) -> Result<Vec<Committed>, Error> {
        let ops = [Op::LlmInteraction(call)];
        retrying!(Box::pin(self.add_score_usage_once(fence, &ops)))
    }

    async fn add_score_usage_once(
        &self,
        fence: ScoreFence,
        ops: &[Op],
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        add_usage(&mut tx, fence, ops).await?;
        let committed = summaries::write(&mut tx, fence.session_id, ops).await?;
        tx.commit().await?;
        Ok(committed)
    }

    /// Stores the first answer with the call that it came of, in one transaction: no later owner asks for it again.
    #[tracing::instrument(name = "db.score.judge", skip_all)]
    pub async fn judge_score(
        &self,
        fence: ScoreFence,
        mut judgement: Judgement,
        call: NewLlmInteraction,
    ) -> Result<Vec<Committed>, Error> {
        encode::clean(&mut judgement.analysis);
        let ops = [Op::LlmInteraction(call)];
        retrying!(Box::pin(self.judge_score_once(fence, &judgement, &ops)))
    }

    async fn judge_score_once(
        &self,
        fence: ScoreFence,
        judgement: &Judgement,
        ops: &[Op],
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        add_usage(&mut tx, fence, ops).await?;
        let tags: Vec<&str> = judgement.failure_tags.iter().map(|tag| tag.as_str()).collect();
        sqlx::query(
            "update scores
             set model_score = $2, analysis = $3, failure_tags = $4, provider = $5, model_name = $6, answered_at = now()
             where id = $1",
        )
        .bind(fence.score_id.uuid())
        .bind(i16::from(judgement.score))
        .bind(&judgement.analysis)
        .bind(tags)
        .bind(&judgement.provider)
        .bind(&judgement.model)
        .execute(&mut *tx)
        .await?;
        let committed = summaries::write(&mut tx, fence.session_id, ops).await?;
        tx.commit().await?;
        Ok(committed)
    }

    /// Whether the first answer of a score is stored.
    #[tracing::instrument(name = "db.score.is_judged", skip_all)]
    pub async fn is_judged(&self, fence: ScoreFence) -> Result<bool, Error> {
        let judged = sqlx::query_scalar("select model_score is not null from scores where id = $1");
        let judged: Option<bool> =
            judged.bind(fence.score_id.uuid()).fetch_optional(&self.pool).await?;
        Ok(judged.unwrap_or_default())
    }

    /// Ends a score, with the call that its last answer came of, if there is one. With a number it is the session's from then
    /// on. Afterwards the fence is worthless.
    #[tracing::instrument(name = "db.score.finish", skip_all)]
    pub async fn finish_score(
        &self,
        fence: ScoreFence,
        mut ended: ScoreEnd,
        call: Option<NewLlmInteraction>,
    ) -> Result<Vec<Committed>, Error> {
        if let ScoreEnd::Completed(Ok(tools)) = &mut ended {
            for tool in tools {
                encode::clean(&mut tool.name);
                encode::clean(&mut tool.why);
            }
        }
        let ops: Vec<Op> = call.map(Op::LlmInteraction).into_iter().collect();
        retrying!(Box::pin(self.finish_score_once(fence, &ended, &ops)))
    }

    async fn finish_score_once(
        &self,
        fence: ScoreFence,
        ended: &ScoreEnd,
        ops: &[Op],
    ) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, session, 0, 0).await?;
        add_usage(&mut tx, fence, ops).await?;
        let (status, score) = match ended {
            ScoreEnd::Completed(tools) => {
                (ScoreStatus::Completed, Some(end::complete(&mut tx, fence, tools).await?))
            }
            ScoreEnd::Failed(failure) => {
                end::fail(&mut tx, fence, *failure).await?;
                (ScoreStatus::Failed, None)
            }
        };
        let mut committed = summaries::write(&mut tx, session, ops).await?;
        committed.extend(report(&mut tx, session, fence.score_id, (status, score)).await?);
        overview::count_again(&mut tx, session).await?;
        tx.commit().await?;
        Ok(committed)
    }
}

fn judgement(row: &PgRow) -> Result<Option<Judgement>, Error> {
    let cells = Cells::new(row, "scores");
    let Some(score) = cells.get::<Option<i16>>("model_score")? else { return Ok(None) };
    Ok(Some(Judgement {
        score: u8::try_from(score).map_err(|_| Error::Inconsistent { table: "scores" })?,
        analysis: cells.maybe_text("analysis")?.unwrap_or_default(),
        failure_tags: cells.words("failure_tags")?,
        provider: cells.maybe_text("provider")?.unwrap_or_default(),
        model: cells.maybe_text("model_name")?.unwrap_or_default(),
    }))
}

fn held(fence: ScoreFence, rows: u64) -> Result<(), Error> {
    if rows == 0 { Err(Error::Fenced { session: fence.session_id }) } else { Ok(()) }
}

/// Adds what the calls among these operations used; locks the score's row, whose lease must be this fence's.
async fn add_usage(tx: &mut Connection, fence: ScoreFence, ops: &[Op]) -> Result<(), Error> {
    let used = SummaryUsage::of(ops);
    let done = sqlx::query(
        "update scores
         set llm_calls = llm_calls + $3, input_tokens = input_tokens + $4, output_tokens = output_tokens + $5,
            total_tokens = total_tokens + $6, cost_micro_usd = cost_micro_usd + $7
         where id = $1 and lease_epoch = $2 and status = 'in_progress'",
    )
    .bind(fence.score_id.uuid())
    .bind(fence.epoch)
    .bind(used.llm_calls)
    .bind(used.input_tokens)
    .bind(used.output_tokens)
    .bind(used.total_tokens)
    .bind(used.cost_micro_usd)
    .execute(tx)
    .await?;
    held(fence, done.rows_affected())
}
