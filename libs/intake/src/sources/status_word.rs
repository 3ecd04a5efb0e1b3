//! The status that a word of a tool stands for.

use crate::alert::Status;
use crate::status_words::{ACKNOWLEDGED, FIRING, RESOLVED};

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
