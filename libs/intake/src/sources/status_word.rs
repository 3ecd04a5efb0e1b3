//! Words of tools for the same status.

use crate::alert::Status;

/// In lower case.
const FIRING: [&str; 14] = [
    "firing",
    "alerting",
    "triggered",
    "open",
    "opened",
    "active",
    "activated",
    "problem",
    "critical",
    "alarm",
    "fired",
    "created",
    "failing",
    "down",
];
const ACKNOWLEDGED: [&str; 4] = ["acknowledged", "acked", "ack", "acknowledgement"];
const RESOLVED: [&str; 12] = [
    "resolved",
    "ok",
    "closed",
    "recovered",
    "recovery",
    "normal",
    "inactive",
    "cleared",
    "up",
    "deactivated",
    "healthy",
    "passing",
];

/// The status that a word of a tool stands for; the case does not matter.
pub(crate) fn status_of(word: &str) -> Option<Status> {
    let word = word.trim().to_lowercase();
    let has = |words: &[&str]| words.contains(&word.as_str());
    if has(&FIRING) {
        Some(Status::Firing)
    } else if has(&ACKNOWLEDGED) {
        Some(Status::Acknowledged)
    } else if has(&RESOLVED) {
        Some(Status::Resolved)
    } else {
        None
    }
}
