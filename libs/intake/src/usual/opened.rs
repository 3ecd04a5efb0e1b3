//! Opens what senders put into texts: JSON, JSON in base64, and lines such as `Host: web-3`.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use super::spelling::joined;

/// How deep a payload is searched, and how often a text within a text is opened.
const MAX_DEPTH: usize = 8;
/// The most bytes of a text that is opened.
const MAX_TEXT: usize = 256 * 1024;
/// The most bytes of all texts of a payload that are opened.
const MAX_OPENED: usize = 1024 * 1024;
/// The most lines of a text that are read as members, and the most words and bytes of their names.
const MAX_LINES: usize = 40;
const MAX_WORDS: usize = 3;
const MAX_NAME: usize = 40;
/// The fewest lines that make a text a list of members.
const MIN_LINES: usize = 2;
/// Members whose text may have such lines.
const TEXTS: [&str; 9] = [
    "message",
    "body",
    "text",
    "description",
    "details",
    "content",
    "alertmessage",
    "msg",
    "statemessage",
];
/// Members whose text may be in base64.
const ENCODED: [&str; 4] = ["data", "body", "message", "payload"];
/// What the members of lines stand in.
pub(super) const LINES: &str = "lines";
/// Members in which services put the payloads of others.
const WRAPPERS: [&str; 10] = [
    "body", "payload", "data", "message", "event", "detail", "alert", "content", "request",
    "records",
];

/// The payload with what stands in its texts.
pub(crate) fn opened(payload: &Value) -> Cow<'_, Value> {
    if has_more(payload, "", 0) {
        Cow::Owned(Opener { left: MAX_OPENED }.open(payload, "", 0))
    } else {
        Cow::Borrowed(payload)
    }
}

/// The objects that another service may have put its own around, the outermost first.
pub(crate) fn wrapped(payload: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut outer = vec![payload];
    for _ in 0..2 {
        let inner: Vec<&Value> = outer.iter().flat_map(|value| members(value)).collect();
        found.extend(inner.iter().copied().filter(|value| value.is_object()));
        outer = inner;
    }
    found
}

fn members(value: &Value) -> Vec<&Value> {
    match value {
        Value::Object(object) => {
            let named = object.iter().filter(|(name, _)| WRAPPERS.contains(&joined(name).as_str()));
            named.map(|(_, value)| value).collect()
        }
        Value::Array(entries) if entries.len() == 1 => entries.iter().collect(),
        _ => Vec::new(),
    }
}

fn has_more(value: &Value, name: &str, depth: usize) -> bool {
    match value {
        Value::String(text) => document(text, name).is_some() || !lines(text, name).is_empty(),
        Value::Array(entries) if depth < MAX_DEPTH => {
            entries.iter().any(|one| has_more(one, name, depth + 1))
        }
        Value::Object(object) if depth < MAX_DEPTH => {
            object.iter().any(|(name, one)| has_more(one, &joined(name), depth + 1))
        }
        _ => false,
    }
}

/// Opens texts, as long as they are not too many: a value takes many times the memory of its text.
struct Opener {
    left: usize,
}

impl Opener {
    fn open(&mut self, value: &Value, name: &str, depth: usize) -> Value {
        match value {
            Value::String(text) if depth < MAX_DEPTH => {
                match self.of(text, |text| document(text, name)) {
                    Some(inner) => self.open(&inner, name, depth + 1),
                    None => value.clone(),
                }
            }
            Value::Array(entries) if depth < MAX_DEPTH => {
                entries.iter().map(|one| self.open(one, name, depth + 1)).collect()
            }
            Value::Object(object) if depth < MAX_DEPTH => {
                let mut found = Map::new();
                let mut all = Map::new();
                for (written, one) in object {
                    let name = joined(written);
                    if let Value::String(text) = one {
                        let read =
                            |text: &str| Some(lines(text, &name)).filter(|all| !all.is_empty());
                        all.extend(self.of(text, read).unwrap_or_default());
                    }
                    found.insert(written.clone(), self.open(one, &name, depth + 1));
                }
                if !all.is_empty() {
                    found.entry(LINES).or_insert(Value::Object(all));
                }
                Value::Object(found)
            }
            other => other.clone(),
        }
    }

    /// What is read of a text, if so much may still be read.
    fn of<T>(&mut self, text: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let found = if text.len() <= self.left { read(text) } else { None };
        self.left -= if found.is_some() { text.len() } else { 0 };
        found
    }
}

/// The object or list that a text is.
fn document(text: &str, name: &str) -> Option<Value> {
    let text = text.trim();
    if text.len() > MAX_TEXT {
        return None;
    }
    let is_json = |text: &str| {
        (text.starts_with('{') && text.ends_with('}'))
            || (text.starts_with('[') && text.ends_with(']'))
    };
    let value = if is_json(text) {
        serde_json::from_str::<Value>(text).ok()
    } else if ENCODED.contains(&name) && text.len() > 16 && !text.contains(char::is_whitespace) {
        let bytes = BASE64_STANDARD.decode(text).ok()?;
        let inner = String::from_utf8(bytes).ok()?;
        if is_json(inner.trim()) { serde_json::from_str(inner.trim()).ok() } else { None }
    } else {
        None
    };
    value.filter(|value| match value {
        Value::Object(object) => !object.is_empty(),
        // A list of texts is one value, such as the names of two hosts.
        Value::Array(entries) => entries.iter().any(Value::is_object),
        _ => false,
    })
}

/// The lines of a text that are a name and a value; none if it is prose.
fn lines(text: &str, name: &str) -> Map<String, Value> {
    let is_text = TEXTS.iter().any(|one| name.starts_with(one) || name.ends_with(one));
    if !is_text || text.len() > MAX_TEXT || !text.contains('\n') {
        return Map::new();
    }
    let found: Map<String, Value> = text
        .lines()
        .take(MAX_LINES)
        .filter_map(pair)
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    if found.len() < MIN_LINES { Map::new() } else { found }
}

/// A name and a value with a colon between, whatever mark-up stands around them.
pub(super) fn pair(line: &str) -> Option<(String, String)> {
    let marks = |c: char| c.is_whitespace() || "*_`•-|>".contains(c);
    let line = line.trim_matches(marks);
    let (name, value) = line.split_once(':')?;
    let name = name.trim_matches(marks);
    // A time and an address have a colon, too.
    let begins = value.starts_with([' ', '\t', '*', '_']) || value.is_empty();
    let value = value.trim_matches(marks);
    let words = name.split_whitespace().count();
    let is_name = (1..=MAX_WORDS).contains(&words)
        && name.len() <= MAX_NAME
        && name.starts_with(char::is_alphabetic);
    (is_name && begins && !value.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_in_texts_is_opened_and_lines_are_members() {
        let encoded = BASE64_STANDARD.encode(r#"{"incident": {"state": "open"}}"#);
        for (payload, pointer, value) in [
            (json!({"alert": "{\"title\": \"x\"}"}), "/alert/title", json!("x")),
            (json!({"message": {"data": encoded}}), "/message/data/incident/state", json!("open")),
            (
                json!({"message": "Began at 12:00:00\nHost: web-3\n**Severity:** high"}),
                "/lines/Severity",
                json!("high"),
            ),
        ] {
            assert_eq!(opened(&payload).pointer(pointer), Some(&value), "{payload}");
        }
        for plain in [
            json!({"message": "disk full: look"}),
            json!({"message": "See https://a.example:80\nand 12:00:01"}),
            json!({"names": "[\"a\"]", "data": "c2hvcnQ=", "x": "{broken}"}),
        ] {
            assert!(matches!(opened(&plain), Cow::Borrowed(_)), "{plain}");
        }
    }

    #[test]
    fn so_much_of_a_payload_is_opened_and_no_more() {
        let text = json!({"a": "x".repeat(200 * 1024)}).to_string();
        let opened = opened(&json!({"all": vec![text; 10]})).into_owned();
        let entries = opened["all"].as_array().unwrap();
        assert_eq!(entries.iter().filter(|one| one.is_object()).count(), 5);
    }

    #[test]
    fn what_a_service_wraps_is_found() {
        let payload = json!({"message": {"data": {"a": 1}}, "x": {"b": 2}});
        let found: Vec<String> = wrapped(&payload).into_iter().map(Value::to_string).collect();
        assert_eq!(found, [r#"{"data":{"a":1}}"#, r#"{"a":1}"#]);
    }
}
