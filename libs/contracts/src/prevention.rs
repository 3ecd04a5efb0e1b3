//! What would prevent alerts and failures: what came again and again in a week, beside the week before.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use utoipa::ToSchema;

/// A week, and the week before. Deleted sessions, replays and records do not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Prevention {
    /// The week by ISO 8601, such as `2026-W48`; none of the last seven days.
    pub week: Option<String>,
    /// The whole week before.
    pub previous_week: String,
    /// The whole week after; none if it has not begun.
    pub next_week: Option<String>,
    pub from: Timestamp,
    pub to: Timestamp,
    /// Sessions of alerts that ended.
    pub sessions: i64,
    /// The same of the week before.
    pub sessions_before: i64,
    /// Whether only the newest 20,000 sessions of each week are looked at.
    pub is_cut: bool,
    /// Causes of at least two sessions, at most 20.
    pub causes: Vec<RecurringCause>,
    /// Alerts of at least two sessions, all without a fault, at most 20.
    pub alerts: Vec<NeedlessAlert>,
    /// Tools with the most failed calls, at most 20.
    pub tools: Vec<UnreliableTool>,
    /// Sources whose requests were refused or not understood, at most 20.
    pub sources: Vec<UnreadSource>,
}

/// A cause that came again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecurringCause {
    /// The kind of cause as reviews and verdicts have it, such as `out_of_memory`.
    pub category: String,
    /// `Pod`, `Deployment`, `host` …; empty of an object that a reviewer named.
    pub object_kind: String,
    /// Without what differs between the pods of a workload; empty if no result names it.
    pub object: String,
    pub namespace: Option<String>,
    /// The cause of the newest session, in its words.
    pub cause: String,
    pub sessions: i64,
    pub sessions_before: i64,
    /// How many of both were reviewed.
    pub reviewed: i64,
    /// Calls of both that were to change something and were made.
    pub actions: i64,
    /// Those that worked.
    pub actions_worked: i64,
    pub last_at: Timestamp,
    #[schema(value_type = Uuid)]
    pub last_session_id: SessionId,
}

/// An alert without a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NeedlessAlert {
    /// Alerts with the same fingerprint report the same problem; none if it has none.
    pub fingerprint: Option<String>,
    pub alert_type: Option<String>,
    pub title: Option<String>,
    pub sessions: i64,
    pub sessions_before: i64,
    /// How many of both a person reviewed.
    pub reviewed: i64,
    pub last_at: Timestamp,
    #[schema(value_type = Uuid)]
    pub last_session_id: SessionId,
}

/// The calls of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnreliableTool {
    pub server: String,
    pub tool: String,
    pub calls: i64,
    pub failed: i64,
    pub calls_before: i64,
    pub failed_before: i64,
    /// What kind of error the last one was: `timeout`, `unreachable`, `denied`, `not_found`, `rate_limit`, `arguments`, `server`
    /// or `other`; none if its record is gone.
    #[schema(example = "timeout")]
    pub last_error_kind: Option<String>,
    /// The beginning of its message.
    pub last_error: Option<String>,
    #[schema(value_type = Option<Uuid>)]
    pub last_session_id: Option<SessionId>,
}

/// A source of alerts that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnreadSource {
    /// As its requests named it; empty for those beyond the number that is listed by name.
    pub source: String,
    /// Requests from which no alert could be read.
    pub not_understood: i64,
    pub not_understood_before: i64,
    /// Requests that were refused.
    pub refused: i64,
    pub refused_before: i64,
    /// Why, the most frequent reason first: `unknown_source`, `unverified`, `too_large`, `broken`, `busy`.
    pub refusal_reasons: Vec<String>,
    pub last_at: Timestamp,
}
