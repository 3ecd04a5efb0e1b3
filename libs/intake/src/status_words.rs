//! Words of tools for the same status.

/// In lower case.
pub(crate) const FIRING: [&str; 14] = [
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
pub(crate) const ACKNOWLEDGED: [&str; 4] = ["acknowledged", "acked", "ack", "acknowledgement"];
pub(crate) const RESOLVED: [&str; 12] = [
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

/// Whether a text is such a word and nothing else; the case does not matter.
pub(crate) fn is_status(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    [&FIRING[..], &ACKNOWLEDGED, &RESOLVED].iter().any(|words| words.contains(&text.as_str()))
}
