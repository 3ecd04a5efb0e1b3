//! What runs now and what waits for it.

use sqlx::postgres::PgRow;
use tarsy_contracts::session::{ActiveSession, ActiveSessions, QueuedSession};

use crate::cells::Cells;
use crate::error::Error;
use crate::store::Store;

/// How many running, and how many waiting, sessions are shown at most.
const AT_MOST: i64 = 1_000;

impl Store {
    /// What runs and what waits.
    #[tracing::instrument(name = "db.session.list_active", skip_all)]
    pub async fn list_active_sessions(&self) -> Result<ActiveSessions, Error> {
        let active = sqlx::query(
            "select id, alert_type, chain_id, status, author, created_at, started_at,
                current_stage_index, current_stage_id
             from alert_sessions
             where status in ('in_progress', 'cancelling') and deleted_at is null
             order by created_at desc, id desc limit $1",
        )
        .bind(AT_MOST)
        .fetch_all(&self.pool)
        .await?;
        let queued = sqlx::query(
            "select id, alert_type, chain_id, status, author, created_at,
                row_number() over (order by created_at, id) as queue_position
             from alert_sessions where status = 'pending' and deleted_at is null
             order by created_at, id limit $1",
        )
        .bind(AT_MOST)
        .fetch_all(&self.pool)
        .await?;
        Ok(ActiveSessions {
            active: active.iter().map(active_session).collect::<Result<_, _>>()?,
            queued: queued.iter().map(queued_session).collect::<Result<_, _>>()?,
        })
    }
}

fn active_session(row: &PgRow) -> Result<ActiveSession, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(ActiveSession {
        id: cells.id("id")?,
        alert_type: cells.maybe_text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        status: cells.word("status")?,
        author: cells.maybe_text("author")?,
        created_at: cells.time("created_at")?,
        started_at: cells.maybe_time("started_at")?,
        current_stage_index: cells.get("current_stage_index")?,
        current_stage_id: cells.maybe_id("current_stage_id")?,
    })
}

fn queued_session(row: &PgRow) -> Result<QueuedSession, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(QueuedSession {
        id: cells.id("id")?,
        alert_type: cells.maybe_text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        status: cells.word("status")?,
        author: cells.maybe_text("author")?,
        created_at: cells.time("created_at")?,
        queue_position: cells.get("queue_position")?,
    })
}
