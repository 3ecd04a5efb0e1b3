//! The service's metrics.

use std::time::Duration;

use tarsy_telemetry::{register_counter, register_counters};

/// `outcome`: completed, failed, dropped or released.
pub(crate) fn finished(outcome: &'static str, took: Duration) {
    metrics::counter!("tarsy_summaries_total", "outcome" => outcome).increment(1);
    metrics::histogram!("tarsy_summary_duration_seconds").record(took.as_secs_f64());
}

/// How much shorter a summary is than its result, in tokens.
pub(crate) fn tokens_saved(tokens: u64) {
    metrics::counter!("tarsy_summary_tokens_saved_total").increment(tokens);
}

/// Counts a summary as running in this process until it is dropped.
pub(crate) struct RunningGuard;

impl RunningGuard {
    pub(crate) fn new() -> Self {
        metrics::gauge!("tarsy_summaries_running").increment(1);
        Self
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        metrics::gauge!("tarsy_summaries_running").decrement(1);
    }
}

/// Makes the counters exist whose labels are known.
pub(crate) fn register() {
    let outcomes = ["completed", "failed", "dropped", "released"];
    register_counters("tarsy_summaries_total", "outcome", &outcomes);
    register_counter("tarsy_summary_tokens_saved_total");
    metrics::gauge!("tarsy_summaries_running").increment(0);
}
