//! Converts values to the types in a schema: a number written as a string, a null for a missing value.

use serde_json::{Map, Value};

/// Converts values to the types of their parameters where the conversion is lossless.
pub(super) fn fit(arguments: &mut Map<String, Value>, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    arguments.retain(|name, value| {
        let types = properties.get(name).map(types).unwrap_or_default();
        if types.is_empty() || types.iter().any(|kind| is_of(value, kind)) {
            return true;
        }
        if value.is_null() {
            return is_required(name);
        }
        if let Some(fitting) = types.iter().find_map(|kind| converted(value, kind)) {
            *value = fitting;
        }
        true
    });
}

/// The types that a schema allows by `type`, or by the `type` of each choice; empty if unknown.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => return vec![kind],
        Some(Value::Array(kinds)) => return kinds.iter().filter_map(Value::as_str).collect(),
        _ => {}
    }
    let choices = ["anyOf", "oneOf"].iter().find_map(|word| schema.get(word)?.as_array());
    let mut found: Vec<&str> = Vec::new();
    for choice in choices.into_iter().flatten() {
        match choice.get("type").and_then(Value::as_str) {
            Some(kind) if !found.contains(&kind) => found.push(kind),
            Some(_) => {}
            None => return Vec::new(),
        }
    }
    found
}

/// Whether a value is of one of JSON Schema's types.
pub(super) fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        // An unknown type accepts every value.
        _ => true,
    }
}

fn converted(value: &Value, kind: &str) -> Option<Value> {
    match (value, kind) {
        (Value::Number(_) | Value::Bool(_), "string") => Some(Value::String(value.to_string())),
        (Value::String(text), "integer" | "number" | "boolean" | "array" | "object") => {
            let text = text.trim();
            let lower = text.to_ascii_lowercase();
            let text = if kind == "boolean" { lower.as_str() } else { text };
            serde_json::from_str(text).ok().filter(|read| is_of(read, kind))
        }
        _ => None,
    }
}
