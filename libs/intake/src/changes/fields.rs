//! Reads single values of payloads.

use jiff::Timestamp;
use serde_json::Value;

use crate::received::Ignored;
use crate::time::{self, Time};

pub(super) fn event(name: impl Into<String>) -> Ignored {
    Ignored::Event(name.into())
}

/// The text, number or truth at a JSON pointer.
pub(super) fn text(payload: &Value, pointer: &str) -> Option<String> {
    let text = match payload.pointer(pointer)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(is) => is.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// The first of several places that has a text.
pub(super) fn first(payload: &Value, pointers: &[&str]) -> Option<String> {
    pointers.iter().find_map(|pointer| text(payload, pointer))
}

/// The first of several places that has a time.
pub(super) fn time_at(payload: &Value, pointers: &[&str]) -> Option<Timestamp> {
    pointers.iter().filter_map(|pointer| text(payload, pointer)).find_map(|text| read_time(&text))
}

pub(super) fn read_time(text: &str) -> Option<Timestamp> {
    match time::read(text) {
        Time::At(time) | Time::Unzoned(time) => Some(time),
        Time::NotSet | Time::Unknown => None,
    }
}

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

/// A commit as people write it: the first digits.
pub(super) fn short_commit(id: &str) -> &str {
    const DIGITS: usize = 10;
    let is_id = id.len() > DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_id { id.get(..DIGITS).unwrap_or(id) } else { id }
}
