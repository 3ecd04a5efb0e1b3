//! Values of parameters by their schema.

use serde_json::{Value, json};

use crate::alert::snake;
use crate::transcript::Tool;

/// Lines that are asked of a log, where a number must be given.
const LINES: i64 = 200;
/// Rows of anything else.
const ROWS: i64 = 20;
/// Minutes that are looked back.
const MINUTES: i64 = 60;

/// The names of the required parameters.
pub(super) fn required(tool: &Tool) -> Vec<&str> {
    let list = tool.schema.get("required").and_then(Value::as_array);
    list.map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// A value that a required parameter has by its schema: const, default, the first choice, an amount.
pub(super) fn default_value(name: &str, schema: &Value) -> Option<Value> {
    if let Some(value) = schema.get("const").or_else(|| schema.get("default")) {
        return Some(value.clone());
    }
    if let Some(first) =
        schema.get("enum").and_then(Value::as_array).and_then(|choices| choices.first())
    {
        return Some(first.clone());
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => amount(name, schema),
        Some("boolean") => Some(json!(false)),
        Some("object") => Some(json!({})),
        Some("array") => Some(json!([])),
        _ => match snake(name).as_str() {
            "since" | "duration" | "range" | "window" | "period" | "lookback" | "time_range" => {
                Some(json!("1h"))
            }
            "description" | "reason" | "purpose" => Some(json!("investigation of an alert")),
            _ => None,
        },
    }
}

/// Rows, lines or minutes within the bounds of the schema; none for a number that means something else.
fn amount(name: &str, schema: &Value) -> Option<Value> {
    let name = snake(name);
    let has = |words: &[&str]| name.split('_').any(|word| words.contains(&word));
    let value = match () {
        () if has(&["minutes", "duration", "lookback", "window"]) => MINUTES,
        () if has(&["lines", "tail"]) => LINES,
        () if has(&["limit", "count", "max", "top", "n", "size", "last", "num", "rows"]) => ROWS,
        () => return schema.get("minimum").cloned(),
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    let value = bound("maximum").map_or(value, |most| value.min(most));
    Some(json!(bound("minimum").map_or(value, |least| value.max(least))))
}

/// The name of a parameter of the tool that is one of these.
pub(super) fn parameter<'t>(tool: &'t Tool, names: &[&str]) -> Option<&'t str> {
    let properties = tool.schema.get("properties")?.as_object()?;
    properties.keys().find(|key| names.contains(&snake(key).as_str())).map(String::as_str)
}
