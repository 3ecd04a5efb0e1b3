//! An incremental parser of server-sent events.

use super::Message;

/// The name of events with a message.
const MESSAGE: &str = "message";
/// The stored part of the name of a field or event, in bytes.
const NAME_BYTES: usize = 64;
/// The longest id of an event that is kept, in bytes.
const ID_BYTES: usize = 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Name,
    Space,
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    Id,
    Retry,
    Other,
}

pub(crate) struct Event {
    /// Default: `message`.
    pub(crate) name: String,
    pub(crate) data: Message,
    /// What a broken stream is asked to go on after.
    pub(crate) id: Option<String>,
    /// How long to wait before that, in milliseconds.
    pub(crate) retry: Option<u64>,
}

impl Event {
    /// Whether the event has a message of the protocol: those of other kinds are signs of life and the like.
    pub(crate) fn is_message(&self) -> bool {
        self.name == MESSAGE
    }
}

pub(crate) struct Parser {
    limit: usize,
    at: At,
    field: Field,
    name: Vec<u8>,
    event: Vec<u8>,
    id: Option<Vec<u8>>,
    retry: Vec<u8>,
    data: Message,
    has_data: bool,
    after_return: bool,
}

impl Parser {
    /// A parser that stores at most `limit` bytes of each event.
    pub(crate) const fn new(limit: usize) -> Self {
        Self {
            limit,
            at: At::Name,
            field: Field::Other,
            name: Vec::new(),
            event: Vec::new(),
            id: None,
            retry: Vec::new(),
            data: Message::new(limit),
            has_data: false,
            after_return: false,
        }
    }

    /// Parses a fragment; returns the events that it completes.
    pub(crate) fn push(&mut self, mut bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        if std::mem::take(&mut self.after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.feed(line);
            events.extend(self.end_line());
            let returned = rest.first() == Some(&b'\r');
            let rest = rest.get(1..).unwrap_or_default();
            self.after_return = returned && rest.is_empty();
            bytes = if returned { rest.strip_prefix(b"\n").unwrap_or(rest) } else { rest };
        }
        self.feed(bytes);
        events
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        if self.at == At::Name {
            let end = bytes.iter().position(|byte| *byte == b':');
            let name = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            extend(&mut self.name, name, NAME_BYTES);
            let Some(end) = end else { return };
            self.begin_value();
            bytes = bytes.get(end + 1..).unwrap_or_default();
        }
        if self.at == At::Space && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b" ").unwrap_or(bytes);
            self.at = At::Value;
        }
        match self.field {
            Field::Data => self.data.add(bytes),
            Field::Event => extend(&mut self.event, bytes, NAME_BYTES),
            Field::Id => extend(self.id.get_or_insert_default(), bytes, ID_BYTES),
            Field::Retry => extend(&mut self.retry, bytes, NAME_BYTES),
            Field::Other => {}
        }
    }

    fn begin_value(&mut self) {
        self.at = At::Space;
        // A stream may begin with a byte order mark.
        let name = self.name.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.name);
        self.field = match name {
            b"data" => Field::Data,
            b"event" => Field::Event,
            b"id" => Field::Id,
            b"retry" => Field::Retry,
            _ => Field::Other,
        };
        match self.field {
            Field::Data if self.has_data => self.data.add(b"\n"),
            Field::Data => self.has_data = true,
            Field::Event => self.event.clear(),
            Field::Id => self.id = Some(Vec::new()),
            Field::Retry => self.retry.clear(),
            Field::Other => {}
        }
    }

    fn end_line(&mut self) -> Option<Event> {
        let is_empty = self.at == At::Name && self.name.is_empty();
        if self.at == At::Name && !is_empty {
            self.begin_value();
        }
        self.at = At::Name;
        self.field = Field::Other;
        self.name.clear();
        if !is_empty {
            return None;
        }
        let event = std::mem::take(&mut self.event);
        let data = std::mem::replace(&mut self.data, Message::new(self.limit));
        let (id, retry) = (self.id.take(), std::mem::take(&mut self.retry));
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let name = String::from_utf8_lossy(&event).into_owned();
        let name = if name.is_empty() { MESSAGE.to_owned() } else { name };
        let id = id.map(|id| String::from_utf8_lossy(&id).into_owned());
        let retry = String::from_utf8_lossy(&retry).trim().parse().ok();
        Some(Event { name, data, id, retry })
    }
}

fn extend(name: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let capacity = limit.saturating_sub(name.len());
    name.extend(bytes.iter().take(capacity));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(stream: &str, size: usize) -> Vec<(String, String)> {
        let mut parser = Parser::new(1000);
        let mut events = Vec::new();
        for bytes in stream.as_bytes().chunks(size) {
            events.extend(parser.push(bytes));
        }
        let text = |event: Event| {
            (event.name, String::from_utf8(event.data.bytes().unwrap().to_vec()).unwrap())
        };
        events.into_iter().map(text).collect()
    }

    #[test]
    fn events_are_the_same_for_any_fragment_size_and_line_end() {
        let stream = "\u{feff}event: endpoint\ndata: /messages?id=1\n\n: a comment\nid: 7\nretry: 5\ndata:one\n\
                      data:  two\n\ndata\n\nevent: empty\n\nevent: message\ndata: {}\n\n";
        let expected = [
            ("endpoint", "/messages?id=1"),
            ("message", "one\n two"),
            ("message", ""),
            ("message", "{}"),
        ];
        for ending in ["\n", "\r\n", "\r"] {
            let stream = stream.replace('\n', ending);
            for size in 1..=stream.len() {
                let events = events(&stream, size);
                let events: Vec<(&str, &str)> =
                    events.iter().map(|(name, data)| (name.as_str(), data.as_str())).collect();
                assert_eq!(events, expected, "{ending:?} in fragments of {size}");
            }
        }
    }

    #[test]
    fn an_incomplete_event_is_not_returned() {
        assert!(events("data: half\n", 3).is_empty());
    }

    #[test]
    fn long_names_are_truncated() {
        let mut parser = Parser::new(10);
        parser.push(&[b'x'; 10_000]);
        assert_eq!(parser.name.len(), NAME_BYTES);
    }
}
