//! Every instrument of this service, named once.

use metrics::{counter, gauge};
use tarsy_telemetry::{register_counter, register_counters};

/// Viewers with an open socket.
pub(crate) fn viewers(count: usize) {
    gauge!("tarsy_relay_viewers").set(as_f64(count));
}

/// Channels that somebody watches.
pub(crate) fn watched(count: usize) {
    gauge!("tarsy_relay_watched_channels").set(as_f64(count));
}

/// A frame was put into a viewer's queue.
pub(crate) fn frame_queued() {
    counter!("tarsy_relay_frames_queued_total").increment(1);
}

/// A transient frame found no room.
pub(crate) fn text_dropped() {
    counter!("tarsy_relay_transient_dropped_total").increment(1);
}

/// A viewer was told to reload.
pub(crate) fn overflow(reason: &'static str) {
    counter!("tarsy_relay_overflow_total", "reason" => reason).increment(1);
}

/// A gap in the numbers was seen.
pub(crate) fn gap() {
    counter!("tarsy_relay_gaps_total").increment(1);
}

/// The owner of a session was asked for its text.
pub(crate) fn snapshot(outcome: &'static str) {
    counter!("tarsy_relay_snapshots_total", "outcome" => outcome).increment(1);
}

/// A viewer's socket was closed.
pub(crate) fn closed(reason: &'static str) {
    counter!("tarsy_relay_closed_total", "reason" => reason).increment(1);
}

/// A viewer was turned away before its socket opened.
pub(crate) fn refused(reason: &'static str) {
    counter!("tarsy_relay_refused_total", "reason" => reason).increment(1);
}

#[expect(clippy::cast_precision_loss, reason = "a gauge of a small count")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// Makes the counters exist whose labels are known.
pub(crate) fn register() {
    viewers(0);
    watched(0);
    register_counter("tarsy_relay_frames_queued_total");
    register_counter("tarsy_relay_transient_dropped_total");
    register_counter("tarsy_relay_gaps_total");
    let overflows = ["history", "slow", "gap", "list"];
    register_counters("tarsy_relay_overflow_total", "reason", &overflows);
    let snapshots = ["answered", "nobody", "failed"];
    register_counters("tarsy_relay_snapshots_total", "outcome", &snapshots);
    let ends = ["left", "idle", "too_long", "too_slow", "credential_ended", "stopping"];
    register_counters("tarsy_relay_closed_total", "reason", &ends);
    register_counters("tarsy_relay_refused_total", "reason", &["token", "origin", "full"]);
}
