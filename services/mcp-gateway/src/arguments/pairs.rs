//! Pairs of names and values, as models write them instead of JSON.

use serde_json::{Map, Value};

use super::plain::{is_string, parse_scalar};

/// Reads `name: value` and `name=value`, one per line or several between commas; none if the text
/// does not begin with a pair.
pub(super) fn read(text: &str, schema: &Value) -> Option<Map<String, Value>> {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        for (index, fragment) in split_at_commas(line).into_iter().enumerate() {
            match split_pair(fragment) {
                Some((name, value)) => pairs.push((name, value.to_owned())),
                // A comma within a value.
                None if index > 0 => {
                    let (_, value) = pairs.last_mut()?;
                    value.push(',');
                    value.push_str(fragment.trim_end());
                }
                None => return None,
            }
        }
    }
    let value = |name: &str, word: &str| {
        let word = word.trim().trim_end_matches(',');
        match parse_scalar(word) {
            Value::String(text) => Value::String(text),
            _ if is_string(schema, name) => Value::String(word.to_owned()),
            value => value,
        }
    };
    let read: Map<String, Value> =
        pairs.into_iter().map(|(name, word)| (name.to_owned(), value(name, &word))).collect();
    (!read.is_empty()).then_some(read)
}

/// Splits a line at the commas outside of quotes and brackets.
fn split_at_commas(line: &str) -> Vec<&str> {
    let mut fragments = Vec::new();
    let (mut from, mut depth, mut quote) = (0, 0_usize, None);
    for (at, letter) in line.char_indices() {
        match letter {
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(letter),
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                fragments.push(line.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
    }
    fragments.push(line.get(from..).unwrap_or_default());
    fragments.retain(|fragment| !fragment.trim().is_empty());
    fragments
}

fn split_pair(fragment: &str) -> Option<(&str, &str)> {
    let at = fragment.find([':', '='])?;
    let (name, rest) = fragment.split_at(at);
    let name = name.trim();
    let (mark, value) = rest.split_at(1);
    let is_name = name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
        && name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let stands = mark == "=" || value.starts_with(char::is_whitespace);
    let value = value.trim();
    (is_name && stands && !value.is_empty() && !value.starts_with('=')).then_some((name, value))
}
