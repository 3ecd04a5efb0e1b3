//! Messages as they come in, piece by piece, and no longer than they may be.
//!
//! An answer that is too long, or in no shape that the protocol knows, still answers somebody: who
//! asked is told so at once, instead of waiting for it until the time is over.

use rmcp::RoleClient;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::RxJsonRpcMessage;
use serde_json::Value;

/// How much of a message that is too long is kept, from its beginning and from its end: the id of a
/// request stands at either.
const HEAD: usize = 4 * 1024;
const TAIL: usize = 256;

/// A message of a server.
pub(super) type Incoming = RxJsonRpcMessage<RoleClient>;

/// One message as it grows.
pub(super) struct Message {
    limit: usize,
    length: usize,
    kept: Vec<u8>,
    tail: Vec<u8>,
}

impl Message {
    /// An empty one, of which no more than `limit` bytes are kept.
    pub(super) const fn new(limit: usize) -> Self {
        Self { limit, length: 0, kept: Vec::new(), tail: Vec::new() }
    }

    /// Adds what came.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let was_too_long = self.is_too_long();
        self.length = self.length.saturating_add(bytes.len());
        if !self.is_too_long() {
            self.kept.extend_from_slice(bytes);
            return;
        }
        let end = bytes.get(bytes.len().saturating_sub(TAIL)..).unwrap_or_default();
        if was_too_long {
            self.tail.extend_from_slice(end);
            let surplus = self.tail.len().saturating_sub(TAIL);
            self.tail.drain(..surplus);
        } else {
            self.tail = end.to_vec();
            let room = HEAD.saturating_sub(self.kept.len());
            self.kept.extend(bytes.iter().take(room));
            self.kept.truncate(HEAD);
            self.kept.shrink_to_fit();
        }
    }

    /// What came, as text; none if it is too long or no text.
    pub(super) fn text(&self) -> Option<String> {
        (!self.is_too_long()).then(|| String::from_utf8(self.kept.clone()).ok()).flatten()
    }

    const fn is_too_long(&self) -> bool {
        self.length > self.limit
    }

    /// Ends the message, and is empty again. None is what no session needs to hear of.
    pub(super) fn take(&mut self) -> Option<Incoming> {
        let whole = std::mem::replace(self, Self::new(self.limit));
        if !whole.is_too_long() {
            return read(&whole.kept);
        }
        let (bytes, limit) = (whole.length, whole.limit);
        tracing::warn!(bytes, limit, "a server's message is too long; it is dropped");
        let id = first_id(&whole.kept).or_else(|| last_id(&whole.tail))?;
        let told = format!(
            "the answer has {bytes} bytes, more than the {limit} that can be taken; ask for less"
        );
        Some(refusal(id, told))
    }
}

fn refusal(id: RequestId, told: String) -> Incoming {
    Incoming::error(ErrorData::internal_error(told, None), Some(id))
}

/// Reads a message; what is no JSON is noise, and an answer in an unknown shape becomes an error.
fn read(bytes: &[u8]) -> Option<Incoming> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let error = match serde_json::from_slice::<Incoming>(bytes) {
        Ok(message) => return Some(message),
        Err(error) => error,
    };
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        tracing::debug!(bytes = bytes.len(), "a server wrote what is no message");
        return None;
    };
    tracing::debug!(%error, "a server's message is not as the protocol has it");
    let answers = value.get("result").is_some() || value.get("error").is_some();
    let id = id_of(value.get("id")?)?;
    answers.then(|| refusal(id, "the answer is not as the protocol has it".to_owned()))
}

fn id_of(value: &Value) -> Option<RequestId> {
    match value {
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        _ => None,
    }
}

/// The id that stands at the beginning of a message, among its outermost keys.
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

/// The id that stands at the very end of a message: nothing but the closing brace follows it.
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

/// How long the string is that begins here, with both of its quotes.
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

    fn taken(limit: usize, pieces: &[&str]) -> Option<Incoming> {
        let mut message = Message::new(limit);
        for piece in pieces {
            message.add(piece.as_bytes());
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
    fn a_message_in_pieces_is_read_whole() {
        let message = taken(1000, &[r#"{"jsonrpc":"2.0","id":"#, r#"3,"result":{}}"#]);
        assert!(
            matches!(message, Some(JsonRpcMessage::Response(answer)) if answer.id == RequestId::Number(3))
        );
    }

    #[test]
    fn noise_is_left_out() {
        for noise in ["", " \t", "listening on port 80", "{\"half\":", "[1]", "{\"id\":3}"] {
            assert!(taken(1000, &[noise]).is_none(), "{noise}");
        }
    }

    #[test]
    fn an_answer_in_no_known_shape_is_an_error_of_its_request() {
        let broken = r#"{"jsonrpc":"2.0","id":7,"error":"no object"}"#;
        let (id, told) = refused(taken(1000, &[broken])).unwrap();
        assert_eq!((id, told.contains("protocol")), (RequestId::Number(7), true));
    }

    #[test]
    fn an_answer_that_is_too_long_tells_its_request_so_wherever_its_id_stands() {
        let text = "x\\\"id\\\":9,".repeat(2000);
        let result = format!(r#""result":{{"id":4,"text":"{text}","more":{{"id":5}}}}"#);
        for whole in [
            format!(r#"{{"jsonrpc":"2.0","id":7,{result}}}"#),
            format!(r#"{{{result},"jsonrpc":"2.0","id": 7}}"#),
            format!(r#"{{{result},"id":7,"jsonrpc":"2.0"}}"#),
        ] {
            for piece in [7, 1000, whole.len()] {
                let pieces: Vec<&str> = whole
                    .as_bytes()
                    .chunks(piece)
                    .map(|part| std::str::from_utf8(part).unwrap())
                    .collect();
                let (id, told) = refused(taken(10_000, &pieces)).unwrap();
                assert_eq!(id, RequestId::Number(7), "{}", whole.get(..40).unwrap());
                assert!(told.contains("ask for less"), "{told}");
            }
        }
    }

    #[test]
    fn an_inner_id_is_not_taken_for_the_message_s_own() {
        let text = "x".repeat(2000);
        let whole = format!(r#"{{"result":{{"text":"{text}","more":{{"id":5}}}}}}"#);
        assert!(taken(1000, &[&whole]).is_none());
        let whole = format!(r#"{{"method":"m","params":{{"id":5,"text":"{text}"}}}}"#);
        assert!(taken(1000, &[&whole]).is_none());
    }

    #[test]
    fn after_one_message_comes_the_next() {
        let mut message = Message::new(100);
        message.add(&[b'x'; 200]);
        assert!(message.take().is_none());
        message.add(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert!(message.take().is_some());
    }
}
