//! Incoming messages, read in fragments and bounded in length.

mod decode;
mod events;
mod lines;
mod message_id;

pub(crate) use self::decode::{Incoming, decode, with_number};
pub(crate) use self::events::{Event, Parser};
pub(crate) use self::lines::Lines;

use self::decode::error_response;
use self::message_id::{answered_id, last_id};

/// The bytes stored of a message that is too long, from its beginning and its end: one of them contains
/// the id of the request.
const HEAD: usize = 4 * 1024;
const TAIL: usize = 256;

/// A message of which fragments have arrived.
pub(crate) struct Message {
    limit: usize,
    length: usize,
    bytes: Vec<u8>,
    tail: Vec<u8>,
}

impl Message {
    /// An empty message that stores at most `limit` bytes.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { limit, length: 0, bytes: Vec::new(), tail: Vec::new() }
    }

    pub(crate) fn add(&mut self, fragment: &[u8]) {
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

    /// The first `length` bytes of what is stored.
    fn truncated(&self, length: usize) -> Vec<u8> {
        self.bytes.get(..length).unwrap_or(&self.bytes).to_vec()
    }

    const fn is_too_long(&self) -> bool {
        self.length > self.limit
    }

    /// Ends the message and resets it; the messages that a session needs of it.
    pub(crate) fn take(&mut self) -> Vec<Incoming> {
        let whole = std::mem::replace(self, Self::new(self.limit));
        if !whole.is_too_long() {
            return decode(&whole.bytes);
        }
        let (bytes, limit) = (whole.length, whole.limit);
        tracing::warn!(bytes, limit, "a server's message is too long and was dropped");
        let id = answered_id(&whole.bytes).or_else(|| last_id(&whole.tail));
        let message = format!("the answer has {bytes} bytes; the limit is {limit}; ask for less");
        id.map(|id| error_response(id, message)).into_iter().collect()
    }

    /// The bytes so far; none if it is too long.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        (!self.is_too_long()).then_some(self.bytes.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, RequestId};

    use super::*;

    fn read_message(limit: usize, fragments: &[&str]) -> Vec<Incoming> {
        let mut message = Message::new(limit);
        for fragment in fragments {
            message.add(fragment.as_bytes());
        }
        message.take()
    }

    fn refused(messages: &[Incoming]) -> Option<(RequestId, String)> {
        match messages {
            [JsonRpcMessage::Error(error)] => {
                Some((error.id.clone()?, error.error.message.to_string()))
            }
            _ => None,
        }
    }

    #[test]
    fn a_message_in_fragments_is_read_whole() {
        let message = read_message(1000, &[r#"{"jsonrpc":"2.0","id":"#, r#"3,"result":{}}"#]);
        assert!(
            matches!(message.as_slice(), [JsonRpcMessage::Response(answer)] if answer.id == RequestId::Number(3))
        );
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
                let (id, message) = refused(&read_message(10_000, &fragments)).unwrap();
                assert_eq!(id, RequestId::Number(7), "{}", whole.get(..40).unwrap());
                assert!(message.contains("ask for less"), "{message}");
            }
        }
    }

    #[test]
    fn an_inner_id_is_not_the_id_of_the_message() {
        let text = "x".repeat(2000);
        let whole = format!(r#"{{"result":{{"text":"{text}","more":{{"id":5}}}}}}"#);
        assert!(read_message(1000, &[&whole]).is_empty());
        let whole = format!(r#"{{"method":"m","params":{{"id":5,"text":"{text}"}}}}"#);
        assert!(read_message(1000, &[&whole]).is_empty());
    }

    #[test]
    fn a_message_is_reset_after_it_was_read() {
        let mut message = Message::new(100);
        message.add(&[b'x'; 200]);
        assert!(message.take().is_empty());
        message.add(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        assert_eq!(message.take().len(), 1);
    }
}
