//! Objects in braces: JSON, YAML in braces, and what languages print like them.

use std::ops::Range;

use memchr::{memchr3, memmem};

use super::kind::{Kind, is_data_key, is_nothing};
use super::strings::Plain;
use crate::base64;
use crate::spans::mask_end;

/// How many braces may be open; what is deeper begins anew.
const MAX_OPEN: usize = 2_048;
/// How far a closing brace looks for its partner.
const MAX_REPAIR: usize = 8;

/// Finds the values of Secrets in the text of a string: the text, its depth, and what was found.
pub(super) type Nested = fn(&str, usize, &mut Vec<Range<usize>>);

/// How a text is read.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    /// Strings around the text.
    pub(super) depth: usize,
    /// Whether objects without a kind are Secrets.
    pub(super) in_list: bool,
    /// Reads strings in the text; without it they are not read.
    pub(super) nested: Option<Nested>,
}

/// Finds the values of Secrets in braces.
pub(super) fn find(text: &str, scope: Scope, found: &mut Vec<Range<usize>>) {
    let mut reader = Reader::new(text, scope);
    reader.run(0..text.len(), false);
    found.append(&mut reader.found);
    reader.kinds.sort_unstable();
    // A lone quote in prose can hide the object behind it on the same line: read that line again from the object on.
    let mut done = 0;
    for at in memmem::find_iter(text.as_bytes(), "\"Secret") {
        if at < done || reader.kinds.binary_search(&(at + 1)).is_ok() {
            continue;
        }
        let line =
            text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
        done = text
            .get(at..)
            .and_then(|rest| rest.find('\n'))
            .map_or(text.len(), |newline| at + newline);
        if let Some(start) = text.get(line..done).and_then(|line| line.find("{\"")) {
            let mut again = Reader::new(text, Scope { in_list: false, ..scope });
            again.run(line + start..done, false);
            found.append(&mut again.found);
        }
    }
}

/// Finds the values of an object that is known to be the data of something, and where it ends.
pub(super) fn data_values(text: &str, range: Range<usize>) -> (Vec<Range<usize>>, usize) {
    let mut reader = Reader::new(text, Scope { depth: 0, in_list: false, nested: None });
    reader.all_is_data = true;
    let end = reader.run(range, true);
    (reader.waiting, end)
}

/// An open brace or bracket.
#[derive(Debug)]
struct Frame {
    is_object: bool,
    kind: Kind,
    /// The key whose value comes next.
    key: Option<Range<usize>>,
    /// Whether this is the data of an object, or below it.
    in_data: bool,
    /// Whether the next scalar is a key.
    wants_key: bool,
    /// How many values were waiting for a verdict when it opened.
    waiting: usize,
}

/// Reads a text once, from its start to its end.
struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    scope: Scope,
    all_is_data: bool,
    open: Vec<Frame>,
    /// Values that are secret if the object around them is a Secret.
    waiting: Vec<Range<usize>>,
    found: Vec<Range<usize>>,
    /// Where the kinds of objects stand, to know which mention of a Secret was understood.
    kinds: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, scope: Scope) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            scope,
            all_is_data: false,
            open: Vec::new(),
            waiting: Vec::new(),
            found: Vec::new(),
            kinds: Vec::new(),
        }
    }

    fn run(&mut self, range: Range<usize>, one_object: bool) -> usize {
        let mut at = range.start;
        while let Some(byte) = self.bytes.get(at).copied().filter(|_| at < range.end) {
            at = match byte {
                b'{' | b'[' => self.opening(at, byte == b'{'),
                b'}' | b']' => {
                    self.close(byte == b'}');
                    if one_object && self.open.is_empty() {
                        return at + 1;
                    }
                    at + 1
                }
                b'"' => self.string(at, range.end),
                b'\'' if !self.open.is_empty() => self.single(at, range.end),
                b',' => {
                    if let Some(frame) = self.open.last_mut() {
                        (frame.key, frame.wants_key) = (None, frame.is_object);
                    }
                    at + 1
                }
                b':' | b' ' | b'\t' | b'\n' | b'\r' => at + 1,
                _ if self.open.is_empty() => self.skip(at, range.end),
                _ => self.bare(at, range.end),
            };
        }
        self.finish(!one_object);
        range.end
    }

    fn end_of(&self, from: usize, until: usize, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..until).unwrap_or_default();
        from + rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len())
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// Opens a frame, unless the bracket is the first of a mask.
    fn opening(&mut self, at: usize, is_object: bool) -> usize {
        if let Some(end) = mask_end(self.text, at).filter(|_| !is_object) {
            self.scalar(at..end);
            return end;
        }
        self.push(is_object);
        at + 1
    }

    /// Passes over prose.
    fn skip(&self, at: usize, until: usize) -> usize {
        let rest = self.bytes.get(at + 1..until).unwrap_or_default();
        at + 1 + memchr3(b'{', b'[', b'"', rest).unwrap_or(rest.len())
    }

    /// A string in double quotes; one that does not end on its line is a lone quote, or was cut with the text.
    fn string(&mut self, at: usize, until: usize) -> usize {
        let (mut end, mut escaped) = (at + 1, false);
        while let Some(byte) = self.bytes.get(end).copied().filter(|_| end < until) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => break,
                b'\n' => return at + 1,
                _ => {}
            }
            end += 1;
        }
        self.scalar(at + 1..end);
        self.nested(at + 1..end);
        end + 1
    }

    /// A string in single quotes, as YAML and Python write it.
    fn single(&mut self, at: usize, until: usize) -> usize {
        let end = self.end_of(at + 1, until, |byte| matches!(byte, b'\'' | b'\n'));
        if self.bytes.get(end) != Some(&b'\'') {
            return at + 1;
        }
        self.scalar(at + 1..end);
        end + 1
    }

    /// A word without quotes.
    fn bare(&mut self, at: usize, until: usize) -> usize {
        let wants_key = self.open.last().is_some_and(|frame| frame.wants_key);
        let end = self.end_of(at, until, |byte| {
            matches!(byte, b',' | b'{' | b'}' | b'[' | b']' | b'"' | b'\n')
                || (wants_key && byte == b':')
        });
        let trimmed = at + self.slice(at..end).trim_end().len();
        if trimmed > at {
            self.scalar(at..trimmed);
        }
        end.max(at + 1)
    }

    /// A key or a value.
    fn scalar(&mut self, range: Range<usize>) {
        let value = self.slice(range.clone());
        let Some(frame) = self.open.last_mut() else { return };
        if frame.wants_key {
            (frame.key, frame.wants_key) = (Some(range), false);
        } else if frame.in_data {
            if !is_nothing(value) {
                self.waiting.push(range);
            }
        } else if frame.is_object {
            let key = frame.key.clone().and_then(|key| self.text.get(key));
            if key == Some("kind") {
                frame.kind = Kind::named(value);
                self.kinds.push(range.start);
            }
        }
    }

    /// A string may hold a whole manifest: what `kubectl apply` last saw, or YAML inside JSON.
    fn nested(&mut self, range: Range<usize>) {
        let Some(nested) = self.scope.nested else { return };
        let raw = self.slice(range.clone());
        if raw.len() < 16 || memmem::find(raw.as_bytes(), b"Secret").is_none() {
            return;
        }
        let plain = Plain::of(raw);
        let mut inside = Vec::new();
        nested(&plain.text, self.scope.depth + 1, &mut inside);
        let origins = inside.iter().filter_map(|part| plain.origin(part));
        self.found.extend(origins.map(|part| range.start + part.start..range.start + part.end));
    }

    fn push(&mut self, is_object: bool) {
        if self.open.len() >= MAX_OPEN {
            self.finish(true);
        }
        let in_data = self.all_is_data
            || self.open.last().is_some_and(|frame| {
                let key = frame.key.clone().and_then(|key| self.text.get(key));
                frame.in_data
                    || (is_object
                        && frame.is_object
                        && !frame.wants_key
                        && key.is_some_and(is_data_key))
            });
        self.open.push(Frame {
            is_object,
            kind: Kind::Unknown,
            key: None,
            in_data,
            wants_key: is_object,
            waiting: self.waiting.len(),
        });
    }

    /// Closes the innermost brace of its sort; brackets that were left open inside are closed with it.
    fn close(&mut self, is_object: bool) {
        let partner =
            self.open.iter().rev().take(MAX_REPAIR).position(|frame| frame.is_object == is_object);
        for _ in 0..partner.map_or(0, |distance| distance + 1) {
            self.classify_values();
        }
    }

    /// Gives the verdict over what waited in the innermost frame.
    fn classify_values(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let first = frame.waiting.min(self.waiting.len());
        match frame.kind {
            _ if frame.in_data => {}
            Kind::Secret | Kind::SecretList => self.found.extend(self.waiting.drain(first..)),
            Kind::Other => self.waiting.truncate(first),
            Kind::Unknown if self.open.is_empty() => {
                let values: Vec<_> = self.waiting.drain(first..).collect();
                if self.scope.in_list || is_encoded(self.text, &values) {
                    self.found.extend(values);
                }
            }
            Kind::Unknown => {}
        }
    }

    fn finish(&mut self, verdict: bool) {
        while verdict && !self.open.is_empty() {
            self.classify_values();
        }
    }
}

/// Whether values without a kind look like those of a Secret: all are base64 of text. The last may be cut with the text.
pub(super) fn is_encoded(text: &str, values: &[Range<usize>]) -> bool {
    let mut whole = values.iter().filter(|range| range.end < text.len()).peekable();
    whole.peek().is_some()
        && whole.clone().any(|range| range.len() >= 8)
        && whole.all(|range| text.get(range.clone()).is_some_and(base64::is_encoded_text))
}
