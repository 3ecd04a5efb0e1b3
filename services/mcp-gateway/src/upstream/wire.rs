//! Incoming messages, read in fragments and bounded in length.
//!
//! A response that is too long or invalid becomes an error response to its request, which then fails at
//! once instead of at its timeout.

use rmcp::RoleClient;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde_json::Value;

/// The bytes stored of a message that is too long, from its beginning and its end: one of them contains
/// the id of the request.
const HEAD: usize = 4 * 1024;
const TAIL: usize = 256;

pub(super) type Incoming = RxJsonRpcMessage<RoleClient>;

/// A message of which fragments have arrived.
pub(super) struct Message {
    limit: usize,
    length: usize,
    bytes: Vec<u8>,
    tail: Vec<u8>,
}

impl Message {
    /// An empty message that stores at most `limit` bytes.
    pub(super) const fn new(limit: usize) -> Self {
        Self { limit, length: 0, bytes: Vec::new(), tail: Vec::new() }
    }

    pub(super) fn add(&mut self, fragment: &[u8]) {
        let was_too_long = self.is_too_long();
        self.length = self.length.saturating_add(fragment.len());
        if !self.is_too_long() {
            self.bytes.extend_from_slice(fragment);
            return;
        }
        let end = fragment.get(fragment.len().saturating_sub(TAIL)..).unwrap_or_default();
        if was_too_long {
            self.tail.extend_from_slice(end);
            let surplus = self.tail.len().saturating_sub(TAIL);
            self.tail.drain(..surplus);
        } else {
            self.tail = end.to_vec();
            let missing = HEAD.saturating_sub(self.bytes.len());
            self.bytes.extend(fragment.iter().take(missing));
            self.bytes.truncate(HEAD);
            self.bytes.shrink_to_fit();
        }
    }

    /// The text so far; none if it is too long or not UTF-8.
    pub(super) fn text(&self) -> Option<String> {
        (!self.is_too_long()).then(|| String::from_utf8(self.bytes.clone()).ok()).flatten()
    }

    const fn is_too_long(&self) -> bool {
        self.length > self.limit
    }

    /// Ends the message and resets it; none if no session needs it.
    pub(super) fn take(&mut self) -> Option<Incoming> {
        let whole = std::mem::replace(self, Self::new(self.limit));
        if !whole.is_too_long() {
            return read(&whole.bytes);
        }
        let (bytes, limit) = (whole.length, whole.limit);
        tracing::warn!(bytes, limit, "a server's message is too long and was dropped");
        let id = first_id(&whole.bytes).or_else(|| last_id(&whole.tail))?;
        let message = format!("the answer has {bytes} bytes; the limit is {limit}; ask for less");
        Some(error_response(id, message))
    }
}

fn error_response(id: RequestId, message: String) -> Incoming {
    Incoming::error(ErrorData::internal_error(message, None), Some(id))
}

/// Reads a message. Text that is not JSON is ignored; an invalid response becomes an error response.
fn read(bytes: &[u8]) -> Option<Incoming> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let error = match serde_json::from_slice::<Incoming>(bytes) {
        Ok(message) => return Some(message),
        Err(error) => error,
    };
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        tracing::debug!(bytes = bytes.len(), "a server wrote text that is not JSON");
        return None;
    };
    tracing::debug!(%error, "a server's message is not valid in the protocol");
    let answers = value.get("result").is_some() || value.get("error").is_some();
    let id = id_of(value.get("id")?)?;
    answers.then(|| error_response(id, "the answer is not valid in the protocol".to_owned()))
}

fn id_of(value: &Value) -> Option<RequestId> {
    match value {
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        _ => None,
    }
}

/// The id among the outermost keys at the beginning of a message.
fn first_id(head: &[u8]) -> Option<RequestId> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = head.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let length = string_length(head.get(at..)?)?;
                let key = head.get(at..at + length)?;
                at += length;
                if depth == 1 && key == br#""id""# {
                    return value_after_colon(head.get(at..)?).map(|(id, _)| id);
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The id at the very end of a message: only the closing brace follows it.
fn last_id(tail: &[u8]) -> Option<RequestId> {
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
        _ => bytes.iter().position(|byte| !byte.is_ascii_digit())?,
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

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::JsonRpcMessage;

    fn read_message(limit: usize, fragments: &[&str]) -> Option<Incoming> {
        let mut message = Message::new(limit);
        for fragment in fragments {
            message.add(fragment.as_bytes());
        }
        message.take()
    }

    fn refused(message: Option<Incoming>) -> Option<(RequestId, String)> {
        match message? {
            JsonRpcMessage::Error(error) => Some((error.id?, error.error.message.into_owned())),
            _ => None,
        }
    }

    #[test]
    fn a_message_in_fragments_is_read_whole() {
        let message = read_message(1000, &[r#"{"jsonrpc":"2.0","id":"#, r#"3,"result":{}}"#]);
        assert!(
            matches!(message, Some(JsonRpcMessage::Response(answer)) if answer.id == RequestId::Number(3))
        );
    }

    #[test]
    fn text_that_is_no_message_is_ignored() {
        for text in ["", " \t", "listening on port 80", "{\"half\":", "[1]", "{\"id\":3}"] {
            assert!(read_message(1000, &[text]).is_none(), "{text}");
        }
    }

    #[test]
    fn an_invalid_response_becomes_an_error_of_its_request() {
        let broken = r#"{"jsonrpc":"2.0","id":7,"error":"no object"}"#;
        let (id, message) = refused(read_message(1000, &[broken])).unwrap();
        assert_eq!((id, message.contains("protocol")), (RequestId::Number(7), true));
    }

    #[test]
    fn a_response_that_is_too_long_fails_its_request_wherever_its_id_is() {
        let text = "x\\\"id\\\":9,".repeat(2000);
        let result = format!(r#""result":{{"id":4,"text":"{text}","more":{{"id":5}}}}"#);
        for whole in [
            format!(r#"{{"jsonrpc":"2.0","id":7,{result}}}"#),
            format!(r#"{{{result},"jsonrpc":"2.0","id": 7}}"#),
            format!(r#"{{{result},"id":7,"jsonrpc":"2.0"}}"#),
        ] {
            for size in [7, 1000, whole.len()] {
                let fragments: Vec<&str> = whole
                    .as_bytes()
                    .chunks(size)
                    .map(|part| std::str::from_utf8(part).unwrap())
                    .collect();
                let (id, message) = refused(read_message(10_000, &fragments)).unwrap();
                assert_eq!(id, RequestId::Number(7), "{}", whole.get(..40).unwrap());
                assert!(message.contains("ask for less"), "{message}");
            }
        }
    }

    #[test]
    fn an_inner_id_is_not_the_id_of_the_message() {
        let text = "x".repeat(2000);
        let whole = format!(r#"{{"result":{{"text":"{text}","more":{{"id":5}}}}}}"#);
        assert!(read_message(1000, &[&whole]).is_none());
        let whole = format!(r#"{{"method":"m","params":{{"id":5,"text":"{text}"}}}}"#);
        assert!(read_message(1000, &[&whole]).is_none());
    }

    #[test]
    fn a_message_is_reset_after_it_was_read() {
        let mut message = Message::new(100);
        message.add(&[b'x'; 200]);
        assert!(message.take().is_none());
        message.add(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert!(message.take().is_some());
    }
}
