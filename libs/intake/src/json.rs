//! JSON of a source, read within bounds. Errors name the value by its JSON pointer (RFC 6901).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::limits::{
    MAX_ANNOTATION_BYTES, MAX_ANNOTATIONS, MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_LABELS,
};

/// The most bytes of a text that no other bound is for.
pub(crate) const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The most characters of a pointer in an error.
const MAX_POINTER: usize = 200;
/// What Go writes for a time that is not set begins so.
const NO_TIME: &str = "0001-01-01T";
const MILLIS: i64 = 1_000;

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

/// Reads a body. Nesting is bounded by `serde_json` (128 levels).
pub(crate) fn parse(body: &[u8]) -> Result<Value, ParseError> {
    serde_json::from_slice(body).map_err(|error| {
        let problem = format!("is no JSON (line {}, column {})", error.line(), error.column());
        ParseError::new("", problem, "send a JSON document as UTF-8")
    })
}

/// A value of a payload, which may be absent, and where it is.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    value: Option<&'a Value>,
    pointer: String,
}

impl<'a> Node<'a> {
    pub(crate) const fn root(value: &'a Value) -> Self {
        Self { value: Some(value), pointer: String::new() }
    }

    /// A value that is not in a payload as it is, such as what an expression selects.
    pub(crate) const fn named(value: Option<&'a Value>, pointer: String) -> Self {
        Self { value, pointer }
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
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.value().is_none()
    }

    /// A copy of the value, for the record.
    pub(crate) fn raw(&self) -> Value {
        self.value.cloned().unwrap_or_default()
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

    /// The entries of a list; none if it is absent.
    pub(crate) fn list(&self, most: usize) -> Result<Vec<Self>, ParseError> {
        let items = match self.value() {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(self.wrong("a list, or leave it out")),
        };
        if items.len() > most {
            let problem = format!("has {} entries", items.len());
            return Err(self.error(problem, format!("send at most {most} at once")));
        }
        let entry = |(index, value)| Self {
            value: Some(value),
            pointer: format!("{}/{index}", self.pointer),
        };
        Ok(items.iter().enumerate().map(entry).collect())
    }

    /// A text without NUL, or a number or truth value as text; none if it is absent or blank.
    pub(crate) fn text(&self) -> Result<Option<String>, ParseError> {
        let Some(value) = self.value() else { return Ok(None) };
        let text = scalar(value).ok_or_else(|| self.wrong("text, or leave it out"))?;
        if text.len() > MAX_TEXT_BYTES {
            let fix = format!("send at most {MAX_TEXT_BYTES}");
            return Err(self.error(format!("has {} bytes", text.len()), fix));
        }
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }

    /// A text of the source that becomes an annotation; what is too long for one is cut.
    pub(crate) fn annotation(&self) -> Result<Option<String>, ParseError> {
        // A character has at most four bytes.
        let cut = |text: String| text.chars().take(MAX_ANNOTATION_BYTES / 4).collect();
        Ok(self.text()?.map(cut))
    }

    /// A text that must be there; `wanted` continues "send …".
    pub(crate) fn required(&self, wanted: &str) -> Result<String, ParseError> {
        self.text()?.ok_or_else(|| self.error("is missing", format!("send {wanted}")))
    }

    /// A time of RFC 3339, or one that Go writes for none.
    pub(crate) fn time(&self) -> Result<Option<Timestamp>, ParseError> {
        let Some(text) = self.text()? else { return Ok(None) };
        if text.starts_with(NO_TIME) {
            return Ok(None);
        }
        let wanted = "a time such as 2026-11-24T09:30:00Z, or leave it out";
        text.parse().map(Some).map_err(|_| self.error("is no time", format!("send {wanted}")))
    }

    /// A time in milliseconds since 1970, as number or text; what is out of range counts as absent.
    pub(crate) fn time_millis(&self) -> Result<Option<Timestamp>, ParseError> {
        let Some(text) = self.text()? else { return Ok(None) };
        let millis = text.parse::<i64>().map_err(|_| {
            self.error("is no time", "send milliseconds since 1970, or leave it out")
        })?;
        Ok(Timestamp::from_millisecond(millis).ok())
    }

    /// A time in nanoseconds since 1970.
    pub(crate) fn time_nanos(&self) -> Result<Option<Timestamp>, ParseError> {
        let Some(text) = self.text()? else { return Ok(None) };
        let nanos = text.parse::<i64>().map_err(|_| {
            self.error("is no time", "send nanoseconds since 1970, or leave it out")
        })?;
        let millis = nanos / (MILLIS * MILLIS);
        Ok(Timestamp::from_millisecond(millis).ok())
    }

    /// Labels by name; none if they are absent.
    pub(crate) fn labels(&self) -> Result<BTreeMap<String, String>, ParseError> {
        let mut labels = Labels::default();
        for (node, name, value) in self.members()? {
            labels.add(&node, &name, &value)?;
        }
        Ok(labels.done())
    }

    /// Annotations by name; none if they are absent.
    pub(crate) fn annotations(&self) -> Result<BTreeMap<String, String>, ParseError> {
        let members = self.members()?;
        if members.len() > MAX_ANNOTATIONS {
            let problem = format!("has {} entries", members.len());
            return Err(self.error(problem, format!("send at most {MAX_ANNOTATIONS}")));
        }
        let mut annotations = BTreeMap::new();
        for (node, name, value) in members {
            check_name(&node, &name)?;
            if value.len() > MAX_ANNOTATION_BYTES {
                let problem = format!("has {} bytes", value.len());
                return Err(node.error(problem, format!("send at most {MAX_ANNOTATION_BYTES}")));
            }
            annotations.insert(name, value);
        }
        Ok(annotations)
    }

    /// The members of an object of texts, without those that are null.
    fn members(&self) -> Result<Vec<(Self, String, String)>, ParseError> {
        let object = match self.value() {
            None => return Ok(Vec::new()),
            Some(Value::Object(object)) => object,
            Some(_) => return Err(self.wrong("an object of texts, or leave it out")),
        };
        let mut members = Vec::new();
        for (name, value) in object.iter().filter(|(_, value)| !value.is_null()) {
            let node = self.at(name);
            let text = scalar(value).ok_or_else(|| node.wrong("text"))?;
            members.push((node, clean(name), text));
        }
        Ok(members)
    }
}

/// Labels within their bounds.
#[derive(Debug, Default)]
pub(crate) struct Labels(BTreeMap<String, String>);

impl Labels {
    /// Adds a label that is at a place of the payload. A name that is there already gets both values.
    pub(crate) fn add(
        &mut self,
        node: &Node<'_>,
        name: &str,
        value: &str,
    ) -> Result<(), ParseError> {
        check_name(node, name)?;
        let value = match self.0.get(name) {
            Some(other) if other.split(',').any(|one| one == value) => other.clone(),
            Some(other) => format!("{other},{value}"),
            None => value.to_owned(),
        };
        if value.chars().count() > MAX_LABEL_VALUE {
            let fix = format!("send at most {MAX_LABEL_VALUE} characters");
            return Err(node.error(format!("is too long for the label {name:?}"), fix));
        }
        self.0.insert(name.to_owned(), value);
        if self.0.len() > MAX_LABELS {
            return Err(node.error("is one label too many", format!("send at most {MAX_LABELS}")));
        }
        Ok(())
    }

    /// Adds a label if the payload has a value for it.
    pub(crate) fn add_text(&mut self, name: &str, node: &Node<'_>) -> Result<(), ParseError> {
        match node.text()? {
            Some(value) => self.add(node, name, &value),
            None => Ok(()),
        }
    }

    /// Adds tags such as `service:checkout`; one without a colon gets the value `true`.
    pub(crate) fn add_tag(&mut self, node: &Node<'_>, tag: &str) -> Result<(), ParseError> {
        let tag = tag.trim();
        let (name, value) = tag.split_once(':').unwrap_or((tag, "true"));
        if name.trim().is_empty() {
            return Ok(());
        }
        self.add(node, name.trim(), value.trim())
    }

    pub(crate) fn done(self) -> BTreeMap<String, String> {
        self.0
    }
}

fn check_name(node: &Node<'_>, name: &str) -> Result<(), ParseError> {
    if name.trim().is_empty() || name.chars().count() > MAX_LABEL_NAME {
        let fix = format!("send 1 to {MAX_LABEL_NAME} characters");
        return Err(node.error("has a name that is blank or too long", fix));
    }
    Ok(())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(clean(text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
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
    fn an_error_names_the_value_by_its_pointer() {
        let value = json!({"a/b": [{"c": {}}]});
        let list = Node::root(&value).at("a/b").list(1).unwrap();
        let error = list[0].at("c").text().unwrap_err();
        assert_eq!(error.pointer, "/a~1b/0/c");
        let text = error.to_string();
        assert_eq!(text, r#""/a~1b/0/c" is an object; send text, or leave it out"#);
    }

    #[test]
    fn what_is_absent_or_null_is_no_error() {
        let value = json!({"x": null});
        for node in [Node::root(&value).at("x"), Node::root(&value).at("y")] {
            assert_eq!(node.text(), Ok(None));
            assert_eq!(node.time(), Ok(None));
            assert_eq!(node.labels(), Ok(BTreeMap::new()));
            assert!(node.list(1).unwrap().is_empty() && node.is_absent());
            assert!(node.required("a name").is_err());
        }
    }

    #[test]
    fn times_are_read_as_sources_write_them() {
        let of = |text: &str| Node::root(&json!(text)).time();
        assert_eq!(of("2021-10-12T09:51:03.5+02:00").unwrap().unwrap().as_second(), 1_634_025_063);
        assert_eq!(of("2026-05-20T14:00:00.000+0000").unwrap().unwrap().as_second(), 1_779_285_600);
        assert_eq!(of("0001-01-01T00:00:00Z"), Ok(None));
        assert!(of("yesterday").is_err());
        let millis = Node::root(&json!(1_420_452_191_104_i64)).time_millis();
        assert_eq!(millis.unwrap().unwrap().as_millisecond(), 1_420_452_191_104);
        let nanos = Node::root(&json!(1_420_452_193_166_002_000_i64)).time_nanos();
        assert_eq!(nanos.unwrap().unwrap().as_millisecond(), 1_420_452_193_166);
        assert_eq!(Node::root(&json!(i64::MAX)).time_millis(), Ok(None));
    }

    #[test]
    fn labels_have_bounds_of_number_names_and_values() {
        let many: BTreeMap<String, u32> = (0..=64).map(|n| (format!("l{n}"), n)).collect();
        for (labels, pointer) in [
            (json!(many), "/l9"),
            (json!({"x": "y".repeat(1_025)}), "/x"),
            (json!({" ": "y"}), "/ "),
            (json!({"x": ["y"]}), "/x"),
        ] {
            assert_eq!(Node::root(&labels).labels().unwrap_err().pointer, pointer);
        }
        let labels = json!({"n": 1, "b": true, "absent": null, "nul": "a\u{0}b"});
        let read = Node::root(&labels).labels().unwrap();
        let pairs: Vec<_> = read.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(pairs, ["b=true", "n=1", "nul=ab"]);
    }

    #[test]
    fn annotations_have_bounds_of_their_own() {
        let long = json!({"description": "x".repeat(MAX_ANNOTATION_BYTES)});
        assert!(Node::root(&long).annotations().is_ok());
        let longer = json!({"description": "x".repeat(MAX_ANNOTATION_BYTES + 1)});
        assert_eq!(Node::root(&longer).annotations().unwrap_err().pointer, "/description");
    }

    #[test]
    fn tags_are_labels() {
        let value = json!(null);
        let (mut labels, node) = (Labels::default(), Node::root(&value));
        for tag in ["service:checkout", "urgent", " ", "service:cart", "url:http://a"] {
            labels.add_tag(&node, tag).unwrap();
        }
        let pairs: Vec<_> = labels.done().into_iter().map(|(n, v)| format!("{n}={v}")).collect();
        assert_eq!(pairs, ["service=checkout,cart", "urgent=true", "url=http://a"]);
    }
}
