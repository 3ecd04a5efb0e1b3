//! A YAML text as a JSON value, for files that are no configuration.

use serde_json::{Map, Number, Value};

use super::{Kind, Node, parse};
use crate::report::Problem;

/// Reads a YAML text. `{{.NAME}}` stays as it is written; an empty text is an empty object. The error is the first problem.
pub fn yaml_value(file: &str, text: &str) -> Result<Value, Problem> {
    let (node, problems) = parse(file, text, None);
    match problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(value(&node)),
    }
}

fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar { .. } if node.is_null() => Value::Null,
        Kind::Scalar { written, plain: true, .. } => plain(written),
        Kind::Scalar { written, .. } => Value::String(written.clone()),
        Kind::List(items) => Value::Array(items.iter().map(value).collect()),
        Kind::Map(entries) => {
            let members = entries.iter().map(|entry| (entry.key.clone(), value(&entry.value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

/// A scalar without quotes: a boolean, a number, or a text.
fn plain(text: &str) -> Value {
    let number = || {
        let whole = text.parse::<i64>().ok().map(Number::from);
        whole.or_else(|| Number::from_f64(text.parse::<f64>().ok()?))
    };
    match text {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number().map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_have_their_type_and_templates_stay() {
        let text = "a: 1\nb: 1.5\nc: yes\nd: true\ne: ~\nf: \"2\"\ng: 'as {{.HOME}} is'\nh: [x, {y: z}]\ni: |\n  two\n  lines\n";
        let expected = json!({
            "a": 1, "b": 1.5, "c": "yes", "d": true, "e": null, "f": "2", "g": "as {{.HOME}} is",
            "h": ["x", {"y": "z"}], "i": "two\nlines\n",
        });
        assert_eq!(yaml_value("x.yaml", text).unwrap(), expected);
        let problem = yaml_value("x.yaml", "a: [\n").unwrap_err();
        assert_eq!((problem.file.as_str(), problem.line > 0), ("x.yaml", true));
    }
}
