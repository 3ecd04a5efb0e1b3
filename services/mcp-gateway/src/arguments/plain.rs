//! Scalars that are written without JSON syntax.

use serde_json::Value;

use super::fit::types;

/// Whether a parameter can only be a string.
pub(super) fn is_string(schema: &Value, name: &str) -> bool {
    let property = schema.get("properties").and_then(|properties| properties.get(name));
    property.is_some_and(|property| types(property) == ["string"])
}

/// The value of a word that is not JSON: a number, a boolean, null or a string.
pub(super) fn parse_scalar(word: &str) -> Value {
    let quoted = ['"', '\''].iter().find_map(|mark| {
        word.strip_prefix(*mark)?.strip_suffix(*mark).map(|inner| Value::String(inner.to_owned()))
    });
    if let Some(text) = quoted {
        return text;
    }
    match word.to_ascii_lowercase().as_str() {
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        "null" | "none" | "~" => return Value::Null,
        _ => {}
    }
    if let Ok(number) = word.parse::<i64>() {
        return number.into();
    }
    let numeric = word.chars().all(|letter| letter.is_ascii_digit() || "+-.eE".contains(letter));
    match word.parse::<f64>() {
        Ok(number) if numeric => number.into(),
        _ => Value::String(word.to_owned()),
    }
}
