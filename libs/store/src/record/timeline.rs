//! The timeline: one order for the whole session.

use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::Body;
use tarsy_contracts::timeline::{EndTimelineEvent, TimelineEvent};
use tarsy_domain::id::{ExecutionId, SessionId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// An event of a timeline, with what is known of its call.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEvent {
    pub event: TimelineEvent,
    /// The tool call that the event shows; none for events of other kinds.
    pub call: Option<HistoryCall>,
}

/// A tool call as its record has it.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryCall {
    /// Its number in the session, from 1.
    pub number: i64,
    pub server_name: String,
    pub tool_name: Option<String>,
    pub arguments: Option<Value>,
    /// The text that replaces the result, if it was summarized.
    pub summary: Option<String>,
}

/// The events of a [`HistoryEvent`] with their calls and summaries; the condition follows.
macro_rules! history {
    () => {
        "select t.id, t.session_id, t.stage_id, t.execution_id, t.sequence_number, t.event_type, \
            t.status, t.content, t.metadata, t.created_at, t.updated_at, m.call_number, \
            m.server_name, m.tool_name, m.tool_arguments, s.content as summary \
         from timeline_events t \
            left join mcp_interactions m on m.timeline_event_id = t.id \
            left join summaries u on u.mcp_interaction_id = m.id \
            left join timeline_events s on s.id = u.timeline_event_id and s.status = 'completed'"
    };
}

fn history_event(row: &PgRow) -> Result<HistoryEvent, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    let number: Option<i64> = cells.get("call_number")?;
    let call = |number| {
        Ok::<_, Error>(HistoryCall {
            number,
            server_name: cells.text("server_name")?,
            tool_name: cells.maybe_text("tool_name")?,
            arguments: cells.maybe_json("tool_arguments")?,
            summary: cells.maybe_text("summary")?,
        })
    };
    Ok(HistoryEvent { event: read(row)?, call: number.map(call).transpose()? })
}

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

    /// A session's timeline in order, with what its calls asked for.
    #[tracing::instrument(name = "db.timeline.list_history", skip_all)]
    pub async fn list_history(&self, session: SessionId) -> Result<Vec<HistoryEvent>, Error> {
        sqlx::query(concat!(history!(), " where t.session_id = $1 order by t.sequence_number"))
            .bind(session.uuid())
            .fetch_all(&self.pool)
            .await?
            .iter()
            .map(history_event)
            .collect()
    }

    /// What one agent's execution put on the timeline, in order, with what its calls asked for.
    #[tracing::instrument(name = "db.timeline.list_execution_history", skip_all)]
    pub async fn list_execution_history(
        &self,
        execution: ExecutionId,
    ) -> Result<Vec<HistoryEvent>, Error> {
        sqlx::query(concat!(history!(), " where t.execution_id = $1 order by t.sequence_number"))
            .bind(execution.uuid())
            .fetch_all(&self.pool)
            .await?
            .iter()
            .map(history_event)
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
