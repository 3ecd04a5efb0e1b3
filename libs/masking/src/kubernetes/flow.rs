//! Objects in braces: JSON, YAML in braces, and what languages print like them.

use std::ops::Range;

use memchr::memmem;

use super::kind::{Kind, is_data_key, is_nothing};
use crate::base64;
use crate::braces::{self, Visitor};
use crate::views::View;

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
    /// Whether the kind of a list may stand in another part of the text.
    pub(super) is_part: bool,
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
    let mut reader =
        Reader::new(text, Scope { depth: 0, in_list: false, is_part: false, nested: None });
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
            scope,
            all_is_data: false,
            open: Vec::new(),
            waiting: Vec::new(),
            found: Vec::new(),
            kinds: Vec::new(),
        }
    }

    fn run(&mut self, range: Range<usize>, one_object: bool) -> usize {
        let whole = range.end;
        let end = braces::walk(self.text, range, one_object, self);
        if end == whole {
            self.finish(!one_object);
        }
        end
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
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
                let likely = self.scope.is_part && is_likely_encoded(self.text, &values);
                if self.scope.in_list || likely || is_encoded(self.text, &values) {
                    self.found.extend(values);
                }
            }
            Kind::Unknown if self.scope.is_part => {
                let values: Vec<_> = self.waiting.drain(first..).collect();
                if is_likely_encoded(self.text, &values) {
                    self.found.extend(values);
                } else {
                    self.waiting.extend(values);
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

impl Visitor for Reader<'_> {
    fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    fn wants_key(&self) -> bool {
        self.open.last().is_some_and(|frame| frame.wants_key)
    }

    fn next(&mut self) {
        if let Some(frame) = self.open.last_mut() {
            (frame.key, frame.wants_key) = (None, frame.is_object);
        }
    }

    fn cut(&mut self) {
        self.finish(true);
    }

    fn open(&mut self, _at: usize, is_object: bool) {
        if self.open.len() >= MAX_OPEN {
            self.finish(true);
        }
        let text = self.text;
        let in_data = self.all_is_data
            || self.open.last_mut().is_some_and(|frame| {
                let key = frame.key.clone().and_then(|key| text.get(key));
                let is_value = is_object && frame.is_object && !frame.wants_key;
                // Only a Secret has that: a patch need not say so.
                if is_value && key == Some("stringData") && frame.kind == Kind::Unknown {
                    frame.kind = Kind::Secret;
                }
                frame.in_data || (is_value && key.is_some_and(is_data_key))
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

    fn scalar(&mut self, range: Range<usize>, _quoted: bool) {
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
        let view = View::unescaped(raw);
        let mut inside = Vec::new();
        nested(&view.text, self.scope.depth + 1, &mut inside);
        let origins = inside.iter().map(|part| view.origin(part));
        self.found.extend(origins.map(|part| range.start + part.start..range.start + part.end));
    }
}

/// Whether values of one object look like those of a Secret whose kind is elsewhere: all are base64, and one is of text.
pub(super) fn is_likely_encoded(text: &str, values: &[Range<usize>]) -> bool {
    let value = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    values.iter().all(|range| base64::decode(value(range)).is_some())
        && values.iter().any(|range| range.len() >= 8 && base64::is_encoded_text(value(range)))
}

/// Whether values without a kind look like those of a Secret: all are base64 of text. The last may be cut with the text.
pub(super) fn is_encoded(text: &str, values: &[Range<usize>]) -> bool {
    let mut whole = values.iter().filter(|range| range.end < text.len()).peekable();
    whole.peek().is_some()
        && whole.clone().any(|range| range.len() >= 8)
        && whole.all(|range| text.get(range.clone()).is_some_and(base64::is_encoded_text))
}
