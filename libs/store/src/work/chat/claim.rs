//! Claiming a turn that waits for an answer.

use std::time::Duration;

use sqlx::Row;
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::StageId;
use tarsy_domain::status::WorkStatus;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode::Tail;
use crate::error::Error;
use crate::record::events;
use crate::session::sessions::{self, Session};
use crate::work::fence::Fence;
use crate::work::queue;
use crate::work::resume;
use crate::work::resume::rows::Stage;

#[derive(Clone, Debug)]
pub struct ChatClaim {
    pub fence: Fence,
    pub session: Session,
    pub stage: Stage,
    pub question: String,
    /// The time since the turn was first begun, by the database's clock.
    pub elapsed: Duration,
    /// How often it was claimed, this time included.
    pub attempts: i32,
    /// Another owner started it: the stored state must be recovered first.
    pub resumed: bool,
    pub cancel_requested: bool,
    pub events: Vec<Committed>,
}

const CLAIM: &str = "
    with picked as (
        select c.session_id, t.id as stage_id, t.status = 'active' as resumed
        from stages t
            join session_control c on c.session_id = t.session_id
            join alert_sessions s on s.id = t.session_id
        where t.chat_id is not null and t.status in ('pending', 'active')
            and s.status in ('completed', 'failed', 'timed_out') and s.deleted_at is null
            and (c.lease_expires_at is null or c.lease_expires_at <= statement_timestamp())
        order by t.created_at, t.id
        limit 1
        for no key update of c skip locked
    ), begun as (
        update stages t set status = 'active', started_at = coalesce(t.started_at, now())
        from picked where t.id = picked.stage_id and t.status in ('pending', 'active')
        returning t.id, t.chat_user_message_id, t.started_at
    ), executing as (
        update agent_executions e set status = 'active', started_at = now()
        from begun where e.stage_id = begun.id and e.status = 'pending'
    )
    update session_control c
    set owner_id = $1,
        lease_epoch = lease_epoch + 1,
        attempts = attempts + 1,
        lease_expires_at = statement_timestamp() + make_interval(secs => $2),
        suspended_at = null,
        event_seq = event_seq + case when picked.resumed then 0 else 1 end
    from picked join begun on begun.id = picked.stage_id
        join chat_user_messages m on m.id = begun.chat_user_message_id
    where c.session_id = picked.session_id
    returning c.session_id, c.lease_epoch, c.attempts, c.event_seq, picked.resumed,
        c.cancel_requested_at is not null as cancel_requested, begun.id as stage_id,
        begun.started_at, m.content as question, statement_timestamp() as at";

impl Store {
    /// Claims the oldest turn that waits, or whose owner is lost. The cap of sessions in progress
    /// does not count turns.
    #[tracing::instrument(name = "db.chat.claim", skip_all)]
    pub async fn claim_chat(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ChatClaim>, Error> {
        retrying!(Box::pin(self.claim_chat_once(owner, lease)))
    }

    async fn claim_chat_once(
        &self,
        owner: &str,
        lease: Duration,
    ) -> Result<Option<ChatClaim>, Error> {
        let mut tx = self.pool.begin().await?;
        let row = sqlx::query(CLAIM)
            .bind(owner)
            .bind(lease.as_secs_f64())
            .fetch_optional(&mut *tx)
            .await?;
        let Some(row) = row else {
            // Left to the drop, the lock would outlive this for a moment.
            tx.rollback().await?;
            return Ok(None);
        };
        let cells = Cells::new(&row, "session_control");
        let fence = Fence { session_id: cells.id("session_id")?, epoch: cells.get("lease_epoch")? };
        let inconsistent = || Error::Inconsistent { table: "stages" };
        let session = sessions::find(&mut tx, fence.session_id).await?.ok_or_else(inconsistent)?;
        let id: StageId = cells.id("stage_id")?;
        let stage = resume::list_stages(&mut tx, fence.session_id).await?;
        let stage = stage.into_iter().find(|one| one.id == id).ok_or_else(inconsistent)?;
        let resumed: bool = cells.get("resumed")?;
        let mut committed = Vec::new();
        if !resumed {
            let body = Body::stage(id, &stage.stage_name, stage.stage_index, WorkStatus::Active);
            let tail = Tail::new(fence.session_id, &body)?;
            let seq = cells.get("event_seq")?;
            committed.push(tail.committed(fence.session_id, seq, None, cells.time("at")?));
            events::insert(&mut tx, fence.session_id, &committed).await?;
        }
        tx.commit().await?;
        Ok(Some(ChatClaim {
            fence,
            session,
            stage,
            question: cells.text("question")?,
            elapsed: queue::elapsed(Some(cells.time("started_at")?), cells.time("at")?),
            attempts: cells.get("attempts")?,
            resumed,
            cancel_requested: cells.get("cancel_requested")?,
            events: committed,
        }))
    }

    /// How many turns could be claimed now.
    #[tracing::instrument(name = "db.chat.count_claimable", skip_all)]
    pub async fn count_claimable_chats(&self) -> Result<i64, Error> {
        let row = sqlx::query(
            "select count(*) as turns
             from stages t
                join session_control c on c.session_id = t.session_id
                join alert_sessions s on s.id = t.session_id
             where t.chat_id is not null and t.status in ('pending', 'active')
                and s.status in ('completed', 'failed', 'timed_out') and s.deleted_at is null
                and (c.lease_expires_at is null or c.lease_expires_at <= statement_timestamp())",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.try_get("turns")?)
    }
}
