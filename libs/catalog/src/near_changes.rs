//! The section `defaults.changes` of `tarsy.yaml`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::rule::{As, Between, Positive};

/// What investigations are given of changes near their alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct NearChanges {
    /// How long before the alert at most
    #[default(Duration::from_hours(2))]
    #[serde(with = "As::<Positive>")]
    pub window: Duration,
    /// How many at most; 0 for none, also without the tool `changes`
    #[default = 20]
    #[serde(with = "As::<Between<0, 50>>")]
    pub most: u32,
}

impl NearChanges {
    pub(crate) fn resolved(self) -> ResolvedChanges {
        let window_ms = u64::try_from(self.window.as_millis()).unwrap_or(u64::MAX);
        ResolvedChanges { window_ms, most: self.most }
    }
}

/// Which changes near an alert an investigation is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedChanges {
    /// How long before the alert they happened at most.
    pub window_ms: u64,
    /// The most of them; 0 for none.
    pub most: u32,
}

impl Default for ResolvedChanges {
    fn default() -> Self {
        NearChanges::default().resolved()
    }
}
