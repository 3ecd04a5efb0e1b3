//! The weekly message about what would prevent alerts.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::cron;
use crate::rule::{As, CronExpression, NotBlank};

/// What came again in the last week, once a week.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct PreventionMessage {
    /// Names of destinations that are sent, once a week, what came again in the last one, see
    /// [postmortem.md](postmortem.md#prevention); no message if nothing did
    #[schemars(extend("x-default" = "none"))]
    pub destinations: Vec<String>,
    /// When it is sent, as cron has it; the first time of a week counts
    #[default = "0 9 * * 1"]
    #[serde(with = "As::<CronExpression>")]
    pub cron: String,
    /// The time zone of `cron`, by its name in the IANA database
    #[default = "UTC"]
    #[serde(with = "As::<NotBlank>")]
    pub time_zone: String,
}

impl PreventionMessage {
    /// The last time until `time`, itself included; none if nobody is sent it.
    pub fn last_until(&self, time: Timestamp) -> Option<Timestamp> {
        let last = || cron::last_until(&self.cron, &self.time_zone, time);
        (!self.destinations.is_empty()).then(last).flatten()
    }
}
