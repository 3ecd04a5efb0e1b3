//! Every instrument of this service.

use std::time::Duration;

/// Notes that a call ended.
pub(crate) fn call_ended(outcome: &'static str, took: Duration) {
    metrics::histogram!("tarsy_tool_call_duration_seconds", "outcome" => outcome)
        .record(took.as_secs_f64());
}

/// Notes how many leases there are.
pub(crate) fn leases(count: usize) {
    // A gauge takes a float; there are never so many leases that it matters.
    metrics::gauge!("tarsy_tool_leases").set(u32::try_from(count).unwrap_or(u32::MAX));
}

/// Notes that a lease was asked for.
pub(crate) fn lease_asked(outcome: &'static str) {
    metrics::counter!("tarsy_tool_leases_asked_total", "outcome" => outcome).increment(1);
}

/// Notes what was taken out of the words of a server: how much by each rule, never what.
pub(crate) fn masked(rule: &'static str, count: usize) {
    metrics::counter!("tarsy_tool_secrets_masked_total", "rule" => rule)
        .increment(u64::try_from(count).unwrap_or(u64::MAX));
}

/// Notes that a text was withheld because it could not be masked.
pub(crate) fn withheld() {
    metrics::counter!("tarsy_tool_results_withheld_total").increment(1);
}

/// Notes that a server could not be had.
pub(crate) fn server_failed() {
    metrics::counter!("tarsy_tool_servers_failed_total").increment(1);
}
