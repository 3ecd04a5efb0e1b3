//! What the title of an alert of no known form says of its state and severity.

use super::members::words;
use super::state::{GRADES, state_of, status_of};
use crate::alert::Status;

/// What a title says of the end of an alert without a state.
pub(super) fn over_by_title(title: &str) -> Option<Status> {
    let is_end = |word: &String| matches!(word.as_str(), "recovered" | "resolved" | "cleared");
    words(title).iter().any(is_end).then_some(Status::Resolved)
}

/// The state in brackets at the beginning of a title, such as `[FIRING:1] DiskFull`.
pub(super) fn of_bracket(title: &str) -> Option<Status> {
    let (state, _) = title.trim_start().strip_prefix('[')?.split_once(']')?;
    state_of(state)
}

/// How severe a title says that something is, before its first colon or in brackets.
pub(super) fn grade_of(title: &str) -> Option<String> {
    let of_bracket = title.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (before, _) = of_bracket.or_else(|| title.split_once(": "))?;
    let words = words(before);
    let is_grade = |word: &String| GRADES.contains(&word.as_str());
    let is_known = |word: &String| is_grade(word) || status_of(word).is_some() || word == "alert";
    if words.iter().all(is_known) { words.into_iter().find(is_grade) } else { None }
}

/// A title without the state before it, such as `[Alerting] Disk full`, `Resolved: disk full` or `Critical Alert: disk full`.
pub(super) fn without_state(title: &str) -> String {
    let of_bracket = title.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let of_bracket = of_bracket.filter(|(state, _)| state_of(state).is_some());
    let of_colon = || title.split_once(": ").filter(|(before, _)| is_only_state(before));
    let of_dash =
        || title.split_once(" - ").filter(|(before, _)| is_only_state(before) || is_grade(before));
    let rest = of_bracket.or_else(of_colon).or_else(of_dash).map(|(_, rest)| rest.trim());
    rest.filter(|rest| !rest.is_empty()).unwrap_or(title).to_owned()
}

/// Whether a text is a word for how severe something is.
fn is_grade(text: &str) -> bool {
    GRADES.contains(&text.trim().to_lowercase().as_str())
}

/// Whether each word is one of a state. How severe something is may also be the name of an error.
fn is_only_state(text: &str) -> bool {
    // Some say how long it took: `Resolved in 5m 0s`.
    let is_duration = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_digit())
            || matches!(word.as_str(), "in" | "after" | "for")
    };
    let mut words = words(text);
    words.retain(|word| !is_duration(word));
    let is_alert = |word: &String| matches!(word.as_str(), "alert" | "alarm");
    let is_grade = |word: &String| GRADES.contains(&word.as_str());
    words.len() <= 2
        && words.iter().all(|word| is_alert(word) || is_grade(word) || status_of(word).is_some())
        && words.iter().any(|word| is_alert(word) || !is_grade(word))
}
