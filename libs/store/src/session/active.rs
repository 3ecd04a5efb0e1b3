//! What runs now and what waits for it.

use sqlx::postgres::PgRow;
use tarsy_contracts::alert::AlertSummary;
use tarsy_contracts::session::{ActiveSession, ActiveSessions, QueuedSession};

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;
use crate::session::session_list::{MAX_EARLIER, earlier, earlier_sessions};
use crate::work::suspended::waits_for_approval;

/// How many running, and how many waiting, sessions are shown at most.
const AT_MOST: i64 = 1_000;

impl Store {
    /// What runs and what waits.
    #[tracing::instrument(name = "db.session.list_active", skip_all)]
    pub async fn list_active_sessions(&self) -> Result<ActiveSessions, Error> {
        let active = sqlx::query(
            concat!(
                "select s.id, s.alert_type, s.chain_id, s.status, s.author, s.created_at, s.started_at,
                    s.current_stage_index, s.current_stage_id, s.title, s.severity, s.service, s.namespace, s.cluster,
                    s.links, s.fingerprint, e.earlier, e.last_session_id, ",
                waits_for_approval!(),
                "
                 from (
                    select * from alert_sessions where status in ('in_progress', 'cancelling') and deleted_at is null
                    order by created_at desc, id desc limit $1
                 ) s ",
                earlier!("$2"),
                " order by s.created_at desc, s.id desc"
            ),
        )
        .bind(AT_MOST)
        .bind(MAX_EARLIER)
        .fetch_all(&self.pool)
        .await?;
        let queued = sqlx::query(
            concat!(
                "select s.id, s.alert_type, s.chain_id, s.status, s.author, s.created_at,
                    row_number() over (order by s.created_at, s.id) as queue_position, s.title, s.severity, s.service,
                    s.namespace, s.cluster, s.links, s.fingerprint, e.earlier, e.last_session_id
                 from (
                    select * from alert_sessions where status = 'pending' and deleted_at is null
                    order by created_at, id limit $1
                 ) s ",
                earlier!("$2"),
                " order by s.created_at, s.id"
            ),
        )
        .bind(AT_MOST)
        .bind(MAX_EARLIER)
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
        waiting_for_approval: cells.get("waiting_for_approval")?,
        author: cells.maybe_text("author")?,
        created_at: cells.time("created_at")?,
        started_at: cells.maybe_time("started_at")?,
        current_stage_index: cells.get("current_stage_index")?,
        current_stage_id: cells.maybe_id("current_stage_id")?,
        alert: alert(&cells)?,
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
        alert: alert(&cells)?,
    })
}

fn alert(cells: &Cells<'_>) -> Result<AlertSummary, Error> {
    Ok(AlertSummary {
        title: cells.maybe_text("title")?,
        severity: cells.maybe_text("severity")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
        links: cells.maybe_decoded("links")?.unwrap_or_default(),
        fingerprint: cells.maybe_text("fingerprint")?,
        earlier_sessions: earlier_sessions(cells)?,
    })
}
