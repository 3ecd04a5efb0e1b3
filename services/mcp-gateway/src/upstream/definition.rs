//! The definition of one tool as its server writes it: what is missing, or of another form than the protocol's, costs the tool
//! a note and not its place.

use rmcp::model::Tool as RawTool;
use serde_json::{Map, Value, json};

/// Names of the schema of the arguments, the protocol's first.
const SCHEMAS: [&str; 7] =
    ["inputSchema", "input_schema", "parameters", "schema", "inputs", "arguments", "args"];
/// What some APIs put around a schema.
const AROUND: [&str; 3] = ["json", "jsonSchema", "schema"];
const NAMES: [&str; 3] = ["name", "tool", "tool_name"];
const DESCRIPTIONS: [&str; 3] = ["description", "title", "summary"];

/// The definitions in a page of a list; none if it is no such page.
pub(super) fn listed(page: &mut Value) -> Option<Vec<Value>> {
    let tools =
        if page.is_array() { Some(page.take()) } else { page.get_mut("tools").map(Value::take) };
    match tools? {
        Value::Array(tools) => Some(tools),
        Value::Null => Some(Vec::new()),
        Value::Object(tools) => Some(tools.into_iter().map(named).collect()),
        _ => None,
    }
}

/// A tool of an object that has the names of the tools.
fn named((name, mut tool): (String, Value)) -> Value {
    if let Value::Object(parts) = &mut tool {
        parts.entry("name").or_insert(Value::String(name));
    }
    tool
}

/// The tool, and what its definition lacks; else why there is none.
pub(super) fn read(value: Value) -> Result<(RawTool, Option<String>), String> {
    let error = match serde_json::from_value::<RawTool>(value.clone()) {
        Ok(tool) if around(&tool.input_schema).is_none() => return Ok((tool, None)),
        Ok(_) => "its schema is in another object".to_owned(),
        Err(error) => error.to_string(),
    };
    let Value::Object(object) = value else { return Err(error) };
    // As the APIs of models have it.
    let inner = object.get("function").and_then(Value::as_object).unwrap_or(&object);
    let name = NAMES.iter().find_map(|key| inner.get(*key)?.as_str());
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Err(error);
    };
    let (schema, note) = schema(inner);
    let mut mended = json!({"name": name, "inputSchema": schema});
    if let Some(parts) = mended.as_object_mut() {
        let text = DESCRIPTIONS.iter().find_map(|key| inner.get(*key)?.as_str());
        parts.extend(text.map(|text| ("description".to_owned(), text.into())));
        parts.extend(hints(inner).map(|hints| ("annotations".to_owned(), hints)));
        let output = inner.get("outputSchema").filter(|schema| schema.is_object()).cloned();
        parts.extend(output.map(|schema| ("outputSchema".to_owned(), schema)));
    }
    let tool = serde_json::from_value(mended).map_err(|_| error)?;
    Ok((tool, Some(note.to_owned())))
}

/// The schema of the arguments; any object where there is none.
fn schema(tool: &Map<String, Value>) -> (Value, &'static str) {
    let found = SCHEMAS.iter().find_map(|key| tool.get(*key).filter(|schema| !schema.is_null()));
    let object = match found {
        Some(Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object),
        Some(Value::Object(schema)) => around(schema).or(found).cloned(),
        Some(Value::Bool(false)) => {
            Some(json!({"type": "object", "properties": {}, "additionalProperties": false}))
        }
        _ => None,
    };
    match object {
        Some(schema) => (schema, "is defined in another form than the protocol's"),
        None => {
            (json!({"type": "object"}), "has no schema of its arguments, and is taken to take any")
        }
    }
}

/// The schema that stands alone in an object.
fn around(schema: &Map<String, Value>) -> Option<&Value> {
    let (name, inner) = schema.iter().next().filter(|_| schema.len() == 1)?;
    Some(inner).filter(|inner| AROUND.contains(&name.as_str()) && inner.is_object())
}

/// The hints that are truth values: no other claims anything.
fn hints(tool: &Map<String, Value>) -> Option<Value> {
    let hints = tool.get("annotations")?.as_object()?;
    let known = hints.iter().filter(|(_, value)| value.is_boolean());
    let known: Map<String, Value> =
        known.map(|(name, value)| (name.clone(), value.clone())).collect();
    (!known.is_empty()).then_some(Value::Object(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_definitions_are_tools_with_a_note() {
        let object = json!({"type": "object"});
        let path = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
        for (definition, schema) in [
            (json!({"name": "t"}), &object),
            (json!({"name": "t", "inputSchema": null}), &object),
            (json!({"name": "t", "inputSchema": true}), &object),
            (json!({"name": "t", "inputSchema": []}), &object),
            (json!({"name": "t", "inputSchema": false}), &none),
            (json!({"name": "t", "inputSchema": path.to_string()}), &path),
            (json!({"name": "t", "input_schema": path}), &path),
            (json!({"name": "t", "parameters": path}), &path),
            (json!({"type": "function", "function": {"name": "t", "parameters": path}}), &path),
            (json!({"name": "t", "inputSchema": path, "description": {"en": "Reads."}}), &path),
            (
                json!({"name": "t", "inputSchema": path, "annotations": {"readOnlyHint": "true"}}),
                &path,
            ),
            (json!({"name": "t", "inputSchema": path, "outputSchema": true}), &path),
        ] {
            let (tool, lack) = read(definition.clone()).unwrap();
            assert_eq!(tool.name, "t");
            assert_eq!(Value::Object(tool.input_schema.as_ref().clone()), *schema, "{definition}");
            assert!(lack.is_some(), "{definition}");
            let hints = tool.annotations.unwrap_or_default();
            assert_eq!(hints.read_only_hint, None, "a text is no claim");
        }
    }

    #[test]
    fn a_list_in_another_form_is_read() {
        for (mut page, names) in [
            (json!({"tools": {"a": {"inputSchema": {}}, "b": {}}}), Some(vec!["a", "b"])),
            (json!([{"name": "a", "input_schema": {}}]), Some(vec!["a"])),
            (json!({"tools": null}), Some(vec![])),
            (json!({"tools": 7}), None),
        ] {
            let found = listed(&mut page).map(|tools| {
                tools
                    .iter()
                    .map(|tool| tool["name"].as_str().unwrap().to_owned())
                    .collect::<Vec<_>>()
            });
            assert_eq!(found, names.map(|names| names.into_iter().map(str::to_owned).collect()));
        }
    }

    /// As the table above, held out until the reader was mended once.
    #[test]
    fn odd_definitions_that_were_held_out_are_tools() {
        let path = json!({"type": "object", "properties": {"path": {"type": "string"}}});
        let found: Vec<_> = [
            json!({"tool": "t", "inputSchema": path}),
            json!({"name": "t", "args": path}),
            json!({"name": "t", "inputSchema": path, "title": 7}),
            json!({"name": "t", "inputSchema": path, "icons": "x"}),
            json!({"name": "t", "inputSchema": path, "_meta": "x"}),
            json!({"name": "t", "inputSchema": {"json": path}}),
        ]
        .into_iter()
        .filter(|definition| {
            let schema = read(definition.clone()).map(|(tool, _)| tool.input_schema);
            schema.map(|schema| Value::Object(schema.as_ref().clone())) != Ok(path.clone())
        })
        .map(|definition| definition.to_string())
        .collect();
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn schemas_of_older_drafts_are_kept_as_they_are() {
        for schema in [
            json!({"$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "type": "object",
                "properties": {"n": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "required": true}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"type": "string", "nullable": true}}}),
            json!({"type": "object", "properties": {"any": true, "never": false}}),
        ] {
            let (tool, note) = read(json!({"name": "t", "inputSchema": schema})).unwrap();
            assert_eq!((Value::Object(tool.input_schema.as_ref().clone()), note), (schema, None));
        }
    }

    #[test]
    fn what_has_no_name_is_no_tool() {
        for definition in
            [json!({"inputSchema": {}}), json!({"name": 7}), json!("t"), json!({"name": ""})]
        {
            let name = read(definition.clone()).map(|(tool, _)| tool.name.into_owned());
            assert!(name.is_err() || name == Ok(String::new()), "{definition}");
        }
    }
}
