//! Records of people about other days: issues, tickets, incidents that are closed, commits, messages of a chat.

use jiff::Timestamp;
use tarsy_evidence::{Node, Shape};

use crate::alert::snake;

/// Members that such a record has, and what a program writes of itself has not.
const OF_PEOPLE: &[&str] = &[
    "author",
    "user",
    "username",
    "assignee",
    "reporter",
    "sha",
    "number",
    "key",
    "incident_number",
    "root_cause",
    "resolved_at",
    "closed_at",
    "merged_at",
];
/// Members with its words.
const WORDS: &[&str] =
    &["title", "name", "subject", "summary", "body", "description", "text", "message", "content"];
/// Members with a state, and the states in which it is over.
const STATES: &[&str] = &["state", "status"];
const CLOSED: &[&str] =
    &["closed", "resolved", "done", "merged", "completed", "cancelled", "fixed"];
/// Members with a time.
const TIMES: &[&str] = &[
    "created",
    "created_at",
    "updated",
    "updated_at",
    "date",
    "ts",
    "started_at",
    "resolved_at",
    "closed_at",
    "merged_at",
    "last_updated",
];
/// Seconds after which it is of another day.
const DAY: f64 = 86_400.0;

/// Whether a value is such a record, and over or of another day at the time of the alert.
pub(super) fn is_previous(node: &Node, now: Option<Timestamp>) -> bool {
    let scalars = || members(node).filter_map(|(key, value)| Some((key, value.text()?.to_owned())));
    let has = |list: &[&str]| members(node).any(|(key, _)| list.contains(&key.as_str()));
    if !has(OF_PEOPLE) || !(has(WORDS) || node.get("commit").is_some()) {
        return false;
    }
    let is_closed = scalars().any(|(key, value)| {
        STATES.contains(&key.as_str()) && CLOSED.contains(&value.to_lowercase().as_str())
    });
    let inner = members(node).flat_map(|(_, value)| members(value));
    let deeper =
        members(node).flat_map(|(_, value)| members(value)).flat_map(|(_, value)| members(value));
    let times = members(node).chain(inner).chain(deeper).filter_map(|(key, value)| {
        TIMES.contains(&key.as_str()).then(|| value.text().and_then(time_of)).flatten()
    });
    let is_old =
        |(now, newest): (Timestamp, Timestamp)| now.duration_since(newest).as_secs_f64() > DAY;
    is_closed || now.zip(times.max()).is_some_and(is_old)
}

fn members(node: &Node) -> impl Iterator<Item = (String, &Node)> {
    let entries = match &node.shape {
        Shape::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    entries.iter().map(|entry| (snake(&entry.key), &entry.value))
}

/// A time as people's tools write it: RFC 3339, a date, or seconds since 1970.
fn time_of(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse() {
        return Some(time);
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>() {
        return date.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|time| time.timestamp());
    }
    let seconds = text.split('.').next()?.parse::<i64>().ok().filter(|one| *one > 1_000_000_000)?;
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn previous(text: &str) -> bool {
        let documents = tarsy_evidence::documents(text);
        is_previous(documents.first().unwrap(), "2026-05-01T10:00:00Z".parse().ok())
    }

    #[test]
    fn records_of_people_that_are_over_or_of_other_days_are_previous() {
        for text in [
            r#"{"number": 81, "title": "refused", "state": "open", "created_at": "2025-11-02T08:00:00Z"}"#,
            r#"{"key": "OPS-1", "summary": "full", "status": "Done"}"#,
            r#"{"sha": "a1", "commit": {"author": {"date": "2026-04-20T10:00:00Z"}, "message": "fix crash"}}"#,
            r#"{"ts": "1774000000.000100", "username": "kim", "text": "it was down"}"#,
        ] {
            assert!(previous(text), "{text}");
        }
        for text in [
            r#"{"number": 82, "title": "refused", "state": "open", "created_at": "2026-05-01T09:58:00Z"}"#,
            r#"{"name": "web-1", "status": "Error", "createdAt": "2025-11-02T08:00:00Z"}"#,
            r#"{"pid": 7, "user": "shop", "state": "active", "query": "select"}"#,
        ] {
            assert!(!previous(text), "{text}");
        }
    }
}
