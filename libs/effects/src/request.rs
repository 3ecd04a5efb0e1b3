//! What else than its method decides what a request does.

use serde_json::{Map, Value};

use crate::words::words;

/// How deep arguments are looked into.
const DEPTH: usize = 8;
/// How servers write `_` in an address.
const ESCAPED: [&str; 2] = ["%5f", "%5F"];

/// Why a request may have another method than the one that was judged: by a header, a field or a part of its address that
/// servers take in its place, or by a line break that begins another request.
pub(crate) fn doubt(arguments: &Map<String, Value>) -> Option<String> {
    of_object(arguments, DEPTH)
        .or_else(|| arguments.values().find_map(|value| broken(value, DEPTH)))
}

/// The same without line breaks: of a request that a tool makes by itself, no argument need be a part of its address.
pub(crate) fn doubt_of_names(arguments: &Map<String, Value>) -> Option<String> {
    of_object(arguments, DEPTH)
}

/// Why a text has the beginning of another request.
fn broken(value: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Object(fields) => fields.values().find_map(|value| broken(value, depth)),
        Value::Array(values) => values.iter().find_map(|value| broken(value, depth)),
        Value::String(text) => text
            .contains(['\r', '\n', '\0'])
            .then(|| "a line break in its arguments may begin another request".to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn of_object(fields: &Map<String, Value>, depth: usize) -> Option<String> {
    let overrides = fields.keys().find(|name| names_method(name));
    if let Some(name) = overrides {
        return Some(format!("'{name}' may take the place of the method"));
    }
    fields.values().find_map(|value| of_value(value, depth))
}

fn of_value(value: &Value, depth: usize) -> Option<String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Some("its arguments are too deep to be judged".to_owned());
    };
    match value {
        Value::Object(fields) => of_object(fields, depth),
        Value::Array(values) => values.iter().find_map(|value| of_value(value, depth)),
        Value::String(text) => of_text(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn of_text(text: &str) -> Option<String> {
    let text = ESCAPED.iter().fold(text.to_owned(), |text, escaped| text.replace(escaped, "_"));
    let names =
        text.split(['?', '&', ';', '=', ':', ' ', '"', '\r', '\n']).find(|name| names_method(name));
    names.map(|name| format!("'{name}' may take the place of the method"))
}

/// `X-HTTP-Method-Override`, `_method`: a name that servers read the method from.
fn names_method(name: &str) -> bool {
    let named = words(name);
    let is = |at: usize, known: &[&str]| {
        named.get(at).is_some_and(|word| known.contains(&word.as_str()))
    };
    let is_header = is(0, &["x"]) && is(1, &["http", "method", "original", "override", "rewrite"]);
    let has_method = named.iter().any(|word| ["method", "verb"].contains(&word.as_str()));
    let overrides = named.iter().any(|word| word == "override");
    ((overrides || is_header) && has_method) || name.trim().starts_with("_method")
}
