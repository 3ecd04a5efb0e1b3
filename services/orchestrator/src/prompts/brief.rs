//! Tools in few words, for a model with a small context window.

use serde_json::{Map, Value, json};
use tarsy_contracts::mcp::Tool;

/// The longest description of a tool, in bytes; its first sentence may be cut.
const TOOL_BYTES: usize = 160;
/// The same of one that is offered by its name.
const NAMED_BYTES: usize = 80;
/// The same of an argument.
const ARGUMENT_BYTES: usize = 80;
/// Keywords of a schema that a model need not read: the gateway checks arguments against the whole schema.
const LEFT_OUT: [&str; 8] =
    ["$schema", "$comment", "title", "examples", "minLength", "maxLength", "pattern", "format"];

/// A tool with its first sentences, and a schema without what the gateway checks anyway.
pub(crate) fn brief(tool: &Tool) -> Tool {
    Tool {
        description: sentences(&tool.description, TOOL_BYTES),
        input_schema: shorter(&tool.input_schema),
        ..tool.clone()
    }
}

/// A tool with its first sentence, which takes any arguments: an answer to a call that fails has its schema.
pub(crate) fn named(tool: &Tool) -> Tool {
    Tool {
        description: sentences(&tool.description, NAMED_BYTES),
        input_schema: json!({"type": "object", "additionalProperties": true}),
        ..tool.clone()
    }
}

/// The answer to a failed call of a tool that is offered by its name.
pub(crate) fn with_arguments(answer: &str, tool: &Tool) -> String {
    let schema = shorter(&tool.input_schema);
    format!("{answer}\n\nThe arguments of {}, as a JSON Schema: {schema}", tool.full_name())
}

/// The first sentences of a text that have at most so many bytes together; of a longer first one, its beginning.
fn sentences(text: &str, bytes: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() <= bytes {
        return text;
    }
    let most = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
    let fits = text.get(..most).unwrap_or_default();
    let end = fits.rfind(". ").map(|at| at + 1).or_else(|| fits.rfind(' '));
    end.and_then(|at| fits.get(..at)).unwrap_or(fits).to_owned()
}

fn shorter(schema: &Value) -> Value {
    match schema {
        Value::Object(keywords) => Value::Object(keywords.iter().filter_map(keyword).collect()),
        Value::Array(schemas) => schemas.iter().map(shorter).collect(),
        other => other.clone(),
    }
}

fn keyword((name, value): (&String, &Value)) -> Option<(String, Value)> {
    let value = match (name.as_str(), value) {
        (left_out, _) if LEFT_OUT.contains(&left_out) => return None,
        ("description", Value::String(text)) => Value::String(sentences(text, ARGUMENT_BYTES)),
        // What stands below are names, not keywords.
        ("properties" | "patternProperties" | "$defs" | "definitions", Value::Object(named)) => {
            let each = named.iter().map(|(name, schema)| (name.clone(), shorter(schema)));
            Value::Object(each.collect::<Map<_, _>>())
        }
        ("enum" | "const" | "default" | "required", _) => value.clone(),
        _ => shorter(value),
    };
    Some((name.clone(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        Tool {
            server: "logs".to_owned(),
            name: "tail".to_owned(),
            description: format!("Reads the\n  newest lines. {}", "Many words. ".repeat(30)),
            input_schema: json!({
                "$schema": "x", "title": "Tail", "type": "object", "required": ["title"],
                "properties": {"title": {"type": "string", "maxLength": 9, "description": "Of the file. ".repeat(9)},
                    "level": {"enum": ["info"], "default": {"title": 1}}},
            }),
            read_only: true,
            idempotent: true,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }
    }

    #[test]
    fn a_brief_tool_keeps_names_types_and_whole_sentences() {
        let brief = brief(&tool());
        assert!(brief.description.starts_with("Reads the newest lines. Many words."));
        assert!(brief.description.ends_with("words.") && brief.description.len() <= TOOL_BYTES);
        let about = "Of the file. ".repeat(6).trim_end().to_owned();
        assert_eq!(
            brief.input_schema,
            json!({
                "type": "object", "required": ["title"],
                "properties": {"title": {"type": "string", "description": about},
                    "level": {"enum": ["info"], "default": {"title": 1}}},
            })
        );
    }

    #[test]
    fn a_tool_that_is_only_named_has_its_arguments_in_the_answer_to_a_call_that_fails() {
        assert!(named(&tool()).input_schema.get("properties").is_none());
        let answer = with_arguments("title is missing", &tool());
        assert!(answer.starts_with("title is missing\n\nThe arguments of logs.tail"), "{answer}");
        assert!(answer.contains(r#""required":["title"]"#), "{answer}");
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(sentences(&"é".repeat(100), 81), "é".repeat(40));
        assert_eq!(sentences("short", 80), "short");
    }
}
