//! JSON that is small, yet has lines to quote: one line per key, one line per element of a list.

use serde_json::Value;

/// The longest answer; what is beyond is cut, and the text says so.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Writes an answer as JSON text, broken into lines at the first two levels.
pub(crate) fn render(value: &Value) -> String {
    let mut text = String::with_capacity(1024);
    write(&mut text, value, 0);
    if text.len() > MAX_TEXT_BYTES {
        let mut end = MAX_TEXT_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("\n… cut at 64 KiB: ask for less (a smaller limit, fewer lines, a filter)");
    }
    text
}

fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(map) if depth < 2 && !map.is_empty() && (depth == 0 || is_nested(value)) => {
            text.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                separate(text, index, depth + 1);
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push_str(": ");
                write(text, item, depth + 1);
            }
            close(text, depth, '}');
        }
        Value::Array(items) if depth < 3 && !items.is_empty() => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(text, index, depth + 1);
                text.push_str(&item.to_string());
            }
            close(text, depth, ']');
        }
        other => text.push_str(&other.to_string()),
    }
}

fn is_nested(value: &Value) -> bool {
    value.as_object().is_some_and(|map| {
        map.values().any(|item| item.as_array().is_some_and(|items| !items.is_empty()))
    })
}

fn separate(text: &mut String, index: usize, depth: usize) {
    text.push_str(if index == 0 { "\n" } else { ",\n" });
    text.extend(std::iter::repeat_n("  ", depth));
}

fn close(text: &mut String, depth: usize, bracket: char) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
    text.push(bracket);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_key_and_every_list_element_has_its_own_line() {
        let value =
            json!({"cores": 2, "load": {"1m": 0.5}, "disks": [{"mount": "/"}, {"mount": "/data"}]});
        assert_eq!(
            render(&value),
            "{\n  \"cores\": 2,\n  \"load\": {\"1m\":0.5},\n  \"disks\": [\n    {\"mount\":\"/\"},\n    {\"mount\":\"/data\"}\n  ]\n}"
        );
    }

    #[test]
    fn the_text_is_still_the_same_json() {
        let value = json!({"a": {"list": [1, [2], {}], "b": "x\"y"}, "empty": [], "none": null, "nested": {"c": {"d": [1]}}});
        let back: Value = serde_json::from_str(&render(&value)).expect("valid JSON");
        assert_eq!(back, value);
    }

    #[test]
    fn a_large_answer_is_truncated_with_a_note() {
        let value = json!({"lines": vec!["é".repeat(100); 2000]});
        let text = render(&value);
        assert!(text.len() < MAX_TEXT_BYTES + 200);
        assert!(text.contains("cut at 64 KiB"));
    }
}
