//! Records and lists as indented lines of YAML; the text around them may be anything.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::record::{Record, Scalar, child, field_role, is_lone_key, lone_key};
use crate::scan::class::KeyClass;
use crate::scan::classify::classify;
use crate::scan::lexical::{may_begin_string, quoted};
use crate::scan::scanner::Scanner;

/// How many mappings may be open.
const MAX_OPEN: usize = 64;
/// How long a key may be.
const MAX_KEY: usize = 96;

/// Finds what is in indented lines.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>) {
    let bytes = scanner.bytes;
    // Many short texts have neither sign.
    if memchr2(b'-', b':', bytes).is_none() {
        return;
    }
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
        let indent = blanks(text);
        let content = text.get(indent..).unwrap_or_default();
        let first = content.bytes().find(|byte| !byte.is_ascii_whitespace());
        let Some(first) = first.filter(|_| content.as_bytes().first() != Some(&b'#')) else {
            return;
        };
        if first == b'-' && content.starts_with("---") {
            return self.close_from(0);
        }
        let (mut column, mut rest) = (indent, content);
        while first == b'-' && rest.as_bytes().get(..2) == Some(b"- ") {
            // A new item ends the record before it.
            self.close_from(column + 1);
            let skipped = 2 + blanks(rest.get(2..).unwrap_or_default());
            column += skipped;
            rest = rest.get(skipped..).unwrap_or_default();
        }
        let is_item = column > indent;
        let start = line.start + column;
        if let Some((key, value)) = key_of(rest) {
            self.close_from(column + 1);
            self.field(column, start..start + key, start + value, line.end);
        } else if is_item {
            let class = self.class_above(indent);
            let scalar = class.and_then(|_| self.scalar(start, line.end, false));
            if let Some((class, scalar)) = class.zip(scalar) {
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
        let in_json = self.scanner.byte(key.start) == Some(b'"');
        let name = self.scanner.slice(key.clone());
        if !self.has_scalar(value, end, in_json) {
            let own = classify(self.scanner, name);
            let Some(mapping) = self.open.last_mut() else { return };
            mapping.below = own.or(mapping.class);
            mapping.head = Some(key);
            return;
        }
        let Some(mapping) = self.open.last_mut() else { return };
        (mapping.below, mapping.head) = (None, None);
        let (above, class) = (mapping.above.clone(), mapping.class);
        let above = above.filter(|_| is_lone_key(name));
        let role = field_role(name);
        if above.is_none() && class.is_none() && role.is_none() {
            return;
        }
        let Some(scalar) = self.scalar(value, end, in_json) else { return };
        if let Some(mapping) = self.open.last_mut() {
            mapping.record.field(name, role, &scalar);
        }
        if let Some(class) = class {
            child(self.scanner, class, Some(&key), &scalar);
        }
        if let Some(above) = above {
            lone_key(self.scanner, &above, &key, &scalar);
        }
    }

    /// Whether a value stands between two places, not a list, an object or nothing.
    fn has_scalar(&self, from: usize, end: usize, in_json: bool) -> bool {
        let rest = self.scanner.bytes.get(from..end).unwrap_or_default();
        let first = rest.iter().find(|byte| !byte.is_ascii_whitespace());
        first.is_some_and(|first| in_json || !b"|>{[&*!#".contains(first))
    }

    /// The scalar between two places: without quotes, without a comment; none if there is none.
    fn scalar(&self, from: usize, end: usize, in_json: bool) -> Option<Scalar> {
        let text = self.scanner.slice(from..end);
        let at = from + (text.len() - text.trim_start().len());
        let begins = self.scanner.byte(at).is_some_and(may_begin_string);
        let string = if begins { quoted(self.scanner, at) } else { None };
        if let Some(range) = string.filter(|range| range.end <= end) {
            return Some(Scalar { range, quoted: true });
        }
        if in_json {
            // Braces are read elsewhere; here only lists and objects of YAML below a quoted key are missing.
            let opens = text.trim_ascii().is_empty();
            return (!opens).then_some(Scalar { range: at..at, quoted: true });
        }
        let comment = if text.contains('#') { text.find(" #") } else { None };
        let plain = text.get(..comment.unwrap_or(text.len())).unwrap_or_default().trim();
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
    let bytes = content.as_bytes();
    let part = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'"' | b'\'')
    };
    let colon = bytes.iter().take(MAX_KEY + 1).position(|byte| !part(*byte))?;
    let behind = bytes.get(colon + 1..)?;
    let ends = behind.first() == Some(&b' ') || behind.trim_ascii_end().is_empty();
    if bytes.get(colon) != Some(&b':') || !ends {
        return None;
    }
    let plain = content.get(..colon)?.trim_matches(['"', '\'']);
    (!plain.is_empty() && !plain.contains(['"', '\''])).then_some((colon, colon + 1))
}

/// How many blanks a text begins with.
fn blanks(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b' ').count()
}
