//! The service's metrics.

use std::time::Duration;

/// `outcome`: completed, failed, dropped or released.
pub(crate) fn finished(outcome: &'static str, took: Duration) {
    metrics::counter!("tarsy_summaries_total", "outcome" => outcome).increment(1);
    metrics::histogram!("tarsy_summary_duration_seconds").record(took.as_secs_f64());
}

/// How much shorter a summary is than its result, in tokens.
pub(crate) fn tokens_saved(tokens: u64) {
    metrics::counter!("tarsy_summary_tokens_saved_total").increment(tokens);
}

/// How many summaries are made in this process.
pub(crate) fn running(summaries: usize) {
    metrics::gauge!("tarsy_summaries_running")
        .set(u32::try_from(summaries).map_or(f64::INFINITY, f64::from));
}
