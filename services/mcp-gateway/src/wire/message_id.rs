//! The id of a message that cannot be read whole.

use rmcp::model::RequestId;
use serde_json::Value;

pub(super) fn id_of(value: &Value) -> Option<RequestId> {
    match value {
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        _ => None,
    }
}

/// The id of the request that a message answers, whose beginning this is; none if it is a request itself.
pub(super) fn answered_id(head: &[u8]) -> Option<RequestId> {
    let (mut depth, mut at, mut id) = (0_usize, 0, None);
    while let Some(byte) = head.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                // A text that does not end is the last one.
                let Some(length) = string_length(head.get(at..)?) else { break };
                let text = head.get(at..at + length)?;
                at += length;
                let value = value_after_colon(head.get(at..)?);
                match (depth, text) {
                    (1, br#""method""#) => return None,
                    (1, br#""id""#) if id.is_none() => id = value.map(|(id, _)| id),
                    _ => {}
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    id
}

/// The id at the very end of a message: only the closing brace follows it.
pub(super) fn last_id(tail: &[u8]) -> Option<RequestId> {
    let key = br#""id""#;
    let at = tail.windows(key.len()).rposition(|window| window == key)?;
    let before = tail.get(..at)?.iter().rev().find(|byte| !byte.is_ascii_whitespace())?;
    let (id, rest) = value_after_colon(tail.get(at + key.len()..)?)?;
    let rest = rest.trim_ascii();
    let outermost = rest == b"}" || rest.starts_with(br#","jsonrpc""#);
    (matches!(before, b',' | b'{') && outermost).then_some(id)
}

fn value_after_colon(bytes: &[u8]) -> Option<(RequestId, &[u8])> {
    let bytes = bytes.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let length = match bytes.first()? {
        b'"' => string_length(bytes)?,
        _ => bytes.iter().position(|byte| !byte.is_ascii_digit() && *byte != b'-')?,
    };
    let (value, rest) = bytes.split_at_checked(length)?;
    Some((id_of(&serde_json::from_slice(value).ok()?)?, rest))
}

/// The length of the string that begins here, with both quotes.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}
