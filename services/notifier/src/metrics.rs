//! The service's metrics.

use metrics::{counter, gauge};
use tarsy_telemetry::register_counters;

/// Rows to send were inserted, on an event or by the reconciliation (`sweep`).
pub(crate) fn planned(rows: u64, by: &'static str) {
    counter!("tarsy_notifications_planned_total", "by" => by).increment(rows);
}

/// An attempt to send ended.
pub(crate) fn attempted(destination: &str, outcome: &'static str) {
    let destination = destination.to_owned();
    counter!("tarsy_notifications_tries_total", "destination" => destination, "outcome" => outcome)
        .increment(1);
}

/// Rows that are not finished.
pub(crate) fn pending(rows: i64) {
    gauge!("tarsy_notifications_pending").set(u32::try_from(rows).map_or(f64::INFINITY, f64::from));
}

/// Makes the counters exist of these destinations.
pub(crate) fn register(destinations: &[String]) {
    register_counters(
        "tarsy_notifications_planned_total",
        "by",
        &["event", "sweep", "approvals", "reviews", "triage"],
    );
    for destination in destinations {
        for outcome in ["sent", "rate_limited", "failed", "refused", "obsolete", "superseded"] {
            counter!("tarsy_notifications_tries_total", "destination" => destination.clone(), "outcome" => outcome)
                .increment(0);
        }
    }
}
