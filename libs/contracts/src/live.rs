//! What flows and is never stored: text as it is written, and progress.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::{ExecutionId, SessionId, StageId, TimelineEventId};
use tarsy_domain::score::ScoreStatus;
use tarsy_domain::status::{Phase, SessionStatus, WorkStatus};
use tarsy_domain::triage::Triage;

/// A transient event, on the wire as any other event but without `db_event_id`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Live {
    pub session_id: SessionId,
    pub timestamp: Timestamp,
    #[serde(flatten)]
    pub body: LiveBody,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum LiveBody {
    /// More text of a timeline event.
    #[serde(rename = "stream.chunk")]
    Chunk {
        event_id: TimelineEventId,
        /// The text that came.
        delta: String,
        /// Where it starts in the event's text, in bytes of UTF-8.
        offset: u64,
    },
    /// A copy of a session's status change, for the session list.
    #[serde(rename = "session.status")]
    SessionStatus { status: SessionStatus },
    /// A copy of a change of the state of work, for the session list.
    #[serde(rename = "session.triage")]
    SessionTriage { triage: Triage },
    /// A copy of the end of a score, for the session list.
    #[serde(rename = "session.score")]
    SessionScore { status: ScoreStatus },
    /// How far a session's chain has come, for the list.
    #[serde(rename = "session.progress")]
    SessionProgress {
        /// The stage being worked on.
        current_stage_name: String,
        /// Its place, from 1.
        current_stage_index: i32,
        total_stages: i32,
        /// Agents at work.
        active_executions: i32,
        /// One line for a person.
        status_text: String,
    },
    /// What an agent is doing.
    #[serde(rename = "execution.progress")]
    ExecutionProgress {
        stage_id: StageId,
        execution_id: ExecutionId,
        phase: Phase,
        /// One line for a person.
        message: String,
        /// The timeline event that it is about, where it is about one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        event_id: Option<TimelineEventId>,
    },
    #[serde(rename = "execution.status")]
    ExecutionStatus {
        stage_id: StageId,
        execution_id: ExecutionId,
        /// Its place within the stage, from 1.
        agent_index: i32,
        status: WorkStatus,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error_message: Option<String>,
    },
}

/// Asks the owner of a session for the text that is still streaming.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotRequest {}

/// The text that is still streaming.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// One entry for each timeline event that is not over.
    pub streams: Vec<StreamingText>,
    /// How many others write for the session and may answer, too: only its owner knows.
    #[serde(default)]
    pub others: u32,
}

/// The text of one timeline event so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamingText {
    pub event_id: TimelineEventId,
    /// All of its text so far; the next chunk's offset is this text's length in bytes.
    pub content: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_names_its_event_and_offset() {
        let live = Live {
            session_id: SessionId::new(),
            timestamp: Timestamp::UNIX_EPOCH,
            body: LiveBody::Chunk {
                event_id: TimelineEventId::new(),
                delta: "é".to_owned(),
                offset: 7,
            },
        };
        let json = serde_json::to_value(&live).unwrap();
        assert_eq!(json["type"], "stream.chunk");
        assert_eq!(json["offset"], 7);
        assert!(json.get("db_event_id").is_none());
    }
}
