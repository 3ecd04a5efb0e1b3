//! YAML with lists or mappings. `pairs` reads simple pairs.

use granit_parser::{Event, Parser, ScalarStyle, StrInput};
use serde_json::{Map, Value};

use super::plain::{is_string, parse_scalar};

/// Bounds against hostile texts.
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 32;

/// Reads a mapping that contains a list or a mapping; none for any other text, and for one with aliases
/// or tags.
pub(super) fn read(text: &str, schema: &Value) -> Option<Map<String, Value>> {
    let mut reader = Reader { parser: Parser::new_from_str(text), left: MAX_NODES };
    let first = reader.next_content()?;
    let Event::MappingStart(..) = first else { return None };
    let read = reader.map(MAX_DEPTH, Some(schema))?;
    let ended = reader.next_content().is_none_or(|event| matches!(event, Event::DocumentEnd));
    let is_complex = read.values().any(|value| value.is_array() || value.is_object());
    (ended && is_complex).then_some(read)
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    left: usize,
}

impl<'a> Reader<'a> {
    /// The next event of content; none at the end and at an error.
    fn next_content(&mut self) -> Option<Event<'a>> {
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
            Event::Scalar(word, ScalarStyle::Plain, ..) => Some(parse_scalar(&word)),
            Event::Scalar(text, ..) => Some(Value::String(text.to_string())),
            Event::SequenceStart(..) => {
                let mut list = Vec::new();
                loop {
                    match self.next_content()? {
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
            let name = match self.next_content()? {
                Event::MappingEnd => return Some(map),
                Event::Scalar(name, ..) => name.to_string(),
                _ => return None,
            };
            let value = match self.next_content()? {
                Event::Scalar(word, ..)
                    if schema.is_some_and(|schema| is_string(schema, &name)) =>
                {
                    Value::String(word.to_string())
                }
                event => self.value(event, deep)?,
            };
            map.insert(name, value);
        }
    }
}
