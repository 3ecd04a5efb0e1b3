//! Every instrument of this service, named once.

use std::time::Duration;

/// A summary was finished here, or was not.
pub(crate) fn finished(outcome: &'static str, took: Duration) {
    metrics::counter!("tarsy_summaries_total", "outcome" => outcome).increment(1);
    metrics::histogram!("tarsy_summary_duration_seconds").record(took.as_secs_f64());
}

/// How many tokens a summary saved its agent.
pub(crate) fn saved(tokens: u64) {
    metrics::counter!("tarsy_summary_tokens_saved_total").increment(tokens);
}

/// How many summaries are made here now.
pub(crate) fn running(summaries: usize) {
    metrics::gauge!("tarsy_summaries_running")
        .set(u32::try_from(summaries).map_or(f64::INFINITY, f64::from));
}
