//! Arguments that a tool does not declare: beside its parameters, and inside of objects that its schema leaves open. The class
//! of the tool was read without them.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::declared::Declared;
use crate::parameters::{doubt_of_field, read_parameters, takes_url};
use crate::request;
use crate::words::ends_with_word;

/// How deep arguments are looked into.
const DEPTH: usize = 8;
/// Last words of parameters whose members are names of what is looked for: a field of that name is data.
const FOUND_BY: &str = "annotations attributes condition conditions criteria dimensions filter filters label labels match \
    matcher matchers metadata query selector selectors tags variables";

/// Why arguments that a tool does not declare are not known to be data; none if they are.
pub fn doubt_of_undeclared(tool: Declared<'_>, arguments: &Map<String, Value>) -> Option<String> {
    doubt_beside(tool, arguments)
        .or_else(|| doubt_inside(tool, arguments))
        .or_else(|| takes_url(tool).then(|| request::doubt_of_names(arguments)).flatten())
}

fn doubt_beside(tool: Declared<'_>, arguments: &Map<String, Value>) -> Option<String> {
    let declared = tool.schema.get("properties").and_then(Value::as_object);
    let is_declared = |name: &str| declared.is_some_and(|declared| declared.contains_key(name));
    let undeclared: Map<String, Value> = arguments
        .keys()
        .filter(|name| !is_declared(name))
        .map(|name| (name.clone(), Value::Object(Map::new())))
        .collect();
    if undeclared.is_empty() {
        return None;
    }
    let schema = Map::from_iter([("properties".to_owned(), Value::Object(undeclared))]);
    let found = read_parameters(Declared { schema: &schema, ..tool });
    let judged = found.judged.first();
    found.unjudged.or_else(|| {
        judged.map(|judged| {
            format!("its parameter '{}' is judged only if declared", judged.parameter)
        })
    })
}

/// The same of the members of objects, at any depth: `options: {"method": "DELETE"}`.
fn doubt_inside(tool: Declared<'_>, arguments: &Map<String, Value>) -> Option<String> {
    let members = arguments.iter().filter(|(name, value)| {
        (value.is_object() || value.is_array()) && !ends_with_word(name, FOUND_BY)
    });
    let open: Vec<&Value> = members.map(|(_, value)| value).collect();
    if open.is_empty() {
        return None;
    }
    let declared = declared_names(tool.schema);
    open.into_iter().find_map(|value| doubt_of_members(tool, &declared, value, DEPTH))
}

fn doubt_of_members(
    tool: Declared<'_>,
    declared: &HashSet<&str>,
    value: &Value,
    depth: usize,
) -> Option<String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Some("its arguments are too deep to be judged".to_owned());
    };
    let deeper = |value: &Value| doubt_of_members(tool, declared, value, depth);
    match value {
        Value::Array(values) => values.iter().find_map(deeper),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            // What is declared was looked at with the schema.
            let found =
                (!declared.contains(name.as_str())).then(|| doubt_of_field(tool, name, value));
            let inner = || (!ends_with_word(name, FOUND_BY)).then(|| deeper(value)).flatten();
            found.flatten().or_else(inner)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The names of the parameters of a schema, at any depth.
fn declared_names(schema: &Map<String, Value>) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut open: Vec<&Map<String, Value>> = vec![schema];
    while let Some(part) = open.pop() {
        if let Some(properties) = part.get("properties").and_then(Value::as_object) {
            names.extend(properties.keys().map(String::as_str));
        }
        for value in part.values() {
            match value {
                Value::Object(inner) => open.push(inner),
                Value::Array(values) => open.extend(values.iter().filter_map(Value::as_object)),
                _ => {}
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(name: &str, properties: &Value, arguments: &Value) -> Option<String> {
        let schema = Map::from_iter([("properties".to_owned(), properties.clone())]);
        let tool = Declared { server: "s", name, description: "", schema: &schema };
        doubt_of_undeclared(tool, arguments.as_object().unwrap())
    }

    #[test]
    fn what_a_tool_does_not_declare_is_no_program_or_switch() {
        let name = json!({"name": {"type": "string"}});
        let found = |arguments: &Value| found("list_users", &name, arguments);
        assert_eq!(found(&json!({"name": "a", "namespace": "b", "limit": 5})), None);
        for arguments in [
            json!({"force": true}),
            json!({"name": "a", "sql": "DROP TABLE t"}),
            json!({"method": "DELETE"}),
            json!({"command": ["sh"]}),
            json!({"dry_run": false}),
        ] {
            assert!(found(&arguments).is_some(), "{arguments}");
        }
    }

    #[test]
    fn an_object_that_a_schema_leaves_open_hides_no_method_program_or_switch() {
        let object = json!({"type": "object"});
        let request = json!({
            "url": {"type": "string"}, "options": object, "headers": object,
            "parts": {"type": "array"}, "page": {"type": "object", "properties": {"size": {"type": "integer"}}},
        });
        let found = |arguments: &Value| found("get_url", &request, arguments);
        for arguments in [
            json!({"url": "/a", "options": {"method": "DELETE"}}),
            json!({"url": "/a", "options": {"requestInit": {"httpMethod": "PUT"}}}),
            json!({"url": "/a", "options": {"verb": "purge"}}),
            json!({"url": "/a", "options": {"body": "x"}}),
            json!({"url": "/a", "options": [{"force": true}]}),
            json!({"url": "/a", "parts": [{"dry_run": false}]}),
            json!({"url": "/a", "page": {"size": 5, "script": "x"}}),
            json!({"url": "/a", "options": {"sql": "DROP TABLE t"}}),
            json!({"url": "/a", "headers": {"X-HTTP-Method-Override": "DELETE"}}),
            json!({"url": "/a", "headers": ["X-HTTP-Method: DELETE"]}),
            json!({"url": "/a?_method=delete"}),
        ] {
            assert!(found(&arguments).is_some(), "{arguments}");
        }
        let deep = (0..20).fold(json!({"a": 1}), |inner, _| json!({"a": inner}));
        assert!(found(&json!({"url": "/a", "options": deep})).is_some());
        for arguments in [
            json!({"url": "/a", "options": {"method": "GET", "timeout": 5, "redirect": "follow"}}),
            json!({"url": "/a", "headers": {"Accept": "text/html", "X-Request-Id": "1"}}),
            json!({"url": "/a", "page": {"size": 5}}),
            json!({"url": "/a", "options": {"sql": "SELECT 1"}}),
        ] {
            assert_eq!(found(&arguments), None, "{arguments}");
        }
    }

    #[test]
    fn what_is_looked_for_may_have_any_name() {
        let object = json!({"type": "object"});
        let properties = json!({"filter": object, "labelSelector": object, "options": object});
        for arguments in [
            json!({"filter": {"method": "POST", "action": "delete", "command": "sh"}}),
            json!({"labelSelector": {"script": "a"}}),
            json!({"options": {"filters": {"method": "DELETE"}}}),
        ] {
            assert_eq!(found("search_events", &properties, &arguments), None, "{arguments}");
        }
    }
}
