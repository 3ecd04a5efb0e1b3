//! Results of calls that are not of the protocol's form: what they say, wherever they say it.

use serde_json::{Map, Value};

use super::binary::binary_text;
use super::structured::contain;

/// The protocol's flag of a call that failed, as servers write it.
const FLAGS: [&str; 3] = ["isError", "is_error", "iserror"];
/// Members of other APIs that say with `false` that a call failed. A number there counts something, as `failed` of a job does.
const SUCCESSES: [&str; 2] = ["success", "ok"];
/// Values of `status` for a call that failed; a pipeline or a job that was asked for may have `failed`.
const FAILURES: [&str; 2] = ["error", "failure"];
/// Members of a part beside its text that say nothing more.
const BESIDE: [&str; 10] = [
    "type",
    "annotations",
    "_meta",
    "uri",
    "mimeType",
    "mime_type",
    "name",
    "title",
    "id",
    "index",
];
/// What holds the content of a result, the usual name first.
const CONTENTS: [&str; 4] = ["content", "contents", "toolResult", "output"];
const STRUCTURED: [&str; 2] = ["structuredContent", "structured_content"];
/// Objects that hold the whole result, and nothing beside it.
const AROUND: [&str; 3] = ["result", "toolResult", "response"];
/// Members of a part that say something, the usual name first.
const TEXTS: [&str; 5] = ["text", "content", "value", "json", "message"];
/// How deep results within results are opened.
const MAX_DEPTH: usize = 3;

/// The text of a result, and whether the call failed.
pub(super) fn read(value: &Value) -> (String, bool) {
    let is_error = is_failure(value);
    let parts = parts(value, 0).unwrap_or_default();
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    let is_empty = parts.is_empty() && is_empty_result(value);
    let text = if parts.is_empty() && !is_empty { value.to_string() } else { parts.join("\n") };
    (text, is_error)
}

fn is_failure(value: &Value) -> bool {
    let Value::Object(object) = value else { return false };
    let is = |value: &Value, wanted: bool| match value {
        Value::Bool(found) => *found == wanted,
        Value::Number(number) => number.as_u64() == Some(u64::from(wanted)),
        Value::String(text) => text.eq_ignore_ascii_case(if wanted { "true" } else { "false" }),
        _ => false,
    };
    let flagged = FLAGS.iter().any(|name| object.get(*name).is_some_and(|one| is(one, true)));
    let unsuccessful = SUCCESSES
        .iter()
        .any(|name| object.get(*name).is_some_and(|one| !one.is_number() && is(one, false)));
    let error = object.get("error").is_some_and(|error| match error {
        Value::String(text) => !text.is_empty(),
        Value::Object(error) => !error.is_empty(),
        other => *other == Value::Bool(true),
    });
    let status = object.get("status").and_then(Value::as_str).unwrap_or_default();
    let is_failed = FAILURES.contains(&status.to_ascii_lowercase().as_str());
    flagged || unsuccessful || ((error || is_failed) && !object.contains_key("content"))
}

/// Whether a result has no member but those that say whether the call failed.
fn is_empty_result(value: &Value) -> bool {
    let is_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(parts) => parts.is_empty(),
        Value::Object(parts) => parts.is_empty(),
        _ => false,
    };
    let is_flag = |name: &str| FLAGS.contains(&name) || SUCCESSES.contains(&name);
    match value {
        Value::Object(object) => object.iter().all(|(name, one)| {
            is_flag(name) || name == "_meta" || name == "resultType" || is_nothing(one)
        }),
        other => is_nothing(other),
    }
}

/// The parts of a result; none if it has no known member.
fn parts(value: &Value, depth: usize) -> Option<Vec<String>> {
    let object = match value {
        Value::Object(object) => object,
        Value::String(text) => return Some(vec![text.clone()]),
        Value::Array(entries) if depth > 0 || entries.iter().any(is_part) => {
            return Some(entries.iter().map(part).collect());
        }
        _ => return None,
    };
    let content = CONTENTS.iter().find_map(|name| object.get(*name).filter(|one| !one.is_null()));
    let structured =
        STRUCTURED.iter().find_map(|name| object.get(*name).filter(|one| !one.is_null()));
    if content.is_none() && structured.is_none() {
        let inner = AROUND.iter().find_map(|name| object.get(*name))?;
        return if depth < MAX_DEPTH { parts(inner, depth + 1) } else { None };
    }
    let mut found = match content {
        None => Vec::new(),
        Some(Value::Array(entries)) => entries.iter().map(part).collect(),
        Some(one) => vec![part(one)],
    };
    if let Some(structured) = structured.filter(|one| !contain(&found, one)) {
        found.push(structured.to_string());
    }
    Some(found)
}

fn is_part(value: &Value) -> bool {
    value.get("type").is_some() && TEXTS.iter().any(|name| value.get(*name).is_some())
}

/// What one part of a content says.
fn part(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(object) => of_object(object).unwrap_or_else(|| value.to_string()),
        other => other.to_string(),
    }
}

fn of_object(object: &Map<String, Value>) -> Option<String> {
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
    let mime = ["mimeType", "mime_type", "mediaType"];
    let mime = mime.iter().find_map(|name| object.get(*name)?.as_str()).unwrap_or("unknown type");
    let inner = object.get("source").and_then(Value::as_object).unwrap_or(object);
    let mime = inner.get("media_type").and_then(Value::as_str).unwrap_or(mime);
    match (kind, inner.get("data").and_then(Value::as_str)) {
        ("image" | "audio" | "blob" | "file", Some(data)) => Some(binary_text(kind, mime, data)),
        ("resource_link" | "resource" | "link", _) => {
            let inner = object.get("resource").and_then(Value::as_object).unwrap_or(object);
            let text = inner.get("text").and_then(Value::as_str).map(str::to_owned);
            let uri = inner.get("uri").or_else(|| inner.get("url")).and_then(Value::as_str);
            text.or_else(|| uri.map(|uri| format!("[resource at {uri}]")))
        }
        _ => {
            let found =
                TEXTS.iter().find_map(|name| object.get(*name).filter(|one| !one.is_null()));
            let Some(found) = found else { return (kind == "text").then(String::new) };
            // What stands beside a text that is no part of the protocol says something, too.
            let is_plain = object
                .keys()
                .all(|key| TEXTS.contains(&key.as_str()) || BESIDE.contains(&key.as_str()));
            is_plain.then(|| found.as_str().map_or_else(|| found.to_string(), str::to_owned))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_of_odd_servers_are_read() {
        for (result, text, is_error) in [
            (json!({"content": "97 %"}), "97 %", false),
            (json!({"content": ["one", "two"]}), "one\ntwo", false),
            (json!({"content": {"type": "text", "text": "one"}}), "one", false),
            (json!({"content": [{"text": "without a type"}]}), "without a type", false),
            (json!({"content": [{"type": "text", "text": {"used": 97}}]}), r#"{"used":97}"#, false),
            (json!({"content": [{"type": "json", "json": {"used": 97}}]}), r#"{"used":97}"#, false),
            (
                json!({"content": [{"type": "text", "text": null}, {"type": "text", "text": "b"}]}),
                "b",
                false,
            ),
            (json!({"content": [{"type": "text", "content": "97 %"}]}), "97 %", false),
            (
                json!({"content": [{"type": "image", "data": "AAAA", "mime_type": "image/png"}]}),
                "[image: image/png, 3 bytes, not shown]",
                false,
            ),
            (
                json!({"content": [{"type": "resource_link", "uri": "file:///x"}]}),
                "[resource at file:///x]",
                false,
            ),
            (
                json!({"content": [{"type": "resource", "resource": {"text": "a log"}}]}),
                "a log",
                false,
            ),
            (json!({"content": null, "structured_content": {"a": 1}}), r#"{"a":1}"#, false),
            (
                json!({"content": [{"kind": "text", "text": "97 %"}]}),
                r#"{"kind":"text","text":"97 %"}"#,
                false,
            ),
            (json!({"toolResult": {"used": 97}}), r#"{"used":97}"#, false),
            (json!({"toolResult": "97 %"}), "97 %", false),
            (json!({"result": {"content": [{"type": "text", "text": "deep"}]}}), "deep", false),
            (json!({"pods": ["a"]}), r#"{"pods":["a"]}"#, false),
            (json!("97 %"), "97 %", false),
            (json!([{"type": "text", "text": "a list"}]), "a list", false),
            (json!([1, 2]), "[1,2]", false),
            (json!({"content": ["no such pod"], "isError": "true"}), "no such pod", true),
            (json!({"content": ["no such pod"], "is_error": true}), "no such pod", true),
            (
                json!({"message": "no such pod", "success": false}),
                r#"{"message":"no such pod","success":false}"#,
                true,
            ),
            (json!({"error": "no such pod"}), r#"{"error":"no such pod"}"#, true),
            // What was asked for failed, and the call did not.
            (json!({"active": 0, "failed": 1}), r#"{"active":0,"failed":1}"#, false),
            (json!({"ok": 0, "error": 1}), r#"{"ok":0,"error":1}"#, false),
            (json!({"id": 7, "status": "failed"}), r#"{"id":7,"status":"failed"}"#, false),
            (json!({"content": [], "isError": true}), "", true),
            (json!({"content": null, "isError": true}), "", true),
            (json!({"isError": true}), "", true),
            (json!({}), "", false),
        ] {
            assert_eq!(read(&result), (text.to_owned(), is_error), "{result}");
        }
    }

    /// Written after the first table was read right, and read once before the reader was mended again.
    #[test]
    fn results_that_were_held_out_are_read() {
        let found: Vec<_> = [
            (json!({"contents": [{"uri": "file:///x", "text": "a log"}]}), "a log", false),
            (json!({"content": [{"type": "error", "message": "no such pod"}], "isError": true}), "no such pod", true),
            (json!({"content": [["a", "b"]]}), r#"["a","b"]"#, false),
            (json!({"content": [{"type": "text", "text": ["a", "b"]}]}), r#"["a","b"]"#, false),
            (json!({"content": "", "structuredContent": {"a": 1}}), r#"{"a":1}"#, false),
            (json!({"data": {"pods": ["a"]}}), r#"{"data":{"pods":["a"]}}"#, false),
            (json!({"message": "no such pod", "status": "error"}), r#"{"message":"no such pod","status":"error"}"#, true),
            (
                json!({"content": [{"type": "image", "source": {"media_type": "image/png", "data": "AAAA"}}]}),
                "[image: image/png, 3 bytes, not shown]",
                false,
            ),
            (json!({"isError": 1, "content": ["x"]}), "x", true),
            (json!({"messages": [{"content": {"text": "a", "type": "text"}, "role": "assistant"}]}),
                r#"{"messages":[{"content":{"text":"a","type":"text"},"role":"assistant"}]}"#, false),
        ]
        .into_iter()
        .filter(|(result, text, is_error)| read(result) != ((*text).to_owned(), *is_error))
        .map(|(result, ..)| format!("{result}: {:?}", read(&result)))
        .collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}
