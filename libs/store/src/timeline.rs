//! The timeline: one order for the whole session.

use sqlx::postgres::PgRow;
use tarsy_contracts::event::Body;
use tarsy_contracts::timeline::{EndTimelineEvent, TimelineEvent};
use tarsy_domain::id::{ExecutionId, SessionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;

use crate::cells::Cells;
use crate::error::Error;
use crate::store::Store;

pub(crate) fn read(row: &PgRow) -> Result<TimelineEvent, Error> {
    let cells = Cells::new(row, "timeline_events");
    Ok(TimelineEvent {
        id: cells.id("id")?,
        session_id: cells.id("session_id")?,
        stage_id: cells.maybe_id("stage_id")?,
        execution_id: cells.maybe_id("execution_id")?,
        sequence_number: cells.get("sequence_number")?,
        kind: cells.word("event_type")?,
        status: cells.word("status")?,
        content: cells.text("content")?,
        metadata: cells.maybe_json("metadata")?,
        created_at: cells.time("created_at")?,
        updated_at: cells.time("updated_at")?,
    })
}

impl Store {
    /// A session's timeline in order, after a place and up to a number of events; all of it without.
    #[tracing::instrument(name = "db.timeline.list", skip_all)]
    pub async fn list_timeline(
        &self,
        session: SessionId,
        after: Option<i64>,
        limit: Option<i64>,
    ) -> Result<Vec<TimelineEvent>, Error> {
        sqlx::query(
            "select id, session_id, stage_id, execution_id, sequence_number, event_type, status,
                content, metadata, created_at, updated_at
             from timeline_events
             where session_id = $1 and sequence_number > coalesce($2, 0)
             order by sequence_number limit $3",
        )
        .bind(session.uuid())
        .bind(after)
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// Which of these events of a session are still open.
    #[tracing::instrument(name = "db.timeline.list_streaming", skip_all)]
    pub async fn list_streaming_events(
        &self,
        session: SessionId,
        ids: &[TimelineEventId],
    ) -> Result<Vec<TimelineEventId>, Error> {
        let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
        sqlx::query(
            "select id from timeline_events
             where session_id = $1 and id = any($2) and status = $3",
        )
        .bind(session.uuid())
        .bind(ids)
        .bind(TimelineStatus::Streaming.as_str())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(|row| Cells::new(row, "timeline_events").id("id"))
        .collect()
    }

    /// What one agent's execution put on the timeline, in order.
    #[tracing::instrument(name = "db.timeline.list_of_execution", skip_all)]
    pub async fn list_execution_timeline(
        &self,
        execution: ExecutionId,
    ) -> Result<Vec<TimelineEvent>, Error> {
        sqlx::query(
            "select id, session_id, stage_id, execution_id, sequence_number, event_type, status,
                content, metadata, created_at, updated_at
             from timeline_events where execution_id = $1 order by sequence_number",
        )
        .bind(execution.uuid())
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }
}

/// What the end of a timeline event tells, from its row.
pub(crate) fn ended(row: &PgRow, status: TimelineStatus) -> Result<Body, Error> {
    let cells = Cells::new(row, "timeline_events");
    Ok(Body::TimelineCompleted(EndTimelineEvent {
        id: cells.id("id")?,
        kind: cells.word("event_type")?,
        status,
        content: cells.text("content")?,
        metadata: cells.maybe_json("metadata")?,
    }))
}
