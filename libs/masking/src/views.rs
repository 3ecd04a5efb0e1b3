//! A text as its reader sees it, without escapes, entities, colours or percent signs, with the way back to the source.

use std::cell::Cell;
use std::ops::Range;

use memchr::{memchr, memchr3, memmem, memrchr};

/// How many runs behind the last one are tried before all are searched.
const NEAR_RUNS: usize = 8;
/// How long an entity of HTML may be.
const MAX_ENTITY: usize = 8;

/// A way to write texts, the marks it is known by, and how to undo it.
pub(crate) struct Encoding {
    marks: &'static [&'static str],
    pub(crate) undo: fn(&str) -> View,
}

/// The ways that are undone before a text is searched.
pub(crate) const ENCODINGS: [Encoding; 3] = [
    Encoding { marks: &["\x1b["], undo: View::uncoloured },
    Encoding {
        marks: &["&quot;", "&#34;", "&#39;", "&lt;", "&apos;", "&#x22;", "&#x27;", "&amp;"],
        undo: View::without_entities,
    },
    Encoding { marks: &["%3A", "%3a", "%22", "%3D", "%3d", "%40"], undo: View::without_percents },
];

/// The lines of a text that are written in each of these ways; neighbours are one part.
pub(crate) fn encoded_parts(text: &str) -> [Vec<Range<usize>>; 3] {
    let bytes = text.as_bytes();
    let mut parts: [Vec<Range<usize>>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    let mut at = 0;
    while let Some(hit) =
        bytes.get(at..).and_then(|rest| memchr3(b'\x1b', b'&', b'%', rest)).map(|hit| at + hit)
    {
        at = hit + 1;
        for (encoding, parts) in ENCODINGS.iter().zip(&mut parts) {
            if parts.last().is_some_and(|last| last.end > hit) || !encoding.begins(bytes, hit) {
                continue;
            }
            let start =
                memrchr(b'\n', bytes.get(..hit).unwrap_or_default()).map_or(0, |line| line + 1);
            let rest = bytes.get(hit..).unwrap_or_default();
            let end = memchr(b'\n', rest).map_or(bytes.len(), |line| hit + line + 1);
            match parts.last_mut() {
                Some(last) if last.end >= start => last.end = end,
                _ => parts.push(start..end),
            }
        }
    }
    parts
}

impl Encoding {
    /// Whether a mark stands at a place.
    fn begins(&self, bytes: &[u8], at: usize) -> bool {
        let rest = bytes.get(at..).unwrap_or_default();
        self.marks.iter().any(|mark| rest.starts_with(mark.as_bytes()))
    }
}

/// A text without its encoding.
pub(crate) struct View {
    pub(crate) text: String,
    runs: Vec<Run>,
    /// The run that was asked for last: the next one is mostly near.
    last: Cell<usize>,
}

/// A piece of the text that was copied as it is, or stands for something longer.
struct Run {
    /// Where it begins in the text.
    at: usize,
    /// What it stands for in the source.
    source: Range<usize>,
    copied: bool,
}

impl View {
    fn of_length(source: usize) -> Self {
        Self { text: String::with_capacity(source), runs: Vec::new(), last: Cell::new(0) }
    }

    /// What stands between two quotes, without its escapes.
    pub(crate) fn unescaped(raw: &str) -> Self {
        let mut view = Self::of_length(raw.len());
        let mut at = 0;
        while let Some(slash) = raw.get(at..).and_then(|rest| memchr(b'\\', rest.as_bytes())) {
            view.copy(raw, at..at + slash);
            at += slash;
            let rest = raw.get(at + 1..).unwrap_or_default();
            let Some(c) = rest.chars().next() else {
                view.put('\\', at..at + 1);
                at += 1;
                break;
            };
            let digits = rest.get(1..5).filter(|_| c == 'u');
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let length = 1 + c.len_utf8() + if code.is_some() { 4 } else { 0 };
            view.put(
                match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'u' => code.and_then(char::from_u32).unwrap_or('\u{fffd}'),
                    other => other,
                },
                at..at + length,
            );
            at += length;
        }
        view.copy(raw, at..raw.len());
        view
    }

    /// Output without the colours of a terminal.
    pub(crate) fn uncoloured(raw: &str) -> Self {
        let mut view = Self::of_length(raw.len());
        let mut at = 0;
        while let Some(escape) = next_code(raw, at) {
            view.copy(raw, at..escape);
            at = escape + 2;
            let rest = raw.as_bytes().get(at..).unwrap_or_default();
            let codes = rest
                .iter()
                .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b'?'))
                .count();
            let letter = rest.get(codes).is_some_and(u8::is_ascii_alphabetic);
            at += codes + usize::from(letter);
        }
        view.copy(raw, at..raw.len());
        view
    }

    /// A page without its entities.
    pub(crate) fn without_entities(raw: &str) -> Self {
        let mut view = Self::of_length(raw.len());
        let mut at = 0;
        while let Some(next) = raw.get(at..).and_then(|rest| memchr(b'&', rest.as_bytes())) {
            view.copy(raw, at..at + next);
            at += next;
            let end = raw.floor_char_boundary(at + 1 + MAX_ENTITY);
            let rest = raw.get(at + 1..end).unwrap_or_default();
            let entity = rest.split_once(';').and_then(|(name, _)| Some((name, entity(name)?)));
            if let Some((name, c)) = entity {
                view.put(c, at..at + name.len() + 2);
                at += name.len() + 2;
            } else {
                view.copy(raw, at..at + 1);
                at += 1;
            }
        }
        view.copy(raw, at..raw.len());
        view
    }

    /// A text without the percent signs of addresses.
    pub(crate) fn without_percents(raw: &str) -> Self {
        let mut view = Self::of_length(raw.len());
        let mut at = 0;
        while let Some(next) = raw.get(at..).and_then(|rest| memchr(b'%', rest.as_bytes())) {
            view.copy(raw, at..at + next);
            at += next;
            let digits = raw.get(at + 1..at + 3);
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            if let Some(byte) = byte.filter(u8::is_ascii) {
                view.put(char::from(byte), at..at + 3);
                at += 3;
            } else {
                view.copy(raw, at..at + 1);
                at += 1;
            }
        }
        view.copy(raw, at..raw.len());
        view
    }

    /// A text without the codes of quotes and signs, such as `\u0022`, outside of any string.
    pub(crate) fn without_codes(raw: &str) -> Self {
        let mut view = Self::of_length(raw.len());
        let mut at = 0;
        let code = memmem::Finder::new(b"\\u00");
        while let Some(next) = raw.get(at..).and_then(|rest| code.find(rest.as_bytes())) {
            view.copy(raw, at..at + next);
            at += next;
            let digits = raw.get(at + 4..at + 6);
            let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            let length = if let Some(code) = code.filter(u8::is_ascii_punctuation) {
                view.put(char::from(code), at..at + 6);
                6
            } else {
                view.copy(raw, at..at + 4);
                4
            };
            at += length;
        }
        view.copy(raw, at..raw.len());
        view
    }

    fn copy(&mut self, raw: &str, range: Range<usize>) {
        let Some(part) = raw.get(range.clone()).filter(|part| !part.is_empty()) else { return };
        self.runs.push(Run { at: self.text.len(), source: range, copied: true });
        self.text.push_str(part);
    }

    fn put(&mut self, c: char, source: Range<usize>) {
        self.runs.push(Run { at: self.text.len(), source, copied: false });
        self.text.push(c);
    }

    /// Where a part of the text is in the source; what was left out at its ends stays outside.
    pub(crate) fn origin(&self, range: &Range<usize>) -> Range<usize> {
        let start = self
            .run_of(range.start)
            .map_or(0, |run| run.source.start + if run.copied { range.start - run.at } else { 0 });
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        let end = last.and_then(|last| self.run_of(last)).map_or(start, |run| {
            if run.copied { run.source.start + (range.end - run.at) } else { run.source.end }
        });
        start..end.max(start)
    }

    fn run_of(&self, at: usize) -> Option<&Run> {
        let last = self.last.get();
        let near = self.runs.get(last..self.runs.len().min(last + NEAR_RUNS)).unwrap_or_default();
        let ahead = near.iter().take_while(|run| run.at <= at).count();
        let run = if (1..NEAR_RUNS).contains(&ahead) {
            last + ahead - 1
        } else {
            self.runs.partition_point(|run| run.at <= at).checked_sub(1)?
        };
        self.last.set(run);
        self.runs.get(run)
    }
}

/// Where the next code of a terminal begins.
fn next_code(raw: &str, from: usize) -> Option<usize> {
    let bytes = raw.as_bytes();
    let mut at = from;
    loop {
        at += memchr(b'\x1b', bytes.get(at..)?)?;
        if bytes.get(at + 1) == Some(&b'[') {
            return Some(at);
        }
        at += 1;
    }
}

/// The character of an entity.
fn entity(name: &str) -> Option<char> {
    Some(match name {
        "quot" => '"',
        "apos" => '\'',
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_plain_text_is_found_in_the_source() {
        let raw = r#"a\n\"b\u00e9\"c\\"#;
        let view = View::unescaped(raw);
        assert_eq!(view.text, "a\n\"b\u{e9}\"c\\");
        let start = view.text.find('b').expect("it is there");
        assert_eq!(raw.get(view.origin(&(start..start + 3))), Some(r"b\u00e9"));
    }

    #[test]
    fn broken_escapes_do_not_break_the_reader() {
        for raw in ["\\", "\\u", "\\u12", "\\uzzzz", "\\ud800", "é\\é"] {
            let view = View::unescaped(raw);
            assert_eq!(view.origin(&(0..view.text.len())), 0..raw.len(), "{raw}");
        }
    }

    #[test]
    fn colours_entities_and_percents_go() {
        let view = View::uncoloured("\x1b[1;32ma\x1b[0m=b");
        assert_eq!((view.text.as_str(), view.origin(&(0..1))), ("a=b", 7..8));
        let view = View::without_entities("a=&quot;b&quot;&#x27;&x");
        assert_eq!((view.text.as_str(), view.origin(&(3..4))), ("a=\"b\"'&x", 8..9));
        let view = View::without_percents("a%3D%22b%zz");
        assert_eq!((view.text.as_str(), view.origin(&(3..4))), ("a=\"b%zz", 7..8));
        let view = View::without_codes(r"a=\u0022b\u00e9\u00");
        assert_eq!((view.text.as_str(), view.origin(&(3..4))), (r#"a="b\u00e9\u00"#, 8..9));
    }
}
