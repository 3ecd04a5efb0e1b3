//! The record of an investigation as it is replayed, saved and compared.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use utoipa::ToSchema;

use crate::alert::AlertFields;
use crate::change::Change;
use crate::dependency::Dependency;
use crate::trace::OfferedTool;

/// What an investigation received and answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RecordingView)]
pub struct Recording {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    pub alert: RecordedAlert,
    /// The resolved chain that ran, as `tarsy replay --chain` reads it.
    #[schema(value_type = Option<Object>)]
    pub chain: Value,
    /// What each tool server offered.
    pub servers: Vec<RecordedServer>,
    /// In the order of their numbers.
    pub calls: Vec<RecordedCall>,
    pub report: RecordedReport,
    pub usage: RecordedUsage,
}

/// An alert, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RecordedAlertView)]
pub struct RecordedAlert {
    pub data: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alert_type: Option<String>,
    pub received_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runbook_url: Option<String>,
    /// The text that the runbook had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runbook: Option<String>,
    /// What it states of itself apart from its text, without its fingerprint.
    #[serde(default, skip_serializing_if = "AlertFields::is_empty")]
    pub fields: AlertFields,
    /// What its investigation was given of changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What its investigation was given of dependencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<Dependency>,
}

/// What a tool server offered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RecordedServerView)]
pub struct RecordedServer {
    /// The server's id.
    pub server: String,
    /// Each tool once, in the order in which it was offered first.
    #[serde(default)]
    pub tools: Vec<OfferedTool>,
    /// Why it offered none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One call of a tool, with its whole result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = RecordedCallView)]
pub struct RecordedCall {
    /// Its number in the session, from 1, as the report cites it.
    pub number: i64,
    pub server: String,
    pub tool: String,
    #[schema(value_type = Object)]
    pub arguments: Value,
    /// completed, failed or unknown.
    #[schema(value_type = String, example = "completed")]
    pub status: CallStatus,
    /// The policy refused it: nothing was called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused_by_policy: bool,
    /// The whole text, masked.
    pub result: String,
}

/// What an investigation answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RecordedReportView)]
pub struct RecordedReport {
    /// Of a record that is brought in: `completed`, `failed`, `timed_out` or `cancelled`.
    #[schema(value_type = String, example = "completed")]
    pub status: SessionStatus,
    #[serde(default)]
    pub final_analysis: Option<String>,
    #[serde(default)]
    pub executive_summary: Option<String>,
    #[serde(default)]
    pub error_message: Option<String>,
}

/// What an investigation used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RecordedUsageView)]
pub struct RecordedUsage {
    /// Names of providers that were called, each once.
    #[serde(default)]
    pub providers: Vec<String>,
    /// Digests of the prompt templates in use, each once.
    #[serde(default)]
    pub prompt_versions: Vec<String>,
    /// Versions of TARSy, each once.
    #[serde(default)]
    pub tarsy_versions: Vec<String>,
    #[serde(default)]
    pub llm_calls: i64,
    #[serde(default)]
    pub input_tokens: i64,
    #[serde(default)]
    pub output_tokens: i64,
    #[serde(default)]
    pub total_tokens: i64,
    /// Whether providers left a part of the tokens out, which is estimated.
    #[serde(default)]
    pub tokens_estimated: bool,
    /// In millionths of a US dollar; none if no call has a price.
    #[serde(default)]
    pub cost_micro_usd: Option<i64>,
    #[serde(default)]
    pub duration_ms: Option<i64>,
}
