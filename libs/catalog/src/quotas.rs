//! What senders may use: the section `system.limits` of `tarsy.yaml`.

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::rule::{As, AtLeast};

/// What senders may use; 0 switches a limit off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Alerts of one sender a minute
    #[default = 600]
    #[serde(with = "As::<AtLeast<0>>")]
    pub alerts_per_minute: u32,
    /// Questions of one sender a minute
    #[default = 60]
    #[serde(with = "As::<AtLeast<0>>")]
    pub questions_per_minute: u32,
    /// Requests with changes of one sender or source a minute
    #[default = 600]
    #[serde(with = "As::<AtLeast<0>>")]
    pub changes_per_minute: u32,
    /// Open WebSockets of one sender in one api-gateway
    #[default = 500]
    #[serde(with = "As::<AtLeast<0>>")]
    pub open_websockets: u32,
    /// Sessions that may wait; beyond that alerts are refused
    #[default = 1_000]
    #[serde(with = "As::<AtLeast<0>>")]
    pub pending_sessions: u32,
    /// Tokens of models a day (UTC), of all senders, see *Budgets*
    #[serde(with = "As::<AtLeast<0>>")]
    pub daily_tokens: u32,
    /// The same of each sender
    #[serde(with = "As::<AtLeast<0>>")]
    pub daily_tokens_per_sender: u32,
}

impl Limits {
    /// A limit, or none if it is off.
    pub const fn on(limit: u32) -> Option<u32> {
        if limit == 0 { None } else { Some(limit) }
    }
}
