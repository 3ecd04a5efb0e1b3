//! Requests to cancel a session or a question about it.

use sqlx::Row;
use tarsy_contracts::event::{Body, Committed};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode::Tail;
use crate::error::Error;
use crate::record::events;
use crate::session::sessions::lock;
use crate::work::chat::end::{self, CancelledTurn};
use crate::work::suspended;

/// What became of a request to cancel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelOutcome {
    /// There is no such session.
    NotFound,
    /// It is over already.
    NothingToCancel(SessionStatus),
    /// It was waiting and is over now.
    Cancelled { events: Vec<Committed> },
    /// Its owner has to wind it down; empty if somebody asked before.
    Cancelling { events: Vec<Committed> },
    /// It is over, its chat's question was waiting and is over now, too.
    ChatCancelled { events: Vec<Committed> },
    /// It is over, and the owner of its chat's question has to wind that down.
    ChatCancelling,
}

impl Store {
    /// Asks a session, or the question that is asked about it, to stop: what waits is over at once,
    /// what runs is wound down by its owner.
    #[tracing::instrument(name = "db.session.cancel", skip_all)]
    pub async fn request_cancel(&self, id: SessionId) -> Result<CancelOutcome, Error> {
        retrying!(Box::pin(self.cancel_once(id)))
    }

    async fn cancel_once(&self, id: SessionId) -> Result<CancelOutcome, Error> {
        let mut tx = self.pool.begin().await?;
        let Some(from) = lock(&mut tx, id).await? else { return Ok(CancelOutcome::NotFound) };
        let to = match from {
            SessionStatus::Pending => SessionStatus::Cancelled,
            SessionStatus::InProgress => SessionStatus::Cancelling,
            SessionStatus::Cancelling => {
                tx.rollback().await?;
                return Ok(CancelOutcome::Cancelling { events: vec![] });
            }
            over => {
                let Some(turn) = end::cancel(&mut tx, id).await? else {
                    tx.rollback().await?;
                    return Ok(CancelOutcome::NothingToCancel(over));
                };
                tx.commit().await?;
                return Ok(match turn {
                    CancelledTurn::Ended(events) => CancelOutcome::ChatCancelled { events },
                    CancelledTurn::Requested => CancelOutcome::ChatCancelling,
                });
            }
        };
        let committed = end(&mut tx, id, to).await?;
        tx.commit().await?;
        Ok(if to == SessionStatus::Cancelled {
            CancelOutcome::Cancelled { events: committed }
        } else {
            CancelOutcome::Cancelling { events: committed }
        })
    }
}

/// Ends a session that nobody has claimed yet, because nothing is left to investigate. Nothing is written if somebody has.
pub(crate) async fn stop_pending(
    tx: &mut Connection,
    id: SessionId,
    why: &str,
) -> Result<Option<Vec<Committed>>, Error> {
    if lock(tx, id).await? != Some(SessionStatus::Pending) {
        return Ok(None);
    }
    sqlx::query("update alert_sessions set error_message = $2 where id = $1")
        .bind(id.uuid())
        .bind(why)
        .execute(&mut *tx)
        .await?;
    end(tx, id, SessionStatus::Cancelled).await.map(Some)
}

/// Writes the status of a cancel, and its event.
async fn end(
    tx: &mut Connection,
    id: SessionId,
    to: SessionStatus,
) -> Result<Vec<Committed>, Error> {
    sqlx::query(
        "update alert_sessions
         set status = $2, completed_at = case when $3 then now() end
         where id = $1",
    )
    .bind(id.uuid())
    .bind(to.as_str())
    .bind(to.is_terminal())
    .execute(&mut *tx)
    .await?;
    let row = sqlx::query(
        "update session_control
         set event_seq = event_seq + 1, cancel_requested_at = coalesce(cancel_requested_at, now())
         where session_id = $1 returning event_seq, now() as at",
    )
    .bind(id.uuid())
    .fetch_one(&mut *tx)
    .await?;
    suspended::wake_cancelled(tx, id).await?;
    let tail = Tail::new(id, &Body::SessionStatus { status: to })?;
    let at = Cells::new(&row, "session_control").time("at")?;
    let committed = vec![tail.committed(id, row.try_get("event_seq")?, None, at)];
    events::insert(tx, id, &committed).await?;
    Ok(committed)
}
