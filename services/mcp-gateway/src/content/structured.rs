//! Whether the structured content of a result is in its texts already.

use serde_json::Value;

/// The most values of structured content that are searched in a result's text, and the most bytes that
/// are searched.
const COMPARED: usize = 2_000;
const COMPARED_BYTES: usize = 64 * 1024 * 1024;

/// Whether texts contain the structured content already, as the protocol recommends: one of them is the
/// same JSON, or together they contain every value.
pub(super) fn contain(texts: &[String], structured: &Value) -> bool {
    if texts.is_empty() {
        return false;
    }
    let same = |text: &String| serde_json::from_str::<Value>(text).is_ok_and(|v| v == *structured);
    if texts.iter().any(same) {
        return true;
    }
    let mut wanted = Vec::new();
    collect_values(structured, &mut wanted);
    let bytes: usize = texts.iter().map(String::len).sum();
    wanted.len() <= COMPARED && wanted.len().saturating_mul(bytes) <= COMPARED_BYTES && {
        let texts: Vec<String> = texts.iter().map(|text| bare(text)).collect();
        wanted
            .iter()
            .map(|value| bare(value))
            .all(|value| texts.iter().any(|one| one.contains(&value)))
    }
}

/// A text without what differs between its forms: YAML breaks long lines and doubles quotes, JSON escapes them.
fn bare(text: &str) -> String {
    let text = text.replace("\\n", "").replace("\\t", "");
    text.chars().filter(|one| !one.is_whitespace() && !matches!(one, '"' | '\'' | '\\')).collect()
}

/// The texts and numbers in a value, up to one more than are compared.
fn collect_values(of: &Value, found: &mut Vec<String>) {
    if found.len() > COMPARED {
        return;
    }
    match of {
        Value::String(text) if !text.trim().is_empty() => found.push(text.trim().to_owned()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(parts) => parts.iter().for_each(|part| collect_values(part, found)),
        Value::Object(parts) => parts.values().for_each(|part| collect_values(part, found)),
        _ => {}
    }
}
