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
    /// Days after which a finished session is deleted
    #[default = 365]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub session_retention_days: u32,
    /// Days after which a session that a person has reviewed is deleted; investigations learn from these
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "`session_retention_days`"))]
    pub reviewed_session_retention_days: Option<u32>,
    /// Days after which a replay, or a recorded session, is deleted
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "`session_retention_days`"))]
    pub replay_retention_days: Option<u32>,
    /// Days after which the prompts and answers of a finished session's models are deleted; what the timeline shows stays
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "with the session"))]
    pub prompt_retention_days: Option<u32>,
    /// Days after which what the tools of a finished session returned is deleted; what the timeline shows stays, and the session
    /// cannot be replayed any more
    #[serde(with = "As::<Between<1, 36_500>>")]
    #[schemars(extend("x-default" = "with the session"))]
    pub tool_result_retention_days: Option<u32>,
    /// Days after which an alert of a source that belongs to no session is deleted
    #[default = 30]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub alert_retention_days: u32,
    /// Days after which a change of a system is deleted; a session keeps those that it was given
    #[default = 90]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub change_retention_days: u32,
    /// Days after which a dependency is deleted that nobody has reported again, see [topology.md](topology.md)
    #[default = 7]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub dependency_retention_days: u32,
    /// Days after which a finished notification, and a dead letter that was retried, is deleted
    #[default = 90]
    #[serde(with = "As::<Between<2, 36_500>>")]
    pub notification_retention_days: u32,
    /// Days after which the tokens of a day are deleted
    #[default = 90]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub usage_retention_days: u32,
    /// Days after which an entry of the audit log is deleted, where the owner of the database keeps it no longer
    #[default = 365]
    #[serde(with = "As::<Between<1, 36_500>>")]
    pub audit_retention_days: u32,
    /// How long an event is kept after its session has ended
    #[default(Duration::from_hours(1))]
    #[serde(with = "As::<Positive>")]
    pub event_ttl: Duration,
    /// How often old rows are deleted
    #[default(Duration::from_hours(12))]
    #[serde(with = "As::<Positive>")]
    pub cleanup_interval: Duration,
}
