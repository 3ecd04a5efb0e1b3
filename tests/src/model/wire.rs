//! The chunks of an answer as `OpenAI`'s protocol sends them.

use serde_json::{Value, json};

/// Characters in one chunk of text.
const CHUNK_CHARACTERS: usize = 12;

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn chunk(model: &str, delta: &Value, finish: Option<&str>) -> String {
    event(&json!({
        "id": "chatcmpl-played",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
    }))
}

/// The end of an answer: why it ends, what it cost, and the mark.
pub(super) fn end(model: &str, reason: &str, tokens: usize) -> [String; 3] {
    let usage = event(&json!({
        "id": "chatcmpl-played",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": model,
        "choices": [],
        "usage": { "prompt_tokens": 100, "completion_tokens": tokens, "total_tokens": 100 + tokens },
    }));
    [chunk(model, &json!({}), Some(reason)), usage, "data: [DONE]\n\n".to_owned()]
}

/// A text that has not ended yet.
pub(super) fn beginning(model: &str, text: &str) -> Vec<String> {
    let role = chunk(model, &json!({ "role": "assistant", "content": "" }), None);
    let characters: Vec<char> = text.chars().collect();
    let chunks = characters.chunks(CHUNK_CHARACTERS).map(|characters| {
        let text: String = characters.iter().collect();
        chunk(model, &json!({ "content": text }), None)
    });
    std::iter::once(role).chain(chunks).collect()
}

/// A whole text.
pub(super) fn text(model: &str, text: &str) -> Vec<String> {
    let mut chunks = beginning(model, text);
    chunks.extend(end(model, "stop", text.split_whitespace().count()));
    chunks
}

/// Calls; their ids are of this turn of the conversation.
pub(super) fn calls(model: &str, turn: usize, calls: &[(&'static str, Value)]) -> Vec<String> {
    let calls_made: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({
                "index": index,
                "id": format!("call-{turn}-{index}"),
                "type": "function",
                "function": { "name": name, "arguments": arguments.to_string() },
            })
        })
        .collect();
    let delta = json!({ "role": "assistant", "content": null, "tool_calls": calls_made });
    let mut chunks = vec![chunk(model, &delta, None)];
    chunks.extend(end(model, "tool_calls", 10 * calls.len()));
    chunks
}
