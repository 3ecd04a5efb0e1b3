//! Records and lists as indented lines of YAML; the text around them may be anything.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::record::{Record, Scalar, child, lone_key};
use crate::scan::class::KeyClass;
use crate::scan::classify::classify;
use crate::scan::lexical::quoted;
use crate::scan::scanner::Scanner;

/// How many mappings may be open.
const MAX_OPEN: usize = 64;
/// How long a key may be.
const MAX_KEY: usize = 96;

/// Finds what is in indented lines.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) {
    let bytes = scanner.bytes;
    if memmem::find(bytes, b"- ").is_none() && memmem::find(bytes, b":\n").is_none() {
        return;
    }
    let mut reader = Reader { scanner, open: Vec::new() };
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        reader.line(at..at + length);
        at += length + 1;
    }
    reader.close_from(0);
}

/// The fields of one column.
#[derive(Debug)]
struct Mapping {
    column: usize,
    /// The key above it, and its class.
    above: Option<Range<usize>>,
    class: Option<KeyClass>,
    /// Its last key, if nothing follows it on its line.
    head: Option<Range<usize>>,
    /// The class of its last key, if nothing follows it on its line.
    below: Option<KeyClass>,
    record: Record,
}

struct Reader<'r, 'a, 's> {
    scanner: &'r mut Scanner<'a, 's>,
    open: Vec<Mapping>,
}

impl Reader<'_, '_, '_> {
    fn line(&mut self, line: Range<usize>) {
        let text = self.scanner.slice(line.clone());
        let content = text.trim_start_matches(' ');
        if content.trim_ascii().is_empty() || content.starts_with('#') {
            return;
        }
        if content.starts_with("---") {
            return self.close_from(0);
        }
        let mut column = text.len() - content.len();
        let mut rest = content;
        while let Some(item) = rest.strip_prefix("- ") {
            // A new item ends the record before it.
            self.close_from(column + 1);
            let inner = item.trim_start_matches(' ');
            column += 2 + item.len() - inner.len();
            rest = inner;
        }
        let is_item = column > text.len() - content.len();
        let start = line.start + column;
        if let Some((key, value)) = key_of(rest) {
            self.close_from(column + 1);
            self.field(column, start..start + key, start + value, line.end);
        } else if is_item {
            let class = self.class_above(text.len() - content.len());
            if let Some((class, scalar)) = class.zip(self.scalar(start, line.end, false)) {
                child(self.scanner, class, None, &scalar);
            }
        } else {
            self.close_from(column + 1);
        }
    }

    /// The class of the key whose list has its dashes in a column.
    fn class_above(&mut self, dash: usize) -> Option<KeyClass> {
        self.close_from(dash + 1);
        self.open.last().and_then(|mapping| mapping.below)
    }

    fn field(&mut self, column: usize, key: Range<usize>, value: usize, end: usize) {
        if self.open.last().is_none_or(|mapping| mapping.column < column) {
            if self.open.len() >= MAX_OPEN {
                self.close_from(0);
            }
            let class = self.open.last().and_then(|mapping| mapping.below);
            let above = self.open.last().and_then(|mapping| mapping.head.clone());
            let record = Record::default();
            self.open.push(Mapping { column, above, class, head: None, below: None, record });
        }
        let scalar = self.scalar(value, end, self.scanner.byte(key.start) == Some(b'"'));
        let name = self.scanner.slice(key.clone());
        let own = if scalar.is_none() { classify(self.scanner, name) } else { None };
        let Some(mapping) = self.open.last_mut() else { return };
        mapping.below = if scalar.is_none() { own.or(mapping.class) } else { None };
        mapping.head = scalar.is_none().then(|| key.clone());
        let Some(scalar) = scalar else { return };
        mapping.record.field(name, &scalar);
        let (above, class) = (mapping.above.clone(), mapping.class);
        if let Some(class) = class {
            child(self.scanner, class, Some(&key), &scalar);
        }
        if let Some(above) = above {
            lone_key(self.scanner, &above, &key, &scalar);
        }
    }

    /// The scalar between two places: without quotes, without a comment; none if there is none.
    fn scalar(&self, from: usize, end: usize, in_json: bool) -> Option<Scalar> {
        let text = self.scanner.slice(from..end);
        let at = from + (text.len() - text.trim_start().len());
        if let Some(range) = quoted(self.scanner, at).filter(|range| range.end <= end) {
            return Some(Scalar { range, quoted: true });
        }
        if in_json {
            // Braces are read elsewhere; here only lists and objects of YAML below a quoted key are missing.
            let opens = text.trim_ascii().is_empty();
            return (!opens).then_some(Scalar { range: at..at, quoted: true });
        }
        let plain = text.trim_start().split(" #").next().unwrap_or_default().trim_end();
        let scalar =
            !plain.is_empty() && !plain.starts_with(['|', '>', '{', '[', '&', '*', '!', '#']);
        scalar.then(|| Scalar { range: at..at + plain.len(), quoted: false })
    }

    /// Ends the mappings in a column or right of it.
    fn close_from(&mut self, column: usize) {
        while self.open.last().is_some_and(|mapping| mapping.column >= column) {
            if let Some(mapping) = self.open.pop() {
                mapping.record.close(self.scanner);
            }
        }
    }
}

/// How long the key of `key: value` is, and where what follows its colon begins.
fn key_of(content: &str) -> Option<(usize, usize)> {
    let head = content.get(..content.floor_char_boundary(MAX_KEY + 1)).unwrap_or_default();
    let colon = head.find(": ").or_else(|| {
        let line = content.trim_ascii_end();
        (line.len() <= MAX_KEY + 1 && line.ends_with(':')).then(|| line.len() - 1)
    })?;
    let key = head.get(..colon)?;
    let plain = key.trim_matches(['"', '\'']);
    let word = !plain.is_empty()
        && plain
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/'));
    word.then_some((colon, colon + 1))
}
