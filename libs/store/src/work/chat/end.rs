//! The end of a turn: by its owner, or by a cancel request before it has one.

use tarsy_contracts::event::Committed;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{IllegalTransition, TimelineStatus, WorkStatus};

use super::open_turn;
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::{Conflict, Error};
use crate::figures::overview;
use crate::record::events;
use crate::work::actions;
use crate::work::fence::Fence;
use crate::work::finalize;
use crate::work::suspended;

/// How a turn ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatEnd {
    /// Its end; terminal.
    pub status: WorkStatus,
    pub error: Option<String>,
}

impl Store {
    /// Ends a turn: its stage, everything that is still open, the events that tell of it, and the
    /// lease, in one transaction. The session stays as it is. Afterwards the fence is worthless. A turn whose cancel was
    /// accepted ends as cancelled, whatever `end` says.
    #[tracing::instrument(name = "db.chat.finish", skip_all)]
    pub async fn finish_chat(
        &self,
        fence: Fence,
        mut end: ChatEnd,
    ) -> Result<Vec<Committed>, Error> {
        encode::clean_maybe(&mut end.error);
        if !end.status.is_terminal() {
            let step = IllegalTransition { from: "active", to: end.status.as_str() };
            return Err(Conflict::Transition(step).into());
        }
        retrying!(Box::pin(self.finish_chat_once(fence, &end)))
    }

    async fn finish_chat_once(&self, fence: Fence, end: &ChatEnd) -> Result<Vec<Committed>, Error> {
        let session = fence.session_id;
        let mut tx = self.pool.begin().await?;
        numbers::take(&mut tx, fence, numbers::Wanted::default()).await?;
        let cancelled = ChatEnd { status: WorkStatus::Cancelled, error: None };
        let end = if is_cancel_requested(&mut tx, session).await? { &cancelled } else { end };
        // A turn that nobody has begun has none, and api-gateway, which cancels it, may not write them.
        actions::close(&mut tx, session).await?;
        let committed = close(&mut tx, session, end).await?;
        sqlx::query(
            "update session_control
             set owner_id = null, lease_expires_at = null, cancel_requested_at = null,
                lease_epoch = lease_epoch + 1
             where session_id = $1",
        )
        .bind(session.uuid())
        .execute(&mut *tx)
        .await?;
        overview::count_again(&mut tx, session).await?;
        tx.commit().await?;
        Ok(committed)
    }
}

/// Whether the open turn is to be cancelled. The control row is locked.
async fn is_cancel_requested(tx: &mut Connection, session: SessionId) -> Result<bool, Error> {
    let row = sqlx::query(
        "select cancel_requested_at is not null as requested
         from session_control where session_id = $1",
    )
    .bind(session.uuid())
    .fetch_one(tx)
    .await?;
    Cells::new(&row, "session_control").get("requested")
}

/// What a request to cancel did to a turn.
pub(crate) enum CancelledTurn {
    /// It was pending and has ended; the events are to be published.
    Ended(Vec<Committed>),
    /// Its owner has to end it.
    Requested,
}

/// Asks the turn of a session that is over to stop, if there is one. The control row is locked.
pub(crate) async fn cancel(
    tx: &mut Connection,
    session: SessionId,
) -> Result<Option<CancelledTurn>, Error> {
    match open_turn(tx, session).await? {
        None => Ok(None),
        Some(WorkStatus::Pending) => {
            let end = ChatEnd { status: WorkStatus::Cancelled, error: None };
            Ok(Some(CancelledTurn::Ended(close(tx, session, &end).await?)))
        }
        Some(_) => {
            sqlx::query(
                "update session_control
                 set cancel_requested_at = coalesce(cancel_requested_at, now())
                 where session_id = $1",
            )
            .bind(session.uuid())
            .execute(&mut *tx)
            .await?;
            suspended::wake_cancelled(tx, session).await?;
            Ok(Some(CancelledTurn::Requested))
        }
    }
}

/// Ends everything of a turn that is still open, and collects the events.
async fn close(
    tx: &mut Connection,
    session: SessionId,
    end: &ChatEnd,
) -> Result<Vec<Committed>, Error> {
    // A turn that completed leaves nothing open; if it did, that broke off.
    let (text, work) = match end.status {
        WorkStatus::Cancelled => (TimelineStatus::Cancelled, WorkStatus::Cancelled),
        WorkStatus::TimedOut => (TimelineStatus::TimedOut, WorkStatus::TimedOut),
        _ => (TimelineStatus::Failed, WorkStatus::Failed),
    };
    let error = end.error.as_deref();
    let mut bodies = finalize::close_events(tx, session, text).await?;
    finalize::close_executions(tx, session, work, error).await?;
    bodies.extend(finalize::close_stages(tx, session, end.status, error).await?);
    sqlx::query("update chats set last_interaction_at = now() where session_id = $1")
        .bind(session.uuid())
        .execute(&mut *tx)
        .await?;
    let committed =
        events::number(session, &bodies, numbers::take_more(tx, session, &bodies).await?)?;
    events::insert(tx, session, &committed).await?;
    Ok(committed)
}
