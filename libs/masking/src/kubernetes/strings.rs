//! The text inside a quoted string, with the way back to where each byte came from.

use std::ops::Range;

/// A string without its escapes.
pub(super) struct Plain {
    pub(super) text: String,
    /// For each byte of the text where it begins in the source, and at the end where the source ends.
    origins: Vec<usize>,
}

impl Plain {
    /// Takes the escapes out of what stands between two quotes.
    pub(super) fn of(raw: &str) -> Self {
        let mut plain = Self {
            text: String::with_capacity(raw.len()),
            origins: Vec::with_capacity(raw.len() + 1),
        };
        let mut chars = raw.char_indices();
        while let Some((at, c)) = chars.next() {
            if c != '\\' {
                plain.push(c, at);
                continue;
            }
            match chars.next() {
                Some((_, 'n')) => plain.push('\n', at),
                Some((_, 't')) => plain.push('\t', at),
                Some((_, 'r')) => plain.push('\r', at),
                Some((_, 'u')) => {
                    let digits = raw
                        .get(at + 2..at + 6)
                        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
                    if digits.is_some() {
                        chars.nth(3);
                    }
                    plain.push(digits.and_then(char::from_u32).unwrap_or('\u{fffd}'), at);
                }
                Some((_, other)) => plain.push(other, at),
                None => plain.push('\\', at),
            }
        }
        plain.origins.push(raw.len());
        plain
    }

    fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        self.origins.extend(std::iter::repeat_n(at, c.len_utf8()));
    }

    /// Where a part of the text is in the source.
    pub(super) fn origin(&self, range: &Range<usize>) -> Option<Range<usize>> {
        Some(*self.origins.get(range.start)?..*self.origins.get(range.end)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_plain_text_is_found_in_the_source() {
        let raw = r#"a\n\"b\u00e9\"c\\"#;
        let plain = Plain::of(raw);
        assert_eq!(plain.text, "a\n\"b\u{e9}\"c\\");
        let start = plain.text.find('b').expect("it is there");
        let range = plain.origin(&(start..start + 3)).expect("in the source");
        assert_eq!(raw.get(range), Some(r"b\u00e9"));
    }

    #[test]
    fn broken_escapes_do_not_break_the_reader() {
        for raw in ["\\", "\\u", "\\u12", "\\uzzzz", "\\ud800", "é\\é"] {
            let plain = Plain::of(raw);
            assert_eq!(plain.origin(&(0..plain.text.len())), Some(0..raw.len()), "{raw}");
        }
    }
}
