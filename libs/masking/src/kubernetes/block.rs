//! Objects as indented YAML, line by line; the text around them may be anything.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::flow::{Scope, data_values, is_encoded, is_likely_encoded};
use super::kind::{Kind, is_data_key, is_nothing};
use super::margin::Margin;

/// How many blocks of data may lie inside one another.
const MAX_NESTED_DATA: usize = 4;
/// How long a key may be.
const MAX_KEY: usize = 253;

/// Finds the values of Secrets in YAML.
pub(super) fn find(text: &str, scope: Scope, found: &mut Vec<Range<usize>>) {
    for margin in Margin::of(text) {
        find_beside(text, margin, scope, found);
    }
}

fn find_beside(text: &str, margin: Margin, scope: Scope, found: &mut Vec<Range<usize>>) {
    let mut reader = Reader {
        text,
        margin,
        scope,
        open: Vec::new(),
        waiting: Vec::new(),
        found,
        data_ends: Vec::new(),
        flow_end: 0,
    };
    let lines = Lines { text, margin, at: 0 };
    for line in lines {
        reader.line(&line);
    }
    reader.close_deeper_than(None);
}

/// A line, without its margin and its line end.
#[derive(Clone, Debug)]
struct Line<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Line<'a> {
    fn indent(&self) -> usize {
        self.text.bytes().take_while(|byte| *byte == b' ').count()
    }

    fn content(&self) -> &'a str {
        self.text.trim_ascii()
    }

    fn is_blank(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_whitespace())
    }

    /// Where the content begins and ends in the whole text.
    fn range(&self) -> Range<usize> {
        let indent = self.text.len() - self.text.trim_ascii_start().len();
        self.start + indent..self.start + indent + self.content().len()
    }
}

/// The lines of a text from a place on.
#[derive(Clone)]
struct Lines<'a> {
    text: &'a str,
    margin: Margin,
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let text = rest.get(..length)?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        let margin = self.margin.width(text);
        let line = Line { text: text.get(margin..)?, start: self.at + margin };
        self.at += length + 1;
        Some(line)
    }
}

/// A mapping whose keys stand in one column.
#[derive(Debug)]
struct Frame {
    column: usize,
    kind: Kind,
    /// The fields of an object that were seen; a second one begins another object.
    seen: [bool; 4],
    waiting: usize,
}

/// The fields that distinguish objects.
const FIELDS: [&str; 4] = ["apiVersion", "kind", "data", "stringData"];

struct Reader<'a, 'f> {
    text: &'a str,
    margin: Margin,
    scope: Scope,
    open: Vec<Frame>,
    /// Values that are secret if the object around them is a Secret.
    waiting: Vec<Range<usize>>,
    found: &'f mut Vec<Range<usize>>,
    /// Where the blocks of data end that we are in.
    data_ends: Vec<usize>,
    /// Where the last data in braces ended.
    flow_end: usize,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: &Line<'_>) {
        let first = line.text.bytes().find(|byte| !byte.is_ascii_whitespace());
        if first.is_none_or(|first| first == b'#') {
            return;
        }
        let divides = matches!(first, Some(b'-' | b'.'))
            && (line.text.starts_with("---") || line.text.starts_with("..."));
        if divides {
            return self.close_deeper_than(None);
        }
        let mut column = line.indent();
        let mut content = line.text.get(column..).unwrap_or_default();
        while first == Some(b'-') && content.as_bytes().get(..2) == Some(b"- ") {
            let item = content.get(2..).unwrap_or_default();
            self.close_deeper_than(Some(column));
            let blanks = item.bytes().take_while(|byte| *byte == b' ').count();
            (column, content) = (column + 2 + blanks, item.get(blanks..).unwrap_or_default());
        }
        self.close_deeper_than(Some(column));
        let Some((key, value)) = key_of(content) else { return };
        self.enter(column, key);
        if key == "kind" {
            let name = value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']);
            if let Some(frame) = self.open.last_mut() {
                frame.kind = Kind::named(name);
            }
        } else if is_data_key(key) {
            // Only a Secret has `stringData`: a patch need not say so.
            if let Some(frame) = self.open.last_mut().filter(|_| key == "stringData")
                && frame.kind == Kind::Unknown
            {
                frame.kind = Kind::Secret;
            }
            let value_start = line.start + line.text.len() - value.len();
            self.data(line, column, value, value_start);
        }
    }

    /// Enters the mapping of a column; a field that was seen before begins another object.
    fn enter(&mut self, column: usize, key: &str) {
        let field = FIELDS.iter().position(|field| *field == key);
        let again = self.open.last().is_some_and(|frame| {
            frame.column == column
                && field.is_some_and(|field| frame.seen.get(field) == Some(&true))
        });
        if again {
            self.classify_values();
        }
        if self.open.last().is_none_or(|frame| frame.column < column) {
            let waiting = self.waiting.len();
            self.open.push(Frame { column, kind: Kind::Unknown, seen: [false; 4], waiting });
        }
        let frame = self.open.last_mut();
        if let Some(seen) = frame.zip(field).and_then(|(frame, field)| frame.seen.get_mut(field)) {
            *seen = true;
        }
    }

    fn close_deeper_than(&mut self, column: Option<usize>) {
        while self
            .open
            .last()
            .is_some_and(|frame| column.is_none_or(|column| frame.column > column))
        {
            self.classify_values();
        }
    }

    /// Gives the verdict over what waited in the innermost mapping.
    fn classify_values(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let first = frame.waiting.min(self.waiting.len());
        match frame.kind {
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

    /// Collects the values below `data:`.
    fn data(&mut self, line: &Line<'_>, column: usize, value: &str, value_start: usize) {
        let skipped = skip_properties(value);
        let rest = value.get(skipped..).unwrap_or_default();
        if rest.starts_with('{') {
            // Inside data that was read already, a second look would only cost time.
            let start = value_start + skipped;
            if start >= self.flow_end {
                let (values, end) =
                    data_values(self.text, start..self.text.len().min(start + MAX_FLOW));
                self.waiting.extend(values);
                self.flow_end = end;
            }
        } else if rest.is_empty() || rest.starts_with('#') {
            self.data_ends.retain(|end| *end > line.start);
            if self.data_ends.len() >= MAX_NESTED_DATA {
                return;
            }
            let after = line.start
                + self
                    .text
                    .get(line.start..)
                    .and_then(|rest| rest.find('\n'))
                    .map_or(0, |at| at + 1);
            if after > line.start {
                let lines = Lines { text: self.text, margin: self.margin, at: after };
                let end = collect(lines, column, &mut self.waiting);
                self.data_ends.push(end);
            }
        }
    }
}

/// How far data in braces is followed.
const MAX_FLOW: usize = 4 * 1024 * 1024;

/// Reads `key: value`; the value is trimmed at its start only.
fn key_of(content: &str) -> Option<(&str, &str)> {
    let quote = content.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (key, rest) = if let Some(quote) = quote {
        let (key, rest) = content.get(1..)?.split_once(quote)?;
        (key, rest.trim_start().strip_prefix(':')?)
    } else {
        let bytes = content.as_bytes();
        let ends = |at: &usize| matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\r'));
        let at = memchr_iter(b':', bytes).find(ends)?;
        (content.get(..at)?.trim_ascii_end(), content.get(at + 1..)?)
    };
    (!key.is_empty() && key.len() <= MAX_KEY).then_some((key, rest.trim_ascii_start()))
}

/// Passes over tags and anchors before a value.
fn skip_properties(value: &str) -> usize {
    let mut at = 0;
    while let Some(rest) = value.get(at..).filter(|rest| rest.starts_with(['!', '&'])) {
        let word = rest.find(' ').map_or(rest.len(), |blank| blank + 1);
        at += word;
    }
    at
}

/// An entry of the data whose value is being read.
struct Entry {
    /// Where the value begins on the line of its key, and what stands there.
    first: Range<usize>,
    /// The lines below that belong to it.
    more: Option<Range<usize>>,
}

/// Collects the values of the lines that are indented deeper than a column; returns where they end.
fn collect(lines: Lines<'_>, column: usize, waiting: &mut Vec<Range<usize>>) -> usize {
    let text = lines.text;
    let (mut child, mut entry) = (None, None::<Entry>);
    let mut end = lines.at;
    for line in lines {
        if line.is_blank() {
            end = line.start + line.text.len();
            continue;
        }
        let indent = line.indent();
        if indent <= column {
            break;
        }
        end = line.start + line.text.len();
        let child = *child.get_or_insert(indent);
        if indent > child {
            match &mut entry {
                Some(entry) => {
                    let start = entry.more.as_ref().map_or(line.range().start, |more| more.start);
                    entry.more = Some(start..line.range().end);
                }
                None => waiting.push(line.range()),
            }
            continue;
        }
        waiting.extend(entry.take().and_then(|entry| value_of(text, &entry)));
        if line.content().starts_with('#') {
            continue;
        }
        match key_of(line.content()) {
            Some((_, value)) => {
                let range = line.range();
                let start = range.end - value.len();
                let skipped = skip_properties(value);
                entry = Some(Entry { first: start + skipped..range.end, more: None });
            }
            // Not a mapping: all of the line is suspect.
            None => waiting.push(line.range()),
        }
    }
    waiting.extend(entry.and_then(|entry| value_of(text, &entry)));
    end
}

/// The part of an entry that is its value: without quotes, without a comment, without the head of a block.
fn value_of(text: &str, entry: &Entry) -> Option<Range<usize>> {
    let first = text.get(entry.first.clone())?;
    let quote = first.chars().next().filter(|c| matches!(c, '"' | '\''));
    let range = match (quote, &entry.more) {
        (_, Some(more)) if first.is_empty() || first.starts_with(['|', '>', '#']) => more.clone(),
        (None, None) if first.starts_with(['|', '>']) && first.len() <= 4 => return None,
        (None, None) => {
            let bare = first.split(" #").next().unwrap_or(first).trim_end();
            entry.first.start..entry.first.start + bare.len()
        }
        (Some(quote), None) => {
            let inside = closing(first, quote).unwrap_or(first.len());
            entry.first.start + 1..entry.first.start + inside.max(1)
        }
        (Some(quote), Some(more)) => {
            let last = text.get(more.clone())?;
            let end = last.rfind(quote).map_or(more.end, |at| more.start + at);
            entry.first.start + 1..end
        }
        (None, Some(more)) => entry.first.start..more.end,
    };
    (!range.is_empty() && !is_nothing(text.get(range.clone())?)).then_some(range)
}

/// Where the string that begins with a quote ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, c)| match c {
        _ if escaped => {
            escaped = false;
            None
        }
        '\\' if quote == '"' => {
            escaped = true;
            None
        }
        c if c == quote => Some(at),
        _ => None,
    })
}
