//! The description of the API beside those of releases: what a client of a release reads and sends stays.

use std::collections::BTreeSet;

use serde_json::Value;
use tarsy_testkit::workspace;

#[test]
fn nothing_is_missing_that_a_client_of_a_release_reads_or_sends() {
    let current = serde_json::to_value(tarsy_api_gateway::openapi()).unwrap();
    let folder = workspace().join("services/api-gateway/tests/released");
    let mut compared = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let released: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let broken = breaks(&released, &current);
        assert!(broken.is_empty(), "clients of {} would miss {broken:#?}", file.display());
        compared += promises(&released).len();
    }
    assert!(compared > 1_000, "{compared} members were compared");
}

#[test]
fn what_breaks_a_client_is_found_and_what_is_added_is_not() {
    let before: Value = serde_json::from_str(BEFORE).unwrap();
    assert_eq!(breaks(&before, &before), Vec::<String>::new());
    for (from, to, expected) in [
        (r#""id": {"#, r#""key": {"#, vec!["Item.id integer", "Item.id is always there"]),
        (r#"{"type": "integer"}"#, r#"{"type": "string"}"#, vec!["Item.id integer"]),
        (r#""get""#, r#""put""#, vec!["get /a", "get /a 200 Item", "get /a ?page"]),
        (r#""page""#, r#""cursor""#, vec!["get /a ?page"]),
        (r#""required": ["id"]"#, r#""required": []"#, vec!["Item.id is always there"]),
        (r#""required": ["text"]"#, r#""required": ["text", "at"]"#, vec!["Note.at is required"]),
        (r#""slow""#, r#""calm""#, vec!["Note.speed = slow"]),
        (r#""red""#, r#""blue""#, vec!["Color = red"]),
        (
            r#""in": "query""#,
            r#""in": "query", "required": true"#,
            vec!["get /a ?page is required"],
        ),
    ] {
        let after = BEFORE.replacen(from, to, 1);
        assert_ne!(after, BEFORE, "{from}");
        assert_eq!(breaks(&before, &serde_json::from_str(&after).unwrap()), expected, "{to}");
    }
    let added = BEFORE.replace(r#""at": {"#, r#""until": {"type": "string"}, "at": {"#);
    let added = added.replace(r#"["slow""#, r#"["fast", "slow""#);
    assert_eq!(breaks(&before, &serde_json::from_str(&added).unwrap()), Vec::<String>::new());
}

const BEFORE: &str = r##"{
  "paths": {"/a": {
    "get": {
      "parameters": [{"name": "page", "in": "query"}],
      "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}}}
    },
    "post": {
      "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
      "responses": {"202": {}}
    }
  }},
  "components": {"schemas": {
    "Color": {"enum": ["red", "green"], "type": "string"},
    "Item": {"required": ["id"], "properties": {"id": {"type": "integer"}}},
    "Note": {"required": ["text"], "properties": {
      "text": {"type": "string"}, "at": {"type": "string"}, "speed": {"enum": ["slow", "quick"], "type": "string"}
    }}
  }}
}"##;

/// What a client of `before` would miss in `after`, and what `after` asks of it that it does not send.
fn breaks(before: &Value, after: &Value) -> Vec<String> {
    let (promised, kept) = (promises(before), promises(after));
    let missing = promised.difference(&kept).cloned();
    let (known, asked) = (demands(before), demands(after));
    let new = asked.difference(&known).filter(|demand| {
        let subject = demand.split(['.', '?']).next().unwrap().trim();
        promised.iter().any(|promise| promise.starts_with(subject))
    });
    let mut all: Vec<String> = missing.chain(new.cloned()).collect();
    all.sort();
    all
}

/// What clients rely on: operations with their parameters and answers, and the members and values of schemas.
fn promises(description: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (operation, described) in operations(description) {
        found.insert(operation.clone());
        for parameter in list(&described["parameters"]) {
            found.insert(format!("{operation} ?{}", text(&parameter["name"])));
        }
        for (status, answer) in members(&described["responses"]) {
            for (_, content) in members(&answer["content"]) {
                found.insert(format!("{operation} {status} {}", kind(&content["schema"])));
            }
        }
    }
    let sent = sent(description);
    for (name, schema) in members(&description["components"]["schemas"]) {
        found.extend(list(&schema["enum"]).map(|value| format!("{name} = {}", text(value))));
        for (path, member, required) in flattened(schema, name) {
            found.insert(format!("{path} {}", kind(member)));
            let values = list(&member["enum"]).map(|value| format!("{path} = {}", text(value)));
            found.extend(values);
            if required && !sent.contains(name.as_str()) {
                found.insert(format!("{path} is always there"));
            }
        }
    }
    found
}

/// What clients must send.
fn demands(description: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (operation, described) in operations(description) {
        let required = list(&described["parameters"]).filter(|one| one["required"] == true);
        found
            .extend(required.map(|one| format!("{operation} ?{} is required", text(&one["name"]))));
    }
    let sent = sent(description);
    for (name, schema) in members(&description["components"]["schemas"]) {
        let required = flattened(schema, name).into_iter().filter(|(_, _, required)| *required);
        if sent.contains(name.as_str()) {
            found.extend(required.map(|(path, _, _)| format!("{path} is required")));
        }
    }
    found
}

/// The names of the schemas that a request may have, within others, too.
fn sent(description: &Value) -> BTreeSet<String> {
    let mut open: Vec<String> = operations(description)
        .flat_map(|(_, described)| references(&described["requestBody"]))
        .collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        open.extend(references(&description["components"]["schemas"][&name]));
        if !found.insert(name) {
            open.retain(|name| !found.contains(name));
        }
    }
    found
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value) {
                ("$ref", Value::String(target)) => vec![last(target)],
                _ => references(value),
            })
            .collect(),
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// The members of a schema and of what stands in it, each by its path, and whether it is required.
fn flattened<'a>(schema: &'a Value, path: &str) -> Vec<(String, &'a Value, bool)> {
    let mut found = Vec::new();
    for (name, member) in members(&schema["properties"]) {
        let path = format!("{path}.{name}");
        let required = list(&schema["required"]).any(|required| required == name.as_str());
        found.extend(flattened(member, &path));
        found.push((path, member, required));
    }
    found.extend(flattened_if_any(&schema["items"], path));
    for part in ["allOf", "oneOf", "anyOf"] {
        found.extend(list(&schema[part]).flat_map(|one| flattened(one, path)));
    }
    found
}

fn flattened_if_any<'a>(schema: &'a Value, path: &str) -> Vec<(String, &'a Value, bool)> {
    if schema.is_null() { Vec::new() } else { flattened(schema, &format!("{path}[]")) }
}

/// The type of a value in one word; of a schema with a name, that name.
fn kind(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return last(target);
    }
    let parts = ["oneOf", "anyOf", "allOf"].into_iter().flat_map(|part| list(&schema[part]));
    let parts: Vec<String> = parts.map(kind).collect();
    if !parts.is_empty() {
        return parts.join("|");
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" => format!("{}[]", self::kind(&schema["items"])),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().map(text).collect::<Vec<_>>().join("|"),
        _ => "any".to_owned(),
    }
}

fn operations(description: &Value) -> impl Iterator<Item = (String, &Value)> {
    members(&description["paths"]).flat_map(|(path, methods)| {
        members(methods).map(move |(method, described)| (format!("{method} {path}"), described))
    })
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn last(reference: &str) -> String {
    reference.rsplit('/').next().unwrap_or_default().to_owned()
}
