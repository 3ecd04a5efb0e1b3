//! A tool's answer as text: all that can be read is read, and what cannot is named.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::limits;
use crate::upstream::Answer;

/// How many values of a structured content are looked for in a result's text, and in how much text in all.
const COMPARED: usize = 2_000;
const COMPARED_BYTES: usize = 64 * 1024 * 1024;

/// An answer as text.
pub(crate) struct Text {
    /// The text, not yet masked.
    pub(crate) text: String,
    /// The tool says that it failed.
    pub(crate) is_error: bool,
}

/// Makes an answer text.
pub(crate) fn read(answer: Answer) -> Text {
    match answer {
        Answer::Proper(result, mismatch) => proper(*result, mismatch),
        Answer::Odd(value) => {
            let is_error = value.get("isError").and_then(Value::as_bool).unwrap_or(false);
            Text { text: value.to_string(), is_error }
        }
    }
}

fn proper(result: CallToolResult, mismatch: Option<String>) -> Text {
    let is_error = result.is_error.unwrap_or(false);
    let texts: Vec<String> =
        result.content.iter().filter(|block| is_text(block)).cloned().map(block).collect();
    let mut parts: Vec<String> = result.content.into_iter().map(block).collect();
    if let Some(structured) = result.structured_content.filter(|content| !repeat(&texts, content)) {
        parts.push(structured.to_string());
    }
    if let Some(mismatch) = mismatch {
        parts.push(format!(
            "[note: the result is not as the tool declares it, so parts of it may mean something else: {mismatch}]"
        ));
    }
    Text { text: parts.join("\n"), is_error }
}

/// Whether texts already say what the structured content does, as the protocol asks of servers: one is the
/// same as JSON, or every value stands in them.
fn repeat(texts: &[String], structured: &Value) -> bool {
    if texts.is_empty() {
        return false;
    }
    let same = |text: &String| serde_json::from_str::<Value>(text).is_ok_and(|v| v == *structured);
    if texts.iter().any(same) {
        return true;
    }
    let mut said = Vec::new();
    values(structured, &mut said);
    let bytes: usize = texts.iter().map(String::len).sum();
    said.len() <= COMPARED && said.len().saturating_mul(bytes) <= COMPARED_BYTES && {
        said.iter().all(|value| {
            // Inside a text that is JSON it is written with its escapes.
            let written = Value::from(value.as_str()).to_string();
            let written = written.trim_matches('"');
            texts.iter().any(|text| text.contains(value.as_str()) || text.contains(written))
        })
    }
}

/// The texts and numbers in a value, as far as they are compared.
fn values(of: &Value, found: &mut Vec<String>) {
    if found.len() > COMPARED {
        return;
    }
    match of {
        Value::String(text) if !text.trim().is_empty() => found.push(text.trim().to_owned()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(parts) => parts.iter().for_each(|part| values(part, found)),
        Value::Object(parts) => parts.values().for_each(|part| values(part, found)),
        _ => {}
    }
}

fn is_text(block: &ContentBlock) -> bool {
    match block {
        ContentBlock::Text(_) => true,
        ContentBlock::Resource(embedded) => {
            matches!(embedded.resource, ResourceContents::TextResourceContents { .. })
        }
        _ => false,
    }
}

fn block(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => binary("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => binary("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(link) => {
            let kind = link.mime_type.map(|kind| format!(", {kind}")).unwrap_or_default();
            format!("[resource '{}' at {}{kind}]", link.title.unwrap_or(link.name), link.uri)
        }
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.unwrap_or_else(|| "unknown type".to_owned());
                format!("[resource at {uri}, {kind}, {} bytes, not shown]", decoded(&blob))
            }
            _ => "[a resource of an unknown kind, not shown]".to_owned(),
        },
        _ => "[content of an unknown kind, not shown]".to_owned(),
    }
}

fn binary(what: &str, kind: &str, base64: &str) -> String {
    format!("[{what}: {kind}, {} bytes, not shown]", decoded(base64))
}

/// How many bytes a base64 text stands for.
fn decoded(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

/// Cuts a text that is longer than `limit` bytes, at a letter's end.
pub(crate) fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
        text.push('…');
    }
    text
}

/// Cuts a result that is longer than any result may be, and says so in it.
pub(crate) fn bounded(mut text: String) -> String {
    let whole = text.len();
    if whole > limits::RESULT_BYTES {
        text.truncate(text.floor_char_boundary(limits::RESULT_BYTES));
        let kept = limits::RESULT_BYTES;
        let note = format!(
            "\n[cut here: the result has {whole} bytes and only the first {kept} are kept; ask for less]"
        );
        text.push_str(&note);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(result: Value) -> String {
        read(Answer::Proper(Box::new(serde_json::from_value(result).unwrap()), None)).text
    }

    #[test]
    fn texts_are_joined_and_other_content_is_named() {
        let told = text(json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "file:///x", "name": "x"},
            {"type": "resource", "resource": {"uri": "file:///y", "text": "two"}},
            {"type": "resource", "resource": {"uri": "file:///z", "blob": "AAAAAAAA"}},
        ]}));
        assert_eq!(
            told,
            "one\n[image: image/png, 3 bytes, not shown]\n[resource 'x' at file:///x]\ntwo\n\
             [resource at file:///z, unknown type, 6 bytes, not shown]"
        );
    }

    #[test]
    fn structured_content_is_read_when_there_is_no_text() {
        assert_eq!(text(json!({"content": [], "structuredContent": {"a": 1}})), r#"{"a":1}"#);
        let both = json!({
            "content": [{"type": "text", "text": "t"}],
            "structuredContent": {"a": 1},
        });
        assert_eq!(text(both), "t\n{\"a\":1}");
    }

    #[test]
    fn structured_content_that_the_text_repeats_is_not_told_twice() {
        for (told, structured) in [
            ("{\n  \"pods\": [\"a\", \"b\"]\n}", json!({"pods": ["a", "b"]})),
            ("one \"line\"\nand more\n", json!({"content": "one \"line\"\nand more"})),
            ("a: 3 restarts, b: 0 restarts", json!({"result": [{"a": 3}, {"b": 0}]})),
            ("[{\"text\": \"x\\ty\"}]", json!({"result": [{"text": "x\ty"}]})),
            ("done", json!({"ok": true})),
        ] {
            let result = json!({
                "content": [{"type": "text", "text": told}],
                "structuredContent": structured,
            });
            assert_eq!(text(result), told);
        }
        let more = json!({
            "content": [{"type": "text", "text": "Found 2 pods."}],
            "structuredContent": {"pods": ["a-1", "b-2"]},
        });
        assert_eq!(text(more), "Found 2 pods.\n{\"pods\":[\"a-1\",\"b-2\"]}");
    }

    #[test]
    fn a_cut_never_splits_a_letter() {
        assert_eq!(cut("äöü".to_owned(), 3), "ä…");
        assert_eq!(cut("abc".to_owned(), 3), "abc");
    }
}
