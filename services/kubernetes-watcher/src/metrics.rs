//! The service's metrics.

use metrics::counter;

/// An event was seen: `queued`, or why it is no alert.
pub(crate) fn seen(outcome: &'static str) {
    counter!("tarsy_kubernetes_events_seen_total", "outcome" => outcome).increment(1);
}

/// An object of this kind changed.
pub(crate) fn change_seen(kind: &'static str) {
    counter!("tarsy_kubernetes_changes_seen_total", "kind" => kind).increment(1);
}

/// Events or changes were `kept` by api-gateway, or `refused`.
pub(crate) fn delivered(events: usize, outcome: &'static str) {
    let events = u64::try_from(events).unwrap_or(u64::MAX);
    counter!("tarsy_kubernetes_events_sent_total", "outcome" => outcome).increment(events);
}

/// A request must be sent again.
pub(crate) fn postponed() {
    counter!("tarsy_kubernetes_deliveries_postponed_total").increment(1);
}

/// A list or a watch ended with an error.
pub(crate) fn watch_failed() {
    counter!("tarsy_kubernetes_watch_errors_total").increment(1);
}
