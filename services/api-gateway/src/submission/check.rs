//! Checks of single fields; each error names the fix.

use serde_json::{Map, Value};
use tarsy_web::FieldError;
use tarsy_web::extract::truncated;

/// The most bytes that an alert's text may have.
pub(crate) const MAX_DATA: usize = 1024 * 1024;

const MAX_KEY: usize = 255;
const MAX_NAME: usize = 200;

/// Collects errors.
#[derive(Debug, Default)]
pub(crate) struct Checker {
    pub(crate) errors: Vec<FieldError>,
}

impl Checker {
    pub(crate) fn wrong(&mut self, field: &str, message: impl Into<String>) {
        self.errors.push(FieldError::new(field, message));
    }

    /// Adds an error of the catalog, without the field that its text begins with, unless that field has an error.
    pub(crate) fn refused(&mut self, field: &str, named: &str, text: &str) {
        let message = text.strip_prefix(named).map_or(text, |rest| rest.trim_start_matches(": "));
        let is_reported = self.errors.iter().any(|error| error.field.starts_with(field));
        if !is_reported {
            self.wrong(field, message);
        }
    }

    pub(crate) fn known(&mut self, prefix: &str, object: &Map<String, Value>, names: &[&str]) {
        for name in object.keys().filter(|name| !names.contains(&name.as_str())) {
            let field = format!("{prefix}{}", truncated(name));
            self.wrong(&field, format!("is not known; leave it out, or use {}", names.join(", ")));
        }
    }

    pub(crate) fn data(&mut self, value: Option<&Value>) -> String {
        let text = match value {
            None | Some(Value::Null) => {
                self.wrong("data", "is missing; send the alert's text");
                return String::new();
            }
            Some(Value::String(text)) => text,
            Some(other) => {
                let message =
                    format!("is {}; send the alert as text, JSON within a string", kind(other));
                self.wrong("data", message);
                return String::new();
            }
        };
        if text.trim().is_empty() {
            self.wrong("data", "is blank; send the alert's text");
        } else if text.len() > MAX_DATA {
            let message = format!("has {} bytes; send at most {MAX_DATA}", text.len());
            self.wrong("data", message);
        } else if text.contains('\0') {
            self.wrong("data", "has a NUL character (\\u0000); take it out");
        }
        text.clone()
    }

    /// An optional text; an empty one counts as left out.
    pub(crate) fn text(
        &mut self,
        object: &Map<String, Value>,
        field: &str,
        most: usize,
    ) -> Option<String> {
        match object.get(field)? {
            Value::Null => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => {
                if text.trim().is_empty() {
                    self.wrong(field, "is blank; write something, or leave it out");
                } else if text.chars().count() > most {
                    self.wrong(field, format!("is too long; write at most {most} characters"));
                } else if text.contains('\0') {
                    self.wrong(field, "has a NUL character (\\u0000); take it out");
                } else {
                    return Some(text.trim().to_owned());
                }
                None
            }
            other => {
                self.wrong(field, format!("is {}; write text, or leave it out", kind(other)));
                None
            }
        }
    }

    pub(crate) fn name(
        &mut self,
        field: &str,
        value: Option<&Value>,
        wanted: &str,
    ) -> Option<String> {
        let problem = match value {
            None | Some(Value::Null) => format!("is missing; write {wanted}"),
            Some(Value::String(text)) if text.trim().is_empty() => {
                format!("is blank; write {wanted}")
            }
            Some(Value::String(text)) if text.chars().count() > MAX_NAME => {
                format!("is too long; write {wanted}, at most {MAX_NAME} characters")
            }
            Some(Value::String(text)) if text.contains('\0') => {
                "has a NUL character (\\u0000); take it out".to_owned()
            }
            Some(Value::String(text)) => return Some(text.trim().to_owned()),
            Some(other) => format!("is {}; write {wanted}", kind(other)),
        };
        self.wrong(field, problem);
        None
    }

    pub(crate) fn object<'a>(
        &mut self,
        field: &str,
        value: Option<&'a Value>,
        example: &str,
    ) -> Option<&'a Map<String, Value>> {
        match value? {
            Value::Null => None,
            Value::Object(object) => Some(object),
            other => {
                let message = format!(
                    "is {}; write an object such as {example}, or leave it out",
                    kind(other)
                );
                self.wrong(field, message);
                None
            }
        }
    }

    pub(crate) fn list<'a>(
        &mut self,
        field: &str,
        value: Option<&'a Value>,
        most: usize,
    ) -> Vec<&'a Value> {
        match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(list)) if list.len() > most => {
                self.wrong(field, format!("has {} entries; write at most {most}", list.len()));
                Vec::new()
            }
            Some(Value::Array(list)) => list.iter().collect(),
            Some(other) => {
                self.wrong(field, format!("is {}; write a list", kind(other)));
                Vec::new()
            }
        }
    }

    pub(crate) fn flag(&mut self, field: &str, value: Option<&Value>) -> Option<bool> {
        match value? {
            Value::Null => None,
            Value::Bool(flag) => Some(*flag),
            other => {
                let message = format!("is {}; write true or false, or leave it out", kind(other));
                self.wrong(field, message);
                None
            }
        }
    }

    pub(crate) fn idempotency_key(&mut self, key: &[u8]) -> Option<String> {
        let field = "Idempotency-Key";
        let text = std::str::from_utf8(key).unwrap_or_default().trim();
        if text.is_empty() || !text.chars().all(|c| c.is_ascii_graphic()) {
            let fix = "is not printable ASCII without spaces; send for example a UUID";
            self.wrong(field, fix);
            return None;
        }
        if text.len() > MAX_KEY {
            let message = format!(
                "has {} characters; send at most {MAX_KEY}, for example a UUID",
                text.len()
            );
            self.wrong(field, message);
            return None;
        }
        Some(text.to_owned())
    }
}

/// A JSON value's kind, for people.
pub(crate) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
