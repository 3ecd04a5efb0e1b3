//! Shows what is being done while everything starts.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The steps of a start.
const STEPS: u64 = 7;

/// A bar on a terminal, lines elsewhere.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn start() -> Self {
        let bar = ProgressBar::new(STEPS);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:20}] {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self(bar)
    }

    pub(crate) fn step(&self, what: &str) {
        self.0.inc(1);
        if self.0.is_hidden() {
            crate::output::remark(&format!("[{}/{STEPS}] {what}", self.0.position()));
        } else {
            self.0.set_message(what.to_owned());
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }

    /// Leaves the bar where it stopped.
    pub(crate) fn abandon(&self) {
        self.0.abandon();
    }
}
