//! YAML with lists or mappings in it. Simple pairs are not its business.

use granit_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

use super::{coerce, is_text};

/// How much may be in it, and how deep: a bound against hostile texts.
const MOST_NODES: usize = 10_000;
const DEEPEST: usize = 32;

/// Reads a mapping that has at least one list or mapping in it; aliases and tags are not read.
pub(super) fn complex(text: &str, schema: &Value) -> Option<Map<String, Value>> {
    let mut reader = Reader { parser: Parser::new_from_str(text), left: MOST_NODES };
    let first = reader.content()?;
    let Event::MappingStart(..) = first else { return None };
    let read = reader.map(DEEPEST, Some(schema))?;
    let ended = reader.content().is_none_or(|event| matches!(event, Event::DocumentEnd));
    let is_complex = read.values().any(|value| value.is_array() || value.is_object());
    (ended && is_complex).then_some(read)
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    left: usize,
}

impl<'a> Reader<'a> {
    /// The next event that is content, or ends it.
    fn content(&mut self) -> Option<Event<'a>> {
        loop {
            match self.parser.next()?.ok()?.0 {
                Event::StreamStart | Event::DocumentStart(..) | Event::Comment(..) => {}
                Event::StreamEnd => return None,
                event => return Some(event),
            }
        }
    }

    fn value(&mut self, event: Event<'a>, deep: usize) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        let deep = deep.checked_sub(1)?;
        match event {
            Event::Scalar(word, ScalarStyle::Plain, ..) => Some(coerce(&word)),
            Event::Scalar(text, ..) => Some(Value::String(text.to_string())),
            Event::SequenceStart(..) => {
                let mut list = Vec::new();
                loop {
                    match self.content()? {
                        Event::SequenceEnd => return Some(Value::Array(list)),
                        event => list.push(self.value(event, deep)?),
                    }
                }
            }
            Event::MappingStart(..) => self.map(deep, None).map(Value::Object),
            _ => None,
        }
    }

    fn map(&mut self, deep: usize, schema: Option<&Value>) -> Option<Map<String, Value>> {
        let mut map = Map::new();
        loop {
            let name = match self.content()? {
                Event::MappingEnd => return Some(map),
                Event::Scalar(name, ..) => name.to_string(),
                _ => return None,
            };
            let value = match self.content()? {
                Event::Scalar(word, ..) if schema.is_some_and(|schema| is_text(schema, &name)) => {
                    Value::String(word.to_string())
                }
                event => self.value(event, deep)?,
            };
            map.insert(name, value);
        }
    }
}
