//! The events of a session, as a browser reads them.
//!
//! A persistent event is stored in the table `events` and carries `db_event_id`, its gapless number
//! within the session; the store adds that (and a timeline event's `sequence_number`) in the same
//! statement that takes the number.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::claim::CheckedText;
use tarsy_domain::event::InteractionKind;
use tarsy_domain::id::{
    ChatId, ChatMessageId, ClaimCheckId, ExecutionId, InteractionId, ScoreId, SessionId, StageId,
    TimelineEventId, TriageEntryId, VerdictId,
};
use tarsy_domain::score::ScoreStatus;
use tarsy_domain::status::{SessionStatus, StageEventStatus, WorkStatus};
use tarsy_domain::triage::Triage;

use crate::timeline::{EndTimelineEvent, NewTimelineEvent};

/// One event on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub session_id: SessionId,
    pub timestamp: Timestamp,
    #[serde(flatten)]
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Body {
    /// A timeline event began, or happened at once.
    #[serde(rename = "timeline_event.created")]
    TimelineCreated {
        #[serde(flatten)]
        event: NewTimelineEvent,
        /// Its place in the session; filled in by the store.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        sequence_number: Option<i64>,
    },
    /// A timeline event is over; the content is whole.
    #[serde(rename = "timeline_event.completed")]
    TimelineCompleted(EndTimelineEvent),
    #[serde(rename = "session.status")]
    SessionStatus { status: SessionStatus },
    #[serde(rename = "stage.status")]
    StageStatus {
        stage_id: StageId,
        stage_name: String,
        /// Its position in the chain, from 1.
        stage_index: i32,
        status: StageEventStatus,
        /// The stage whose findings a synthesis joins; only in the event that starts the stage.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        joins_stage_id: Option<StageId>,
    },
    #[serde(rename = "chat.created")]
    ChatCreated { chat_id: ChatId, created_by: String },
    /// A question was asked.
    #[serde(rename = "chat.user_message")]
    ChatUserMessage { chat_id: ChatId, message_id: ChatMessageId, content: String, author: String },
    /// An LLM call or a tool call was recorded.
    #[serde(rename = "interaction.created")]
    InteractionCreated {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        stage_id: Option<StageId>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        execution_id: Option<ExecutionId>,
        interaction_id: InteractionId,
        interaction_type: InteractionKind,
    },
    /// A text was compared with the results of calls; its claims can be read.
    #[serde(rename = "claims.checked")]
    ClaimsChecked {
        check_id: ClaimCheckId,
        text: CheckedText,
        /// None for the executive summary.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        execution_id: Option<ExecutionId>,
        /// The timeline event whose content the text is; none for a conclusion that its agent was asked to correct.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        timeline_event_id: Option<TimelineEventId>,
        claims: i32,
        /// How many of them a result shows.
        verified: i32,
    },
    /// The session has its verdict; it can be read with the session.
    #[serde(rename = "verdict.recorded")]
    VerdictRecorded { verdict_id: VerdictId },
    /// A score was asked for, or has ended; it can be read with the session.
    #[serde(rename = "session.score")]
    SessionScore {
        score_id: ScoreId,
        status: ScoreStatus,
        /// From 0 to 100, once it is completed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        score: Option<u8>,
    },
    /// The state of work changed, or somebody wrote a note; the entry can be read with the session's triage.
    #[serde(rename = "session.triage")]
    SessionTriage {
        entry_id: TriageEntryId,
        /// The state of work after it.
        triage: Triage,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        assignee: Option<String>,
    },
}

/// The [`Body::kind`] of a change of the state of work.
pub const TRIAGE_EVENT: &str = "session.triage";

impl Body {
    pub fn stage(stage_id: StageId, name: &str, index: i32, status: WorkStatus) -> Self {
        Self::StageStatus {
            stage_id,
            stage_name: name.to_owned(),
            stage_index: index + 1,
            status: status.stage_event_status(),
            joins_stage_id: None,
        }
    }

    /// The start of a stage; a synthesis names the stage whose findings it joins.
    pub fn stage_started(
        stage_id: StageId,
        name: &str,
        index: i32,
        joins_stage_id: Option<StageId>,
    ) -> Self {
        Self::StageStatus {
            stage_id,
            stage_name: name.to_owned(),
            stage_index: index + 1,
            status: WorkStatus::Active.stage_event_status(),
            joins_stage_id,
        }
    }

    /// The event's type, as it stands in `type` on the wire.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::TimelineCreated { .. } => "timeline_event.created",
            Self::TimelineCompleted(_) => "timeline_event.completed",
            Self::SessionStatus { .. } => "session.status",
            Self::StageStatus { .. } => "stage.status",
            Self::ChatCreated { .. } => "chat.created",
            Self::ChatUserMessage { .. } => "chat.user_message",
            Self::InteractionCreated { .. } => "interaction.created",
            Self::ClaimsChecked { .. } => "claims.checked",
            Self::VerdictRecorded { .. } => "verdict.recorded",
            Self::SessionScore { .. } => "session.score",
            Self::SessionTriage { .. } => TRIAGE_EVENT,
        }
    }
}

/// A persistent event that is committed and may be published: exactly the bytes that browsers get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    pub session_id: SessionId,
    /// Its gapless number within the session.
    pub seq: i64,
    pub kind: String,
    /// The JSON text, `db_event_id` included.
    pub payload: String,
}

impl Committed {
    /// The de-duplication key of its publication.
    pub fn message_id(&self) -> String {
        format!("{}:{}", self.session_id, self.seq)
    }
}

/// What a reader needs to know of a persistent event to put it in order.
#[derive(Clone, Debug, Deserialize)]
pub struct EventHead {
    pub session_id: SessionId,
    /// Its gapless number within the session; none on transient copies.
    #[serde(default)]
    pub db_event_id: Option<i64>,
    #[serde(rename = "type")]
    pub kind: String,
    /// The timeline event it concerns, if any.
    #[serde(default)]
    pub event_id: Option<TimelineEventId>,
    /// The status it reports, if any.
    #[serde(default)]
    pub status: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_flat_on_the_wire() {
        let id = SessionId::new();
        let event = Event {
            session_id: id,
            timestamp: "2026-01-02T03:04:05.000000006Z".parse().unwrap(),
            body: Body::SessionStatus { status: SessionStatus::InProgress },
        };
        let json = serde_json::to_string(&event).unwrap();
        assert_eq!(
            json,
            format!(
                "{{\"session_id\":\"{id}\",\"timestamp\":\"2026-01-02T03:04:05.000000006Z\",\
                 \"type\":\"session.status\",\"status\":\"in_progress\"}}"
            )
        );
        assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
    }

    #[test]
    fn the_type_on_the_wire_is_the_kind() {
        let body = Body::stage(StageId::new(), "triage", 0, WorkStatus::Active);
        let json = serde_json::to_value(&body).unwrap();
        assert_eq!(json["type"], body.kind());
        assert_eq!(json["stage_index"], 1);
        assert_eq!(json["status"], "started");
    }
}
