//! Whether a masked text has the structure of the text before.

use granit_parser::{Event, Parser};
use serde_json::Value;

/// What is wrong with the structure, if anything.
pub(super) fn complaint(shape: &str, before: &str, after: &str) -> Option<String> {
    match shape {
        "json" => json(before, after).err(),
        "yaml" => yaml(before, after).err(),
        "text" => None,
        other => Some(format!("no such shape: {other}")),
    }
}

fn json(before: &str, after: &str) -> Result<(), String> {
    let tree: Value =
        serde_json::from_str(before).map_err(|error| format!("the case is no JSON: {error}"))?;
    let masked: Value =
        serde_json::from_str(after).map_err(|error| format!("it is no JSON any more: {error}"))?;
    same_json(&tree, &masked)
}

fn same_json(before: &Value, after: &Value) -> Result<(), String> {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            for ((key, a), (other, b)) in a.iter().zip(b) {
                if key != other {
                    return Err(format!("the key {key:?} became {other:?}"));
                }
                same_json(a, b)?;
            }
            Ok(())
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| same_json(a, b))
        }
        (Value::Object(_) | Value::Array(_), _) => Err(format!("{before} became {after}")),
        (a, b) if a == b => Ok(()),
        (_, Value::String(text)) if text.contains("[MASKED_") => Ok(()),
        (a, b) => Err(format!("{a} became {b}")),
    }
}

fn yaml(before: &str, after: &str) -> Result<(), String> {
    let tree = events(before).map_err(|error| format!("the case is no YAML: {error}"))?;
    let masked = events(after).map_err(|error| format!("it is no YAML any more: {error}"))?;
    if tree.len() != masked.len() {
        return Err(format!("{} events became {}", tree.len(), masked.len()));
    }
    for (a, b) in tree.iter().zip(&masked) {
        if a != b
            && !(a.starts_with("scalar ") && b.starts_with("scalar ") && b.contains("MASKED_"))
        {
            return Err(format!("{a:?} became {b:?}"));
        }
    }
    Ok(())
}

/// What a YAML parser sees; an unquoted mask is a list of one word to it, and counts as a scalar here.
fn events(text: &str) -> Result<Vec<String>, String> {
    let mut seen: Vec<String> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        seen.push(match event {
            Event::Scalar(value, ..) => format!("scalar {value}"),
            Event::SequenceStart(..) => "[".to_owned(),
            Event::SequenceEnd => "]".to_owned(),
            Event::MappingStart(..) => "{".to_owned(),
            Event::MappingEnd => "}".to_owned(),
            other => format!("{:?}", std::mem::discriminant(&other)),
        });
        if let [.., open, word, close] = &mut *seen
            && open == "["
            && word.starts_with("scalar MASKED_")
            && close == "]"
        {
            let word = format!("scalar [{}]", word.trim_start_matches("scalar "));
            seen.truncate(seen.len() - 3);
            seen.push(word);
        }
    }
    Ok(seen)
}
