//! Arguments of a tool, as they are written on a command line.

use serde_json::{Map, Value};

/// Makes `key=value` pairs, or one JSON object, the arguments of a tool with this schema. A value that
/// the schema wants as text stays text; any other is read as JSON if it is JSON.
pub(super) fn parse(words: &[String], schema: &Value) -> anyhow::Result<Map<String, Value>> {
    if let [one] = words
        && one.trim_start().starts_with('{')
    {
        return serde_json::from_str(one)
            .map_err(|error| anyhow::anyhow!("the arguments are not a JSON object: {error}"));
    }
    let mut arguments = Map::new();
    for word in words {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            anyhow::bail!("{word:?} is not an argument; write key=value, or one JSON object");
        };
        let property = schema.get("properties").and_then(|all| all.get(name));
        arguments.insert(name.to_owned(), read(value, property));
    }
    Ok(arguments)
}

fn read(value: &str, property: Option<&Value>) -> Value {
    let text = || Value::String(value.to_owned());
    let is_text =
        property.and_then(|property| property.get("type")).is_some_and(|kind| kind == "string");
    if is_text { text() } else { serde_json::from_str(value).unwrap_or_else(|_| text()) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(words: &[&str]) -> anyhow::Result<Value> {
        let schema =
            json!({"properties": {"name": {"type": "string"}, "limit": {"type": "integer"}}});
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        parse(&words, &schema).map(Value::Object)
    }

    #[test]
    fn pairs_become_what_the_schema_wants() {
        let wanted = json!({"name": "7", "limit": 7, "other": [1], "free": "a=b"});
        let given = parsed(&["name=7", "limit=7", "other=[1]", "free=a=b"]).unwrap();
        assert_eq!(given, wanted);
    }

    #[test]
    fn one_json_object_is_taken_as_it_is() {
        assert_eq!(parsed(&[r#"{"a": {"b": 1}}"#]).unwrap(), json!({"a": {"b": 1}}));
        assert!(parsed(&["{"]).unwrap_err().to_string().contains("not a JSON object"));
    }

    #[test]
    fn a_word_that_is_no_pair_is_reported() {
        assert!(parsed(&["limit"]).unwrap_err().to_string().contains("key=value"));
        assert!(parsed(&["=x"]).is_err());
    }
}
