//! Writing prose: what its owner claims, keeps and finishes.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_contracts::event::Committed;
use tarsy_contracts::postmortem::ProseSentence;
use tarsy_domain::postmortem::ProseFailure;

use super::ProseFence;
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::figures::overview;
use crate::record::batch::op::{NewLlmInteraction, Op};
use crate::session::sessions::{self, Session};
use crate::work::summaries;

/// A claimed request.
#[derive(Clone, Debug)]
pub struct ProseClaim {
    /// The fencing token.
    pub fence: ProseFence,
    pub session: Session,
    /// What was stored with the request.
    pub writer: Value,
    pub facts: Value,
    /// How often it was claimed, this time included.
    pub attempts: i32,
    /// The time since it was claimed first, by the database's clock.
    pub elapsed: Duration,
}

/// How a request ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProseEnd {
    Completed(WrittenProse),
    Failed(ProseFailure),
}

/// What a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenProse {
    pub sentences: Vec<ProseSentence>,
    /// Sentences that were left out.
    pub left_out: u32,
    pub prompt_version: String,
    pub provider: String,
    pub model: String,
}

const CLAIM: &str = "
    with picked as (
        select p.session_id from postmortem_prose p join alert_sessions s on s.id = p.session_id
        where s.deleted_at is null and (p.status = 'pending'
            or (p.status = 'in_progress' and p.lease_expires_at <= statement_timestamp()))
        order by p.created_at, p.session_id
        limit 1
        for update of p skip locked
    )
    update postmortem_prose p
    set status = 'in_progress', owner_id = $1, lease_epoch = p.lease_epoch + 1, attempts = p.attempts + 1,
        started_at = coalesce(p.started_at, statement_timestamp()),
        lease_expires_at = statement_timestamp() + make_interval(secs => $2)
    from picked where p.session_id = picked.session_id
    returning p.session_id, p.lease_epoch, p.attempts, p.writer, p.facts,
        extract(epoch from (statement_timestamp() - p.started_at))::double precision as elapsed";

impl Store {
    /// Claims the oldest request that waits, or whose owner is lost.
    #[tracing::instrument(name = "db.prose.claim", skip_all)]
    pub async fn claim_prose(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ProseClaim>, Error> {
        retrying!(Box::pin(self.claim_prose_once(owner, lease)))
    }

    async fn claim_prose_once(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ProseClaim>, Error> {
        let mut tx = self.pool.begin().await?;
        let claimed = sqlx::query(CLAIM).bind(owner).bind(lease.as_secs_f64());
        let Some(row) = claimed.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(None);
        };
        let cells = Cells::new(&row, "postmortem_prose");
        let fence =
            ProseFence { session_id: cells.id("session_id")?, epoch: cells.get("lease_epoch")? };
        let session = sessions::find(&mut tx, fence.session_id).await?;
        let session = session.ok_or(Error::Inconsistent { table: "alert_sessions" })?;
        tx.commit().await?;
        Ok(Some(ProseClaim {
            fence,
            session,
            writer: cells.get("writer")?,
            facts: cells.get("facts")?,
            attempts: cells.get("attempts")?,
            elapsed: Duration::try_from_secs_f64(cells.get("elapsed")?).unwrap_or_default(),
        }))
    }

    /// Keeps a request's lease.
    #[tracing::instrument(name = "db.prose.renew", skip_all)]
    pub async fn renew_prose(&self, fence: ProseFence, lease: Duration) -> Result<(), Error> {
        let done = sqlx::query(
            "update postmortem_prose set lease_expires_at = statement_timestamp() + make_interval(secs => $3)
             where session_id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.session_id.uuid())
        .bind(fence.epoch)
        .bind(lease.as_secs_f64())
        .execute(&self.pool)
        .await?;
        held(fence, done.rows_affected())
    }

    /// Gives a request back at once, without counting the attempt: a graceful stop.
    #[tracing::instrument(name = "db.prose.release", skip_all)]
    pub async fn release_prose(&self, fence: ProseFence) -> Result<(), Error> {
        sqlx::query(
            "update postmortem_prose
             set owner_id = null, lease_expires_at = statement_timestamp(), attempts = greatest(attempts - 1, 0)
             where session_id = $1 and lease_epoch = $2 and status = 'in_progress'",
        )
        .bind(fence.session_id.uuid())
        .bind(fence.epoch)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Records a call of a model whose answer is not used.
    #[tracing::instrument(name = "db.prose.add_call", skip_all)]
    pub async fn add_prose_call(
        &self,
        fence: ProseFence,
        call: NewLlmInteraction,
    ) -> Result<Vec<Committed>, Error> {
        let ops = [Op::LlmInteraction(call)];
        retrying!(Box::pin(self.add_prose_call_once(fence, &ops)))
    }

    async fn add_prose_call_once(
        &self,
        fence: ProseFence,
        ops: &[Op],
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        lock(&mut tx, fence).await?;
        let committed = summaries::write(&mut tx, fence.session_id, ops).await?;
        tx.commit().await?;
        Ok(committed)
    }

    /// Ends a request, with the call that its text came of, in one transaction. Afterwards the fence is worthless.
    #[tracing::instrument(name = "db.prose.finish", skip_all)]
    pub async fn finish_prose(
        &self,
        fence: ProseFence,
        ended: ProseEnd,
        call: Option<NewLlmInteraction>,
    ) -> Result<Vec<Committed>, Error> {
        let ops: Vec<Op> = call.map(Op::LlmInteraction).into_iter().collect();
        retrying!(Box::pin(self.finish_prose_once(fence, &ended, &ops)))
    }

    async fn finish_prose_once(
        &self,
        fence: ProseFence,
        ended: &ProseEnd,
        ops: &[Op],
    ) -> Result<Vec<Committed>, Error> {
        let mut tx = self.pool.begin().await?;
        numbers::take_unfenced(&mut tx, fence.session_id, 0, 0).await?;
        lock(&mut tx, fence).await?;
        match ended {
            ProseEnd::Completed(written) => complete(&mut tx, fence, written).await?,
            ProseEnd::Failed(failure) => fail(&mut tx, fence, *failure).await?,
        }
        let committed = summaries::write(&mut tx, fence.session_id, ops).await?;
        overview::count_again(&mut tx, fence.session_id).await?;
        tx.commit().await?;
        Ok(committed)
    }
}

async fn complete(
    tx: &mut Connection,
    fence: ProseFence,
    written: &WrittenProse,
) -> Result<(), Error> {
    let mut sentences = json!(written.sentences);
    encode::clean_json(&mut sentences);
    sqlx::query(
        "update postmortem_prose
         set status = 'completed', sentences = $2, left_out = $3, prompt_version = $4, provider = $5, model_name = $6,
            finished_at = now(), owner_id = null, lease_expires_at = null
         where session_id = $1",
    )
    .bind(fence.session_id.uuid())
    .bind(sentences)
    .bind(i32::try_from(written.left_out).unwrap_or(i32::MAX))
    .bind(&written.prompt_version)
    .bind(&written.provider)
    .bind(&written.model)
    .execute(tx)
    .await?;
    Ok(())
}

async fn fail(tx: &mut Connection, fence: ProseFence, failure: ProseFailure) -> Result<(), Error> {
    sqlx::query(
        "update postmortem_prose
         set status = 'failed', failure = $2, finished_at = now(), owner_id = null, lease_expires_at = null
         where session_id = $1",
    )
    .bind(fence.session_id.uuid())
    .bind(failure.as_str())
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the row, whose lease must be this fence's.
async fn lock(tx: &mut Connection, fence: ProseFence) -> Result<(), Error> {
    let row = sqlx::query(
        "select 1 from postmortem_prose where session_id = $1 and lease_epoch = $2 and status = 'in_progress' for update",
    )
    .bind(fence.session_id.uuid())
    .bind(fence.epoch)
    .fetch_optional(tx)
    .await?;
    held(fence, u64::from(row.is_some()))
}

fn held(fence: ProseFence, rows: u64) -> Result<(), Error> {
    if rows == 0 { Err(Error::Fenced { session: fence.session_id }) } else { Ok(()) }
}
