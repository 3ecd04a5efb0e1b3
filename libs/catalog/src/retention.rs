//! The section `system.retention` of `tarsy.yaml`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::rule::{As, Between, Positive};

/// What is deleted, and when.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days that finished sessions are kept
    #[default = 365]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub session_retention_days: u32,
    /// Days that reviewed ones are kept, from which others learn
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "`session_retention_days`"))]
    pub reviewed_session_retention_days: Option<u32>,
    /// Days that replays and recorded sessions are kept
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "`session_retention_days`"))]
    pub replay_retention_days: Option<u32>,
    /// Days that prompts and answers of finished sessions are kept; the timeline stays
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "with the session"))]
    pub prompt_retention_days: Option<u32>,
    /// Days that results of tools are kept, without which there is no replay; the timeline stays
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "with the session"))]
    pub tool_result_retention_days: Option<u32>,
    /// Days that alerts without a session are kept
    #[default = 30]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub alert_retention_days: u32,
    /// Days that changes are kept; a session keeps its own
    #[default = 90]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub change_retention_days: u32,
    /// Days that a dependency is kept without another report, see [topology.md](topology.md)
    #[default = 7]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub dependency_retention_days: u32,
    /// Days that finished notifications and retried dead letters are kept
    #[default = 90]
    #[serde(with = "As::<Between<2, 36_500>>")]
    pub notification_retention_days: u32,
    /// Days that counts of tokens are kept
    #[default = 90]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub usage_retention_days: u32,
    /// Days that the audit log is kept, or longer if the database's owner says so
    #[default = 365]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub audit_retention_days: u32,
    /// How long events are kept after the session's end
    #[default(Duration::from_hours(1))]
    #[serde(with = "As::<Positive>")]
    pub event_ttl: Duration,
    /// How often old rows are deleted
    #[default(Duration::from_hours(12))]
    #[serde(with = "As::<Positive>")]
    pub cleanup_interval: Duration,
}
