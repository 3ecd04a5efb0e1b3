//! How long a model may take, and how long it may be silent.

use std::time::Duration;

use tokio::time::Instant;

use crate::engine::turn::hearing::StreamOutcome;

/// How long a model may be silent, within the time of the turn.
pub(super) struct Patience {
    until: Instant,
    silent_until: Instant,
    silence: Duration,
    what: &'static str,
}

impl Patience {
    /// Until the end of the turn, and for so long without a word.
    pub(super) fn new(until: Instant, silence: Duration, what: &'static str) -> Self {
        Self { until, silent_until: Instant::now() + silence, silence, what }
    }

    /// When waiting is over.
    pub(super) fn end(&self) -> Instant {
        self.until.min(self.silent_until)
    }

    /// What it means that the end has come.
    pub(super) fn over(&self) -> StreamOutcome {
        if self.silent_until < self.until {
            StreamOutcome::TimedOut(format!("{} {:?}", self.what, self.silence))
        } else {
            timed_out()
        }
    }
}

/// The whole turn took too long.
pub(super) fn timed_out() -> StreamOutcome {
    StreamOutcome::TimedOut("the model did not answer in time".to_owned())
}
