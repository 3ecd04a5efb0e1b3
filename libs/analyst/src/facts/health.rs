//! The types of what programs report of their own health.

use super::host::Place;
use crate::verdict::Target;

/// What a program reports of itself.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    pub(crate) object: Target,
    /// The endpoint that it was asked at; empty for what reports by itself.
    pub(crate) path: String,
    pub(crate) state: HealthState,
    /// The status code of its answer, if that alone has the state.
    pub(crate) code: Option<u16>,
    /// What it names as not healthy.
    pub(crate) parts: Vec<Part>,
    pub(crate) place: Place,
}

/// The state of a program, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HealthState {
    Healthy,
    /// It works, and a part that it can do without does not.
    Degraded,
    /// It takes no requests for now: it starts, ends, or an operator has taken it out.
    NotReady,
    Unhealthy,
}

/// A part that a program checks.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// What is wrong with it; may be empty.
    pub(crate) words: String,
    pub(crate) line: usize,
}

impl HealthState {
    /// The state that a word means.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase().replace([' ', '-'], "_");
        Some(match word.as_str() {
            "up" | "healthy" | "ok" | "pass" | "passing" | "serving" | "ready" | "true" => {
                Self::Healthy
            }
            "degraded" | "warn" | "warning" => Self::Degraded,
            "starting" | "initializing" | "out_of_service" | "not_ready" => Self::NotReady,
            "down" | "unhealthy" | "fail" | "failed" | "failing" | "critical" | "error"
            | "unavailable" | "not_serving" | "false" => Self::Unhealthy,
            _ => return None,
        })
    }

    pub(super) fn of_code(code: u16) -> Option<Self> {
        match code {
            200..=299 => Some(Self::Healthy),
            500..=599 => Some(Self::Unhealthy),
            _ => None,
        }
    }

    /// At an endpoint that says whether requests may come: a program that starts or waits is not broken.
    pub(super) fn at(self, path: &str) -> Self {
        if self == Self::Unhealthy && is_readiness(path) { Self::NotReady } else { self }
    }
}

/// Whether an endpoint is asked whether requests may come.
pub(super) fn is_readiness(path: &str) -> bool {
    ["ready", "readiness", "startup", "started"].iter().any(|word| path.contains(word))
}
