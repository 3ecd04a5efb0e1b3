//! Timeline events: as they begin, as they end, and as the table has them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ExecutionId, SessionId, StageId, TimelineEventId};
use tarsy_domain::status::TimelineStatus;
use utoipa::ToSchema;

/// A timeline event that begins, or happens at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewTimelineEvent {
    #[serde(rename = "event_id")]
    pub id: TimelineEventId,
    /// Its stage; none for the session's own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stage_id: Option<StageId>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub execution_id: Option<ExecutionId>,
    #[serde(rename = "event_type")]
    pub kind: TimelineKind,
    /// `streaming`, or `completed` when it happens at once.
    pub status: TimelineStatus,
    /// Its text so far.
    pub content: String,
    /// Data of its kind.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metadata: Option<Value>,
}

/// The end of a streaming timeline event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndTimelineEvent {
    #[serde(rename = "event_id")]
    pub id: TimelineEventId,
    #[serde(rename = "event_type")]
    pub kind: TimelineKind,
    pub status: TimelineStatus,
    /// Its whole text.
    pub content: String,
    /// Merged into what the row has; the event carries it as given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metadata: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = EventView)]
pub struct TimelineEvent {
    #[schema(value_type = Uuid)]
    pub id: TimelineEventId,
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// Its stage; none for the session's own.
    #[schema(value_type = Option<Uuid>)]
    pub stage_id: Option<StageId>,
    /// Its agent's execution.
    #[schema(value_type = Option<Uuid>)]
    pub execution_id: Option<ExecutionId>,
    /// Its place in the session.
    pub sequence_number: i64,
    #[serde(rename = "event_type")]
    #[schema(value_type = String, example = "llm_response")]
    pub kind: TimelineKind,
    /// How far it has come.
    #[schema(value_type = String, example = "completed")]
    pub status: TimelineStatus,
    pub content: String,
    /// What belongs to its kind.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
