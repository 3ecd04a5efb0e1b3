//! What occurrences of the same problem have in common.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::status_words::is_status;

/// Separates parts of what is hashed, so that no two lists of parts give the same bytes: texts have no NUL.
const SEPARATOR: [u8; 1] = [0];
/// Hexadecimal digits of a hash: 128 bits.
const DIGITS: usize = 32;

/// The last words of members that say when something was, not what.
const TIMES: [&str; 8] =
    ["time", "date", "timestamp", "datetime", "at", "since", "duration", "elapsed"];

/// The fingerprint of an alert that its labels identify. It stays the same over releases: stored ones are compared with it.
pub(crate) fn of(source: &str, labels: &BTreeMap<String, String>, title: &str) -> String {
    let pairs = labels.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    digest([source, title].into_iter().chain(pairs))
}

/// The fingerprint of an alert that nothing identifies but its content: of other texts and numbers it is another one. When it
/// was sent, and whether it begins or ends, is no content.
pub(crate) fn of_content(source: &str, labels: &BTreeMap<String, String>, raw: &Value) -> String {
    let mut parts = vec![source.to_owned()];
    parts.extend(labels.iter().flat_map(|(name, value)| [name.clone(), value.clone()]));
    content(raw, "", &mut parts);
    digest(parts.iter().map(String::as_str))
}

/// The values of a payload that say what it is about, each after its place.
fn content(value: &Value, place: &str, parts: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            // Senders write members in any order.
            let sorted: BTreeMap<&String, &Value> = members.iter().collect();
            for (name, member) in sorted.into_iter().filter(|(name, _)| !is_time(name)) {
                content(member, &format!("{place}/{name}"), parts);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                content(item, &format!("{place}/{index}"), parts);
            }
        }
        Value::String(text) => {
            let is_state = is_status(text) || text.trim().parse::<Timestamp>().is_ok();
            if !is_state {
                parts.extend([place.to_owned(), text.clone()]);
            }
        }
        Value::Number(number) => parts.extend([place.to_owned(), number.to_string()]),
        Value::Bool(_) | Value::Null => {}
    }
}

/// Whether a member's name ends with a word for a time, such as `startsAt`, `Event Time` or `updated_at`.
fn is_time(name: &str) -> bool {
    let begins = |c: char| !c.is_alphanumeric() || c.is_uppercase();
    let start = name.char_indices().rev().find(|(_, c)| begins(*c)).map_or(0, |(at, _)| at);
    let last = name.get(start..).unwrap_or(name).trim_matches(|c: char| !c.is_alphanumeric());
    let last = if name.chars().all(|c| !c.is_lowercase()) { name } else { last };
    TIMES.contains(&last.to_lowercase().as_str())
}

/// A key of the source, or its hash if it has more characters than this.
pub(crate) fn bounded(key: String, most: usize) -> String {
    if key.chars().count() <= most {
        return key;
    }
    format!("sha256:{}", digest([key.as_str()]))
}

/// The hash of texts in their order.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update(SEPARATOR);
    }
    let mut digits = String::with_capacity(DIGITS);
    for byte in hasher.finalize().iter().take(DIGITS / 2) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    #[test]
    fn a_fingerprint_depends_on_source_labels_and_title_and_not_on_their_order() {
        let first = of("a", &labels(&[("x", "1"), ("y", "2")]), "t");
        assert_eq!(first, of("a", &labels(&[("y", "2"), ("x", "1")]), "t"));
        for other in [
            of("b", &labels(&[("x", "1"), ("y", "2")]), "t"),
            of("a", &labels(&[("x", "1y"), ("", "2")]), "t"),
            of("a", &labels(&[("x", "1"), ("y", "2")]), "u"),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_fingerprint_stays_the_same_over_releases() {
        // printf 'source\0title\0name\0value\0' | sha256sum | cut -c1-32
        let of = of("source", &labels(&[("name", "value")]), "title");
        assert_eq!(of, "e92d725aef94910a372e9f06290efb64");
    }

    #[test]
    fn an_alert_that_nothing_identifies_is_its_content_without_times_and_states() {
        use serde_json::json;
        let of = |raw: Value| of_content("a", &BTreeMap::new(), &raw);
        let first = of(json!({"title": "Disk full", "host": "web-1", "state": "problem"}));
        for same in [
            json!({"state": "resolved", "host": "web-1", "title": "Disk full"}),
            json!({"title": "Disk full", "host": "web-1", "Event Time": "2026-11-24 12:00"}),
            json!({"title": "Disk full", "host": "web-1", "startsAt": 1, "updated_at": 2, "TIME": 3}),
            json!({"title": "Disk full", "host": "web-1", "begun": "2026-11-24T12:00:00Z"}),
        ] {
            assert_eq!(of(same.clone()), first, "{same}");
        }
        for other in [
            json!({"title": "Disk full", "host": "web-2"}),
            json!({"title": "Disk full", "peer": "web-1"}),
            json!({"title": "Disk full", "host": "web-1", "id": 7}),
            json!({"title": "Disk full", "host": "web-1", "format": "x"}),
            json!([{"title": "Disk full", "host": "web-1"}]),
            json!("Disk full on web-1"),
        ] {
            assert_ne!(of(other.clone()), first, "{other}");
        }
        let more = labels(&[("topic", "b")]);
        assert_ne!(of_content("a", &more, &json!("x")), of_content("a", &labels(&[]), &json!("x")));
    }

    #[test]
    fn a_long_key_becomes_a_hash() {
        assert_eq!(bounded("é".repeat(5), 5), "ééééé");
        let long = bounded("x".repeat(6), 5);
        assert!(long.starts_with("sha256:"), "{long}");
        assert_ne!(long, bounded("y".repeat(6), 5));
    }
}
