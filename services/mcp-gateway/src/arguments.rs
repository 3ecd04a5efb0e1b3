//! Reads the arguments of a call as models write them, converts values to the types in the tool's schema,
//! and validates them, so that the model gets the errors at once.

mod fit;
mod pairs;
mod plain;
mod yaml;

use serde_json::{Map, Value};

use crate::schema::{Subject, ToolSchema};

/// The name of a single value for a tool without a matching parameter.
const INPUT: &str = "input";
/// The most faults in one error message, and the most parameters.
const FAULTS: usize = 5;
const LISTED_PARAMETERS: usize = 40;

/// Reads arguments for a tool with this schema; the error lists their faults and the parameters.
pub(crate) async fn read(text: &str, schema: &ToolSchema) -> Result<Map<String, Value>, String> {
    let source = schema.source();
    let mut arguments = parse(text, source)?;
    fit::fit(&mut arguments, source);
    let arguments = Value::Object(arguments);
    let faults = schema.faults(&arguments, Subject::Arguments, FAULTS).await;
    match arguments {
        Value::Object(arguments) if faults.is_empty() => Ok(arguments),
        _ => Err(format!("{}. {}", faults.join("; "), parameters(source))),
    }
}

/// How a result differs from the schema that its tool declares; none if it does not.
pub(crate) async fn mismatch(result: &Value, schema: &ToolSchema) -> Option<String> {
    let faults = schema.faults(result, Subject::Result, FAULTS).await;
    (!faults.is_empty()).then(|| faults.join("; "))
}

/// Tries a JSON object, another JSON value, YAML with lists or mappings, pairs of names and values, and
/// last the text itself as one value, in this order.
fn parse(text: &str, schema: &Value) -> Result<Map<String, Value>, String> {
    let text = strip_code_fence(text.trim());
    if text.is_empty() {
        return Ok(Map::new());
    }
    let error = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => return Ok(object),
        Ok(Value::Null) => return Ok(Map::new()),
        Ok(value) => return Ok(single_value(value, schema)),
        Err(error) => error,
    };
    if let Some(arguments) = yaml::read(text, schema).or_else(|| pairs::read(text, schema)) {
        return Ok(arguments);
    }
    if text.starts_with(['{', '[']) {
        return Err(format!(
            "the arguments look like JSON and are invalid: {error}. {}",
            parameters(schema)
        ));
    }
    Ok(single_value(Value::String(text.to_owned()), schema))
}

/// The content of a fenced code block, if the whole text is one.
fn strip_code_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let body = inner.and_then(|inner| inner.split_once('\n')).map(|(_, body)| body);
    body.map_or(text, str::trim)
}

/// A single value is the only required parameter, or else the only one, or else `input`.
fn single_value(value: Value, schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut name = INPUT;
    if let Some(properties) = properties.filter(|properties| !properties.contains_key(INPUT)) {
        let required = schema.get("required").and_then(Value::as_array);
        let only_required = required
            .filter(|names| names.len() == 1)
            .and_then(|names| names.first())
            .and_then(Value::as_str);
        let only = properties.keys().next().filter(|_| properties.len() == 1);
        name = only_required.or(only.map(String::as_str)).unwrap_or(INPUT);
    }
    Map::from_iter([(name.to_owned(), value)])
}

/// The parameters of a tool, in one sentence.
fn parameters(schema: &Value) -> String {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return "The tool takes a JSON object.".to_owned();
    };
    if properties.is_empty() {
        return "The tool takes no parameters.".to_owned();
    }
    let required = schema.get("required").and_then(Value::as_array);
    let parameter = |(name, of): (&String, &Value)| {
        let needed = required.is_some_and(|names| names.iter().any(|known| known == name));
        let kind = fit::types(of).join(" or ");
        let kind = if kind.is_empty() { "any".to_owned() } else { kind };
        format!("{name} ({kind}{})", if needed { ", required" } else { "" })
    };
    let listed: Vec<String> = properties.iter().take(LISTED_PARAMETERS).map(parameter).collect();
    format!("The tool takes a JSON object with: {}.", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn read(text: &str, schema: Value) -> Result<Value, String> {
        super::read(text, &ToolSchema::new(schema)).await.map(Value::Object)
    }

    async fn parsed(text: &str) -> Value {
        read(text, json!({"type": "object"})).await.unwrap()
    }

    fn pods() -> Value {
        json!({
            "type": "object",
            "properties": {
                "namespace": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1},
                "all": {"type": "boolean"},
                "labels": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["namespace"],
            "additionalProperties": false,
        })
    }

    #[tokio::test]
    async fn an_object_is_passed_unchanged() {
        assert_eq!(
            parsed(r#" {"a": 1, "b": [null, "2"]} "#).await,
            json!({"a": 1, "b": [null, "2"]})
        );
        assert_eq!(parsed("```json\n{\"a\": 1}\n```").await, json!({"a": 1}));
    }

    #[tokio::test]
    async fn an_empty_text_is_no_arguments() {
        assert_eq!(parsed("").await, json!({}));
        assert_eq!(parsed("null").await, json!({}));
    }

    #[tokio::test]
    async fn a_single_value_is_the_input_or_the_only_parameter() {
        assert_eq!(parsed("[1,2]").await, json!({"input": [1, 2]}));
        assert_eq!(parsed("42").await, json!({"input": 42}));
        assert_eq!(parsed("default namespace").await, json!({"input": "default namespace"}));
        let arguments = read("kube-system", pods()).await.unwrap();
        assert_eq!(arguments, json!({"namespace": "kube-system"}));
    }

    #[tokio::test]
    async fn yaml_with_lists_and_mappings_is_read() {
        let text = "namespace: default\nlabels:\n  - app=web\n  - tier=front\nlimit: 5";
        let expected =
            json!({"namespace": "default", "labels": ["app=web", "tier=front"], "limit": 5});
        assert_eq!(read(text, pods()).await.unwrap(), expected);
        assert_eq!(parsed("{a: {b: true}}").await, json!({"a": {"b": true}}));
    }

    #[tokio::test]
    async fn pairs_are_read_with_what_their_words_mean() {
        let expected = json!({"namespace": "default", "limit": 5, "all": true});
        for text in [
            "namespace: default, limit: 5, all: true",
            "namespace=default\nlimit=5\nall=True",
            "namespace: \"default\"\nlimit: 5,\nall = true",
        ] {
            assert_eq!(read(text, pods()).await.unwrap(), expected, "{text}");
        }
        let words = "a: none, b: 1.5, c: 007x, d: 'true', e: one, two, f: -3";
        assert_eq!(
            parsed(words).await,
            json!({"a": null, "b": 1.5, "c": "007x", "d": "true", "e": "one, two", "f": -3})
        );
    }

    #[tokio::test]
    async fn a_text_stays_a_text_where_the_schema_requires_one() {
        let arguments = read("namespace: 007", pods()).await.unwrap();
        assert_eq!(arguments, json!({"namespace": "007"}));
    }

    #[tokio::test]
    async fn a_text_without_pairs_stays_a_text() {
        for text in ["https://example.org/?a=b", "who: ", "is it so?", "a == b"] {
            let arguments = parsed(text).await;
            assert_eq!(arguments, json!({"input": text.trim()}), "{text}");
        }
    }

    #[tokio::test]
    async fn values_are_converted_to_the_types_in_the_schema() {
        let text = r#"{"namespace": 7, "limit": "5", "all": "false", "labels": "[\"a\"]"}"#;
        let arguments = read(text, pods()).await.unwrap();
        let expected = json!({"namespace": "7", "limit": 5, "all": false, "labels": ["a"]});
        assert_eq!(arguments, expected);
        let arguments = read(r#"{"namespace": "a", "limit": null}"#, pods()).await.unwrap();
        assert_eq!(arguments, json!({"namespace": "a"}), "null is the same as a missing parameter");
    }

    #[tokio::test]
    async fn the_error_for_invalid_arguments_lists_the_faults_and_the_parameters() {
        let message = read(r#"{"nmespace": "a", "limit": "many"}"#, pods()).await.unwrap_err();
        assert_eq!(
            message,
            "`namespace` is missing; there is no parameter `nmespace`, did you mean `namespace`?; `limit` must \
             be of type integer, not \"many\". The tool takes a JSON object with: namespace (string, required), \
             limit (integer), all (boolean), labels (array)."
        );
    }

    #[tokio::test]
    async fn the_error_for_invalid_json_quotes_the_parser() {
        let message = read(r#"{"namespace": "a", "#, pods()).await.unwrap_err();
        assert!(message.contains("look like JSON") && message.contains("EOF"), "{message}");
    }
}
