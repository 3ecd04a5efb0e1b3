//! Divides the output of a subprocess into messages: one a line, as the protocol requires, or one object on several lines.

use super::{Incoming, Message, decode};

/// An output of which fragments have arrived.
pub(crate) struct Lines {
    message: Message,
    object: Object,
    /// Where the present line begins in an object of several lines.
    line: usize,
}

/// What a line begins with.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Begin {
    #[default]
    Nothing,
    Object,
    Other,
}

/// How far the braces, brackets and quotes of an object are closed.
#[derive(Default)]
struct Object {
    begin: Begin,
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Object {
    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.begin == Begin::Other {
                return;
            }
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' if self.begin == Begin::Object => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' => (self.begin, self.depth) = (Begin::Object, self.depth + 1),
                b'[' if self.begin == Begin::Object => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                byte if self.begin == Begin::Nothing && !byte.is_ascii_whitespace() => {
                    self.begin = Begin::Other;
                }
                _ => {}
            }
        }
    }

    const fn is_open(&self) -> bool {
        matches!(self.begin, Begin::Object) && (self.depth > 0 || self.in_text)
    }
}

impl Lines {
    /// Stores at most `limit` bytes of each message.
    pub(crate) fn new(limit: usize) -> Self {
        Self { message: Message::new(limit), object: Object::default(), line: 0 }
    }

    /// Whether an object has begun that the next line may go on with.
    pub(crate) const fn is_open(&self) -> bool {
        self.object.is_open()
    }

    /// Adds a fragment; the messages that it completes.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Vec<Incoming> {
        let mut messages = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            self.add(line);
            messages.extend(self.end_line());
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.add(bytes);
        messages
    }

    /// The messages in what has arrived of an object that nothing goes on with.
    pub(crate) fn give_up(&mut self) -> Vec<Incoming> {
        (self.object, self.line) = (Object::default(), 0);
        self.message.take()
    }

    fn add(&mut self, bytes: &[u8]) {
        self.message.add(bytes);
        self.object.feed(bytes);
    }

    fn end_line(&mut self) -> Vec<Incoming> {
        if !self.is_open() {
            return self.give_up();
        }
        if let Some(whole) = self.whole_line() {
            // It was no object: a message of its own follows.
            let before = self.message.truncated(self.line);
            self.give_up();
            return decode(&before).into_iter().chain(whole).collect();
        }
        self.add(b"\n");
        self.line = self.message.bytes().map_or(0, <[u8]>::len);
        Vec::new()
    }

    /// The present line as a message, if it goes on with nothing.
    fn whole_line(&self) -> Option<Vec<Incoming>> {
        let line = self.message.bytes()?.get(self.line..).filter(|_| self.line > 0)?.trim_ascii();
        (line.starts_with(b"{") && line.ends_with(b"}"))
            .then(|| serde_json::from_slice::<Incoming>(line).ok())
            .flatten()
            .map(|message| vec![message])
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use rmcp::model::{JsonRpcMessage, RequestId};

    use super::*;

    fn read(output: &str, size: usize) -> usize {
        let mut lines = Lines::new(10_000);
        output.as_bytes().chunks(size).map(|part| lines.push(part).len()).sum()
    }

    #[test]
    fn each_line_is_a_message_and_so_is_an_object_on_several_lines() {
        let pretty = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\"a\": \"}\"}\n}\n";
        let one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
        let raw = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"one\ntwo\"}}\r\n";
        for size in [1, 7, 1000] {
            assert_eq!(read(&[one, pretty, raw, one].concat(), size), 4, "{size}");
        }
    }

    #[test]
    fn noise_with_an_open_brace_hides_no_message() {
        let one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
        for noise in ["{ starting\n", "{\"level\": \"info\n", "[{ x\n", "banner \"\n", "it's {\n"] {
            assert_eq!(read(&[noise, one, one].concat(), 5), 2, "{noise}");
        }
    }

    #[test]
    fn what_nothing_goes_on_with_fails_its_request() {
        let mut lines = Lines::new(1000);
        let cut = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"one\n";
        assert!(lines.push(cut.as_bytes()).is_empty());
        assert!(lines.is_open());
        assert_eq!(lines.give_up().len(), 1);
        assert!(!lines.is_open());
    }

    proptest! {
        #[test]
        fn nothing_that_is_written_before_a_message_hides_it(
            written in vec(prop_oneof![any::<u8>(), Just(b'{'), Just(b'"'), Just(b'\n'), Just(b'\\')], 0..200),
            size in 1_usize..50,
        ) {
            let mut lines = Lines::new(1000);
            for part in written.chunks(size) {
                lines.push(part);
            }
            lines.push(b"\n");
            let message = b"{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}\n";
            let read = lines.push(message);
            let is_answer = |message: &Incoming| match message {
                JsonRpcMessage::Response(answer) => answer.id == RequestId::Number(77),
                _ => false,
            };
            prop_assert!(read.iter().any(is_answer), "{read:?}");
        }

        #[test]
        fn an_answer_with_changed_bytes_is_read_or_fails_its_request(
            changes in vec((26_usize..110, any::<u8>()), 1..6),
        ) {
            let mut answer = br#"{"jsonrpc":"2.0","id":77,"result":{"content":[{"type":"text","text":"three pods, two of them ready"}]}}"#.to_vec();
            for (at, byte) in changes {
                if let Some(changed) = answer.get_mut(at) {
                    *changed = byte;
                }
            }
            let mut lines = Lines::new(1000);
            let mut read = lines.push(&answer);
            read.extend(lines.push(b"\n"));
            read.extend(lines.give_up());
            let concerns = |message: &Incoming| match message {
                JsonRpcMessage::Response(answer) => answer.id == RequestId::Number(77),
                JsonRpcMessage::Error(error) => error.id == Some(RequestId::Number(77)),
                _ => false,
            };
            prop_assert!(read.iter().any(concerns), "{}", String::from_utf8_lossy(&answer));
        }
    }
}
