//! Every instrument of this service, named once.

use metrics::{counter, gauge};

/// Rows were written for messages that are to be sent.
pub(crate) fn planned(rows: u64, by: &'static str) {
    counter!("tarsy_notifications_planned_total", "by" => by).increment(rows);
}

/// A try to send ended.
pub(crate) fn tried(destination: &str, outcome: &'static str) {
    let destination = destination.to_owned();
    counter!("tarsy_notifications_tries_total", "destination" => destination, "outcome" => outcome)
        .increment(1);
}

/// So many wait.
pub(crate) fn pending(rows: i64) {
    gauge!("tarsy_notifications_pending").set(u32::try_from(rows).map_or(f64::INFINITY, f64::from));
}
