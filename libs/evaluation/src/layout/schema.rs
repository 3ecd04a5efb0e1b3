//! The arguments of a tool, as its recorded calls show them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// Values of an argument that are listed; a bound on the length of a definition.
const MOST_VALUES: usize = 64;

/// A JSON Schema that all of these arguments fit. Few texts are listed as the values that are recorded.
pub(super) fn of(calls: &[&Value]) -> Value {
    let mut seen: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    let members = calls.iter().filter_map(|call| call.as_object()).flatten();
    for (name, value) in members.filter(|(_, value)| !value.is_null()) {
        seen.entry(name).or_default().push(value);
    }
    let required: Vec<&str> = seen
        .iter()
        .filter(|(_, values)| values.len() == calls.len())
        .map(|(name, _)| *name)
        .collect();
    let properties: Map<String, Value> =
        seen.iter().map(|(name, values)| ((*name).to_owned(), property(values))).collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

fn property(values: &[&Value]) -> Value {
    let kinds: BTreeSet<&str> = values.iter().map(|value| kind(value)).collect();
    let mut property = match kinds.first() {
        Some(kind) if kinds.len() == 1 => json!({ "type": kind }),
        _ => json!({}),
    };
    let texts: BTreeSet<&str> = values.iter().filter_map(|value| value.as_str()).collect();
    let is_listed =
        property.get("type").is_some_and(|kind| kind == "string") && texts.len() <= MOST_VALUES;
    if let (true, Some(property)) = (is_listed, property.as_object_mut()) {
        property.insert("enum".to_owned(), json!(texts));
    }
    property
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_every_call_are_required_and_texts_are_listed() {
        let calls = [
            json!({"kind": "pods", "wide": true, "name": null}),
            json!({"kind": "nodes", "wide": false, "name": "a"}),
        ];
        let schema = of(&calls.iter().collect::<Vec<_>>());
        assert_eq!(schema["required"], json!(["kind", "wide"]));
        assert_eq!(
            schema["properties"]["kind"],
            json!({"type": "string", "enum": ["nodes", "pods"]})
        );
        assert_eq!(schema["properties"]["wide"], json!({"type": "boolean"}));
        assert_eq!(of(&[&json!({})])["properties"], json!({}));
    }
}
