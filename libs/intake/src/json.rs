//! JSON of a source. A value of another form than the usual is read as well as possible, and noted; errors are for what no
//! alert can be made of. Both name the value by its JSON pointer (RFC 6901).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::bounds;
use crate::limits::MAX_ANNOTATION_BYTES;
use crate::notes::Notes;
use crate::time::{self, Time};

/// The most bytes of a text that no other bound is for.
pub(crate) const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The most characters of a pointer in an error.
const MAX_POINTER: usize = 200;
/// The most characters of a value in a note.
const MAX_SHOWN: usize = 60;

/// What is wrong with a payload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{pointer:?} {problem}; {fix}")]
pub struct ParseError {
    /// The JSON pointer of the value; empty for the whole payload.
    pub pointer: String,
    /// The rest of a sentence that begins with the pointer.
    pub problem: String,
    /// What whoever sends the payload can do.
    pub fix: String,
}

impl ParseError {
    pub(crate) fn new(pointer: &str, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        let pointer = pointer.chars().take(MAX_POINTER).collect();
        Self { pointer, problem: problem.into(), fix: fix.into() }
    }
}

/// A value of a payload, which may be absent, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    value: Option<&'a Value>,
    pointer: String,
    notes: Notes,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value) -> Self {
        Self { value: Some(value), pointer: String::new(), notes: Notes::default() }
    }

    /// A value that is not in a payload as it is, such as what an expression selects of an alert with these notes.
    pub(crate) const fn named(value: Option<&'a Value>, pointer: String, notes: Notes) -> Self {
        Self { value, pointer, notes }
    }

    /// The value; none for null.
    pub(crate) fn value(&self) -> Option<&'a Value> {
        self.value.filter(|value| !value.is_null())
    }

    pub(crate) fn at(&self, key: &str) -> Self {
        let step = key.replace('~', "~0").replace('/', "~1");
        Self {
            value: self.value.and_then(|value| value.get(key)),
            pointer: format!("{}/{step}", self.pointer),
            notes: self.notes.clone(),
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.value().is_none()
    }

    /// A copy of the value, for the record.
    pub(crate) fn raw(&self) -> Value {
        self.value.cloned().unwrap_or_default()
    }

    /// What is noted about the alert that the value belongs to.
    pub(crate) fn notes(&self) -> Notes {
        self.notes.clone()
    }

    /// Notes what became of the value.
    pub(crate) fn note(&self, what: &str) {
        let place: String = self.pointer.chars().take(MAX_POINTER).collect();
        self.notes.add(format!("{place:?} {what}"));
    }

    pub(crate) fn error(&self, problem: impl Into<String>, fix: impl Into<String>) -> ParseError {
        ParseError::new(&self.pointer, problem, fix)
    }

    fn wrong(&self, wanted: &str) -> ParseError {
        let kind = self.value.map_or("missing", kind);
        self.error(format!("is {kind}"), format!("send {wanted}"))
    }

    /// An object that must be there.
    pub(crate) fn object(&self) -> Result<&Self, ParseError> {
        match self.value {
            Some(Value::Object(_)) => Ok(self),
            _ => Err(self.wrong("an object")),
        }
    }

    /// The entries of a list, or the value itself if it is none; none if it is absent.
    pub(crate) fn list(&self) -> Vec<Self> {
        match self.value() {
            None => Vec::new(),
            Some(Value::Array(items)) => {
                let entry = |(index, value)| Self {
                    value: Some(value),
                    pointer: format!("{}/{index}", self.pointer),
                    notes: self.notes.clone(),
                };
                items.iter().enumerate().map(entry).collect()
            }
            Some(_) => vec![self.clone()],
        }
    }

    /// The alerts of a list, each with notes of its own, and how many there are more than `most`.
    pub(crate) fn alerts(&self, most: usize) -> (Vec<Self>, u64) {
        let mut alerts = self.list();
        let more = alerts.len().saturating_sub(most);
        alerts.truncate(most);
        for alert in &mut alerts {
            alert.notes = Notes::default();
        }
        (alerts, more as u64)
    }

    /// A text without NUL, or another value as text; none if it is absent or blank.
    pub(crate) fn text(&self) -> Option<String> {
        let text = text_of(self.value()?);
        if text.trim().is_empty() {
            return None;
        }
        if text.len() > MAX_TEXT_BYTES {
            self.note(&format!("has {} bytes and is cut to {MAX_TEXT_BYTES}", text.len()));
        }
        Some(bounds::text(text, MAX_TEXT_BYTES))
    }

    /// A text of the source that becomes an annotation; what is too long for one is cut.
    pub(crate) fn annotation(&self) -> Option<String> {
        let text = text_of(self.value()?);
        if text.len() > MAX_ANNOTATION_BYTES {
            self.note(&format!("has {} bytes and is cut to {MAX_ANNOTATION_BYTES}", text.len()));
        }
        Some(bounds::text(text, MAX_ANNOTATION_BYTES)).filter(|text| !text.trim().is_empty())
    }

    /// A text that must be there; `wanted` continues "send …".
    pub(crate) fn required(&self, wanted: &str) -> Result<String, ParseError> {
        self.text().ok_or_else(|| self.error("is missing", format!("send {wanted}")))
    }

    /// A time of any usual form; what is none is noted and left out.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        let text = self.text()?;
        match time::read(&text) {
            Time::At(time) => Some(time),
            Time::Unzoned(time) => {
                self.note("has no time zone and is taken for UTC");
                Some(time)
            }
            Time::NotSet => None,
            Time::Unknown => {
                self.note(&format!("is {:?}, which is no known form of a time", shown(&text)));
                None
            }
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        self.value().is_some_and(Value::is_string)
    }

    /// Whether the value is a time.
    pub(crate) fn is_time(&self) -> bool {
        let read = self.text().map(|text| time::read(&text));
        matches!(read, Some(Time::At(_) | Time::Unzoned(_)))
    }

    /// A time of a source that writes UTC without a zone.
    pub(crate) fn utc(&self) -> Option<Timestamp> {
        match time::read(&self.text()?) {
            Time::Unzoned(time) => Some(time),
            _ => self.time(),
        }
    }

    /// Notes that a value is none of those that are known, and what it is taken for.
    pub(crate) fn unknown(&self, taken_for: &str) {
        let text = self.text().unwrap_or_else(|| "missing".to_owned());
        self.note(&format!("is {:?}, which is not known, and taken for {taken_for}", shown(&text)));
    }

    /// Labels or annotations by name; none if they are absent. Their bounds are those of the finished alert.
    pub(crate) fn texts(&self) -> BTreeMap<String, String> {
        let object = match self.value() {
            None => return BTreeMap::new(),
            Some(Value::Object(object)) => object,
            Some(_) => {
                self.note("is no object of texts and is only in the raw payload");
                return BTreeMap::new();
            }
        };
        let members = object.iter().filter(|(_, value)| !value.is_null());
        members.map(|(name, value)| (clean(name), text_of(value))).collect()
    }
}

fn shown(text: &str) -> String {
    text.chars().take(MAX_SHOWN).collect()
}

/// A value as text: lists and objects as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => clean(text),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Takes out what PostgreSQL has no place for.
fn clean(text: &str) -> String {
    text.replace('\0', "")
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_and_notes_name_the_value_by_its_pointer() {
        let value = json!({"a/b": [{"c": 7}]});
        let list = Node::root(&value).at("a/b").list();
        let error = list[0].at("c").object().unwrap_err();
        assert_eq!(error.to_string(), r#""/a~1b/0/c" is a number; send an object"#);
        list[0].at("c").unknown("firing");
        let notes = list[0].notes().list();
        assert_eq!(notes, [r#""/a~1b/0/c" is "7", which is not known, and taken for firing"#]);
    }

    #[test]
    fn what_is_absent_or_null_is_no_error() {
        let value = json!({"x": null});
        for node in [Node::root(&value).at("x"), Node::root(&value).at("y")] {
            assert_eq!((node.text(), node.time(), node.annotation()), (None, None, None));
            assert!(node.texts().is_empty() && node.list().is_empty() && node.is_absent());
            assert!(node.required("a name").is_err());
        }
    }

    #[test]
    fn a_value_of_another_form_is_read_as_text() {
        let value = json!({"n": 1, "b": true, "null": null, "nul": "a\u{0}b", "deep": {"x": [1]}});
        let pairs: Vec<_> =
            Node::root(&value).texts().into_iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(pairs, ["b=true", r#"deep={"x":[1]}"#, "n=1", "nul=ab"]);
        assert_eq!(Node::root(&value).at("deep").text().as_deref(), Some(r#"{"x":[1]}"#));
    }

    #[test]
    fn a_time_that_is_none_is_noted_and_left_out() {
        let value = json!({"at": "soon", "utc": "2026-11-26 10:00:00"});
        let root = Node::root(&value);
        assert_eq!((root.at("at").time(), root.at("utc").time().is_some()), (None, true));
        let notes = root.notes().list();
        let expected = [
            r#""/at" is "soon", which is no known form of a time"#,
            r#""/utc" has no time zone and is taken for UTC"#,
        ];
        assert_eq!(notes, expected);
    }
}
