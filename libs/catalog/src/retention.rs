//! The section `system.retention` of `tarsy.yaml`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::rule::{As, Between, Positive};

/// A word for several ages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RetentionPreset {
    /// What may be about people goes soon.
    Short,
}

/// What is deleted, and when.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// 90 days for sessions, 14 for prompts and results, 7 for alerts, 30 for records, where not written
    pub preset: Option<RetentionPreset>,
    /// Days that finished sessions are kept
    #[default = 365]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub session_retention_days: u32,
    /// The same of reviewed ones
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "`session_retention_days`"))]
    pub reviewed_session_retention_days: Option<u32>,
    /// The same of replays and recordings
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "`session_retention_days`"))]
    pub replay_retention_days: Option<u32>,
    /// Days that prompts and answers of finished sessions are kept; the timeline stays
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "with the session"))]
    pub prompt_retention_days: Option<u32>,
    /// Days that results of tools are kept, for replays; the timeline stays
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "with the session"))]
    pub tool_result_retention_days: Option<u32>,
    /// Days that alerts without a session are kept
    #[default = 30]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub alert_retention_days: u32,
    /// Days that a dependency is kept without another report, see [topology.md](topology.md)
    #[default = 7]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub dependency_retention_days: u32,
    /// Days that changes (a session keeps its own), finished notifications, retried dead letters and counts of tokens are
    /// kept
    #[default = 90]
    #[serde(with = "As::<Between<2, 36_500>>")]
    pub record_retention_days: u32,
    /// Days that the audit log is kept, or longer if the database's owner says so
    #[default = 365]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub audit_retention_days: u32,
    /// How long events are kept after the session's end
    #[default(Duration::from_hours(1))]
    #[serde(with = "As::<Positive>")]
    pub event_ttl: Duration,
}
