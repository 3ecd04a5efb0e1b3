//! Converts a tool's response to text; content that has no text is described.

mod binary;
mod loose;
mod structured;

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use self::binary::{binary_text, decoded_length, text_of};
use self::structured::contain;
use crate::limits;
use crate::upstream::ToolResponse;

/// A failure without a reason.
const NO_REASON: &str = "The tool reports that the call failed, and gives no reason.";

/// A response before it is masked.
pub(crate) struct UnmaskedResult {
    pub(crate) text: String,
    /// The tool reports a failure.
    pub(crate) is_error: bool,
}

pub(crate) fn to_text(response: ToolResponse) -> UnmaskedResult {
    match response {
        ToolResponse::Result { result, schema_mismatch } => result_text(*result, schema_mismatch),
        ToolResponse::Unrecognized(value) => {
            let (text, is_error) = loose::read(&value);
            let text = if is_error && text.is_empty() { NO_REASON.to_owned() } else { text };
            UnmaskedResult { text, is_error }
        }
    }
}

fn result_text(result: CallToolResult, schema_mismatch: Option<String>) -> UnmaskedResult {
    let is_error = result.is_error.unwrap_or(false);
    let texts: Vec<String> =
        result.content.iter().filter(|block| is_text(block)).cloned().map(block_text).collect();
    let mut parts: Vec<String> = result.content.into_iter().map(block_text).collect();
    if let Some(structured) = result.structured_content.filter(|content| !contain(&texts, content))
    {
        parts.push(structured.to_string());
    }
    if let Some(mismatch) = schema_mismatch {
        parts.push(format!(
            "[note: the result differs from the schema that the tool declares, so parts of it may mean something else: {mismatch}]"
        ));
    }
    let text = parts.join("\n");
    let text = if is_error && text.trim().is_empty() { NO_REASON.to_owned() } else { text };
    UnmaskedResult { text, is_error }
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

fn block_text(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => binary_text("image", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => binary_text("audio", &audio.mime_type, &audio.data),
        ContentBlock::ResourceLink(link) => {
            let kind = link.mime_type.map(|kind| format!(", {kind}")).unwrap_or_default();
            format!("[resource '{}' at {}{kind}]", link.title.unwrap_or(link.name), link.uri)
        }
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => text,
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.unwrap_or_else(|| "unknown type".to_owned());
                text_of(&kind, &blob).unwrap_or_else(|| {
                    let bytes = decoded_length(&blob);
                    format!("[resource at {uri}, {kind}, {bytes} bytes, not shown]")
                })
            }
            _ => "[a resource of an unknown kind, not shown]".to_owned(),
        },
        _ => "[content of an unknown kind, not shown]".to_owned(),
    }
}

/// Truncates a result that is longer than [`limits::RESULT_BYTES`], and appends a note.
pub(crate) fn truncate_result(mut text: String) -> String {
    let bytes = text.len();
    if bytes > limits::RESULT_BYTES {
        text.truncate(text.floor_char_boundary(limits::RESULT_BYTES));
        let kept = limits::RESULT_BYTES;
        let note = format!(
            "\n[truncated: the result has {bytes} bytes, of which these are the first {kept}; ask for less]"
        );
        text.push_str(&note);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn text(result: Value) -> String {
        let result = Box::new(serde_json::from_value(result).unwrap());
        to_text(ToolResponse::Result { result, schema_mismatch: None }).text
    }

    #[test]
    fn texts_are_joined_and_other_content_is_described() {
        let text = text(json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource_link", "uri": "file:///x", "name": "x"},
            {"type": "resource", "resource": {"uri": "file:///y", "text": "two"}},
            {"type": "resource", "resource": {"uri": "file:///z", "blob": "AAAAAAAA"}},
            {"type": "resource", "resource": {"uri": "file:///l", "mimeType": "text/plain; charset=utf-8", "blob": "YSBsb2c="}},
            {"type": "resource", "resource": {"uri": "file:///j", "mimeType": "application/problem+json", "blob": "e30="}},
            {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "text/plain", "blob": "/w=="}},
        ]}));
        assert_eq!(
            text,
            "one\n[image: image/png, 3 bytes, not shown]\n[resource 'x' at file:///x]\ntwo\n\
             [resource at file:///z, unknown type, 6 bytes, not shown]\na log\n{}\n\
             [resource at file:///b, text/plain, 1 bytes, not shown]"
        );
    }

    #[test]
    fn structured_content_is_used_when_there_is_no_text() {
        assert_eq!(text(json!({"content": [], "structuredContent": {"a": 1}})), r#"{"a":1}"#);
        let both = json!({
            "content": [{"type": "text", "text": "t"}],
            "structuredContent": {"a": 1},
        });
        assert_eq!(text(both), "t\n{\"a\":1}");
    }

    #[test]
    fn structured_content_that_the_text_contains_is_not_repeated() {
        for (contained, structured) in [
            ("{\n  \"pods\": [\"a\", \"b\"]\n}", json!({"pods": ["a", "b"]})),
            ("one \"line\"\nand more\n", json!({"content": "one \"line\"\nand more"})),
            ("a: 3 restarts, b: 0 restarts", json!({"result": [{"a": 3}, {"b": 0}]})),
            ("[{\"text\": \"x\\ty\"}]", json!({"result": [{"text": "x\ty"}]})),
            ("done", json!({"ok": true})),
            (
                "message: 'pods \"web-1\" is forbidden: it doesn\'\'t set\n  securityContext.runAsNonRoot=true'",
                json!({"message": "pods \"web-1\" is forbidden: it doesn't set securityContext.runAsNonRoot=true"}),
            ),
        ] {
            let result = json!({
                "content": [{"type": "text", "text": contained}],
                "structuredContent": structured,
            });
            assert_eq!(text(result), contained);
        }
        let more = json!({
            "content": [{"type": "text", "text": "Found 2 pods."}],
            "structuredContent": {"pods": ["a-1", "b-2"]},
        });
        assert_eq!(text(more), "Found 2 pods.\n{\"pods\":[\"a-1\",\"b-2\"]}");
    }
}
