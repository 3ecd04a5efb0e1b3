//! What stands in braces and brackets: JSON, YAML in braces, and what languages print like them; the text around it may
//! be anything, and it may end anywhere.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use crate::spans::mask_end;

/// Learns what is in the braces of a text, in the order of the text.
pub(crate) trait Visitor {
    /// Whether any brace or bracket is open.
    fn is_open(&self) -> bool;
    /// Whether the next scalar is a key.
    fn wants_key(&self) -> bool;
    /// A brace or bracket at a place.
    fn open(&mut self, at: usize, is_object: bool);
    fn close(&mut self, is_object: bool);
    /// A comma: the next field or item begins.
    fn next(&mut self);
    /// A key or a value, without its quotes.
    fn scalar(&mut self, range: Range<usize>, quoted: bool);
    /// The inside of a string in double quotes, which may hold a document itself.
    fn nested(&mut self, range: Range<usize>);
    /// The text was cut inside what is open.
    fn cut(&mut self);
}

/// Reads a part of a text; one object at its start only, or all of it. Returns where it stopped.
pub(crate) fn walk(
    text: &str,
    range: Range<usize>,
    one_object: bool,
    visitor: &mut impl Visitor,
) -> usize {
    let mut walker = Walker { text, bytes: text.as_bytes(), visitor };
    let mut at = range.start;
    while let Some(byte) = walker.bytes.get(at).copied().filter(|_| at < range.end) {
        at = match byte {
            b'{' | b'[' => walker.opening(at, range.end, byte == b'{'),
            b'}' | b']' => {
                walker.visitor.close(byte == b'}');
                if one_object && !walker.visitor.is_open() {
                    return at + 1;
                }
                at + 1
            }
            b'"' => walker.string(at, range.end),
            b'\'' if walker.visitor.is_open() => walker.single(at, range.end),
            b',' => {
                walker.visitor.next();
                at + 1
            }
            b':' | b' ' | b'\t' | b'\n' | b'\r' => at + 1,
            _ if !walker.visitor.is_open() => walker.skip(at, range.end),
            _ => walker.bare(at, range.end),
        };
    }
    range.end
}

/// What a byte ends that stands outside of strings.
#[derive(Clone, Copy)]
enum End {
    Nothing,
    /// A key, but no value.
    Key,
    Always,
}

static ENDS: [End; 256] = {
    let mut table = [End::Nothing; 256];
    let mut rest: &mut [End] = &mut table;
    let mut byte = 0_u8;
    while let [first, others @ ..] = rest {
        *first = match byte {
            b',' | b'{' | b'}' | b'[' | b']' | b'"' | b'\n' => End::Always,
            b':' => End::Key,
            _ => End::Nothing,
        };
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
};

struct Walker<'a, 'v, V> {
    text: &'a str,
    bytes: &'a [u8],
    visitor: &'v mut V,
}

impl<'a, V: Visitor> Walker<'a, '_, V> {
    fn end_of(&self, from: usize, until: usize, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..until).unwrap_or_default();
        from + rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len())
    }

    fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// Opens a frame, unless the bracket is the first of a mask.
    fn opening(&mut self, at: usize, until: usize, is_object: bool) -> usize {
        if !is_object && mask_end(self.text, at).is_some() {
            return self.bare(at, until);
        }
        self.visitor.open(at, is_object);
        at + 1
    }

    /// Passes over prose.
    fn skip(&self, at: usize, until: usize) -> usize {
        let rest = self.bytes.get(at + 1..until).unwrap_or_default();
        at + 1 + memchr3(b'{', b'[', b'"', rest).unwrap_or(rest.len())
    }

    /// A string in double quotes; one that does not end on its line is a lone quote, or was cut with the text.
    fn string(&mut self, at: usize, until: usize) -> usize {
        let mut end = at + 1;
        loop {
            let rest = self.bytes.get(end..until).unwrap_or_default();
            let Some(next) = memchr3(b'"', b'\\', b'\n', rest) else {
                end = until;
                break;
            };
            end += next;
            match self.bytes.get(end) {
                Some(b'\\') => end = (end + 2).min(until),
                Some(b'\n') => {
                    if self.visitor.is_open() && self.is_cut_before(end + 1) {
                        self.visitor.cut();
                    }
                    return at + 1;
                }
                _ => break,
            }
        }
        self.visitor.scalar(at + 1..end, true);
        self.visitor.nested(at + 1..end);
        end + 1
    }

    /// Whether a line does not end the string that is open: its quotes come in pairs.
    fn is_cut_before(&self, from: usize) -> bool {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let line = rest.get(..memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or_default();
        let (mut at, mut quotes) = (0, 0);
        while let Some(next) = line.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
            at += next;
            if line.get(at) == Some(&b'"') {
                quotes += 1;
                at += 1;
            } else {
                at += 2;
            }
        }
        quotes % 2 == 0 && !line.first().is_none_or(u8::is_ascii_whitespace)
    }

    /// A string in single quotes, as YAML and Python write it.
    fn single(&mut self, at: usize, until: usize) -> usize {
        let end = self.end_of(at + 1, until, |byte| matches!(byte, b'\'' | b'\n'));
        if self.bytes.get(end) != Some(&b'\'') {
            return at + 1;
        }
        self.visitor.scalar(at + 1..end, true);
        end + 1
    }

    /// Words without quotes. A mask belongs to them as what it replaced did, so that masking again reads the same.
    fn bare(&mut self, at: usize, until: usize) -> usize {
        let wants_key = self.visitor.wants_key();
        let ends = |byte: u8| match ENDS.get(usize::from(byte)) {
            Some(End::Always) => true,
            Some(End::Key) => wants_key,
            _ => false,
        };
        let mut end = self.end_of(at, until, ends);
        while let Some(mask_end) = mask_end(self.text, end).filter(|mask_end| *mask_end <= until) {
            end = self.end_of(mask_end, until, ends);
        }
        let trimmed = at + self.slice(at..end).trim_end().len();
        if trimmed > at {
            self.visitor.scalar(at..trimmed, false);
        }
        end.max(at + 1)
    }
}
