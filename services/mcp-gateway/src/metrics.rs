//! The metrics of this service.

use std::time::Duration;

use tarsy_telemetry::{register_counter, register_counters};

pub(crate) fn call_ended(outcome: &'static str, took: Duration) {
    metrics::histogram!("tarsy_tool_call_duration_seconds", "outcome" => outcome)
        .record(took.as_secs_f64());
}

pub(crate) fn leases(count: usize) {
    // A gauge takes a float; the number of leases fits.
    metrics::gauge!("tarsy_tool_leases").set(u32::try_from(count).unwrap_or(u32::MAX));
}

pub(crate) fn lease_asked(outcome: &'static str) {
    metrics::counter!("tarsy_tool_leases_asked_total", "outcome" => outcome).increment(1);
}

pub(crate) fn masked(rule: &'static str, count: usize) {
    metrics::counter!("tarsy_tool_secrets_masked_total", "rule" => rule)
        .increment(u64::try_from(count).unwrap_or(u64::MAX));
}

pub(crate) fn withheld() {
    metrics::counter!("tarsy_tool_results_withheld_total").increment(1);
}

pub(crate) fn server_failed() {
    metrics::counter!("tarsy_tool_servers_failed_total").increment(1);
}

pub(crate) fn served_sessions(count: usize) {
    metrics::gauge!("tarsy_served_sessions").set(u32::try_from(count).unwrap_or(u32::MAX));
}

pub(crate) fn serving_refused(reason: &'static str) {
    metrics::counter!("tarsy_served_refused_total", "reason" => reason).increment(1);
}

/// Makes the counters of a gateway exist whose labels are known.
pub(crate) fn register() {
    leases(0);
    register_counters("tarsy_tool_leases_asked_total", "outcome", &["opened", "busy"]);
    register_counter("tarsy_tool_results_withheld_total");
    register_counter("tarsy_tool_servers_failed_total");
}

/// The same of a served tool server.
pub(crate) fn register_serving() {
    served_sessions(0);
    register_counters("tarsy_served_refused_total", "reason", &["token", "full"]);
}
