//! Wake-ups and controls: hints that there is something to do. The row is authoritative.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::id::{ExecutionId, SessionId, StageId, SummaryId, TimelineEventId};

use crate::alert::AlertFields;

/// A session may be claimed; any pending row will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionWakeUp {
    pub session_id: SessionId,
}

/// A question may be claimed; any pending turn of a chat will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatWakeUp {
    /// The session that the question is about.
    pub session_id: SessionId,
}

/// A summary may be claimed; any pending row will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryWakeUp {
    pub summary_id: SummaryId,
}

/// What a summary is made of, as it stands in its row; the tool's result lies beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryRequest {
    /// The stage whose agent made the call.
    pub stage_id: StageId,
    /// The agent's execution; its conversation is the context.
    pub execution_id: ExecutionId,
    pub tool_event_id: TimelineEventId,
    pub server_name: String,
    pub tool_name: String,
    /// The call's number within the session.
    pub call_number: i64,
    /// How long the result is, in tokens.
    pub original_tokens: u64,
    /// The most tokens that the summary may have.
    pub max_tokens: u32,
    /// The question that the agent answers; none in an investigation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub question: Option<String>,
    /// The resolved provider, as the session's snapshot has it; it names secrets and holds none.
    pub provider: Value,
    /// The providers that take over, in order, each like `provider`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fallbacks: Vec<Value>,
    /// The longest time of one attempt.
    pub timeout_ms: u64,
    /// The longest time to the first token of an attempt; none is `timeout_ms`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_token_timeout_ms: Option<u64>,
    /// The longest time between two tokens of an attempt; none is `timeout_ms`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idle_timeout_ms: Option<u64>,
}

/// A summary is finished; a hint, the row is authoritative.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryFinished {}

/// Asks the owner of a session to stop; its status is `cancelling` already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    pub session_id: SessionId,
}

/// Asks every service to start again with the configuration as it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reload {
    /// Of the request; services of one process hear it several times.
    pub id: String,
}

/// An alert that was taken in while PostgreSQL could not be reached.
///
/// It is stored later, once, under the id that its sender was told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kept", rename_all = "snake_case")]
pub enum Intake {
    /// The alert itself.
    Inline { alert: Box<IntakeAlert> },
    /// The alert's JSON lies in the object store.
    Blob {
        session_id: SessionId,
        /// Where it lies.
        name: String,
    },
}

/// The key under which a principal submits one alert, however often it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotencyKey {
    /// Who sent it: keys of different principals are different.
    pub principal: String,
    pub key: String,
    /// The SHA-256 of the request, in hexadecimal digits: the same key with another request is an error.
    pub request_hash: String,
}

/// What such an alert becomes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntakeAlert {
    /// The session; its sender knows this id.
    pub session_id: SessionId,
    /// The alert, masked.
    pub alert_data: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub alert_type: Option<String>,
    /// The chain that will investigate it.
    pub chain_id: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub author: Option<String>,
    /// Who pays for it: a user or an API token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub principal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runbook_url: Option<String>,
    /// The tools it is restricted to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mcp_selection: Option<Value>,
    /// The provider that its sender chose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub requested_provider: Option<String>,
    /// The Slack message it came from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slack_message_fingerprint: Option<String>,
    /// What its sender states about it.
    #[serde(skip_serializing_if = "AlertFields::is_empty", default)]
    pub fields: AlertFields,
    /// The key under which it is taken in once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idempotency: Option<IdempotencyKey>,
    /// The resolved configuration that the session keeps.
    pub config_snapshot: Value,
}
