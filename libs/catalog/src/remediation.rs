//! The block `remediation` of a chain.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::limits::millis;
use crate::rule::{As, Between, Positive};

/// How long after a call the last check of its effect begins at most.
const DEADLINE: Duration = Duration::from_mins(3);

/// Whether agents of type `action` change something, and how their calls are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Remediation {
    /// Whether they may ask people to approve calls that change something
    pub enabled: bool,
    /// How long after a call its effect is checked first; the next checks follow after four thirds of that, for 3m
    #[default(Duration::from_secs(15))]
    #[serde(with = "As::<Positive>")]
    pub initial_delay: Duration,
    /// How often it is checked at most, until it is there
    #[default = 3]
    #[serde(with = "As::<Between<1, 20>>")]
    pub checks: u32,
}

impl Remediation {
    pub(crate) fn resolved(self) -> ResolvedRemediation {
        ResolvedRemediation {
            enabled: self.enabled,
            initial_delay_ms: millis(self.initial_delay),
            checks: self.checks,
            pause_ms: millis(self.initial_delay * 4 / 3),
            deadline_ms: millis(DEADLINE.max(self.initial_delay)),
        }
    }
}

/// How an agent of type `action` works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedRemediation {
    /// Whether it may ask people to approve calls that change something.
    pub enabled: bool,
    /// How long after a call its effect is checked first.
    pub initial_delay_ms: u64,
    /// How often it is checked at most.
    pub checks: u32,
    /// The time between two checks.
    pub pause_ms: u64,
    /// How long after a call the last check begins at most.
    pub deadline_ms: u64,
}
