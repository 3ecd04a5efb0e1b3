//! The arguments of a call, as models write them.

use serde_json::{Map, Value};

/// What a value that is no object is passed as.
const INPUT: &str = "input";

/// Reads arguments: a JSON object as it is, nothing as no arguments, any other JSON value, and text
/// that is no JSON, as `input`.
pub(crate) fn parse(text: &str) -> Map<String, Value> {
    let text = text.trim();
    if text.is_empty() {
        return Map::new();
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object,
        Ok(Value::Null) => Map::new(),
        Ok(value) => input(value),
        Err(_) => input(Value::String(text.to_owned())),
    }
}

fn input(value: Value) -> Map<String, Value> {
    Map::from_iter([(INPUT.to_owned(), value)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(text: &str) -> Value {
        Value::Object(parse(text))
    }

    #[test]
    fn an_object_is_passed_as_it_is() {
        assert_eq!(parsed(r#" {"a": 1} "#), json!({"a": 1}));
    }

    #[test]
    fn nothing_is_no_arguments() {
        assert_eq!(parsed(""), json!({}));
        assert_eq!(parsed("null"), json!({}));
    }

    #[test]
    fn anything_else_is_the_input() {
        assert_eq!(parsed("[1,2]"), json!({"input": [1, 2]}));
        assert_eq!(parsed("42"), json!({"input": 42}));
        assert_eq!(parsed("default namespace"), json!({"input": "default namespace"}));
    }
}
