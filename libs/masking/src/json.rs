//! Whether a text is JSON, and where its scalars are: what is taken out of JSON must not reach over one of them.

use std::ops::Range;

use memchr::memchr2;

/// How deep lists and objects may lie in one another; what is deeper is not checked.
const MAX_DEPTH: usize = 256;

/// The insides of the strings, and the numbers and words, of one or several JSON values; none if the text is anything else.
pub(crate) fn scalars(text: &str) -> Option<Vec<Range<usize>>> {
    let first = text.trim_ascii_start().as_bytes().first()?;
    if !matches!(first, b'{' | b'[' | b'"') {
        return None;
    }
    let mut reader =
        Reader { bytes: text.as_bytes(), at: 0, open: Vec::new(), scalars: Vec::new() };
    while reader.skip_blanks().is_some() {
        reader.value()?;
        while !reader.open.is_empty() {
            reader.rest_of_container()?;
        }
    }
    Some(reader.scalars)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether each open container is an object.
    open: Vec<bool>,
    scalars: Vec<Range<usize>>,
}

impl Reader<'_> {
    /// The next byte that is no blank.
    fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.skip_blanks()? == wanted).then(|| self.at += 1)
    }

    /// A scalar, or the begin of a container.
    fn value(&mut self) -> Option<()> {
        match self.skip_blanks()? {
            b'"' => self.string(),
            byte @ (b'{' | b'[') => {
                self.at += 1;
                let is_object = byte == b'{';
                let empty = self.skip_blanks()? == if is_object { b'}' } else { b']' };
                if empty {
                    self.at += 1;
                    return Some(());
                }
                if self.open.len() >= MAX_DEPTH {
                    return None;
                }
                self.open.push(is_object);
                if is_object { self.key_and_value() } else { self.value() }
            }
            _ => self.literal(),
        }
    }

    /// What follows a value in the innermost container.
    fn rest_of_container(&mut self) -> Option<()> {
        let is_object = *self.open.last()?;
        match self.skip_blanks()? {
            b',' => {
                self.at += 1;
                if is_object { self.key_and_value() } else { self.value() }
            }
            byte if byte == if is_object { b'}' } else { b']' } => {
                self.at += 1;
                self.open.pop();
                Some(())
            }
            _ => None,
        }
    }

    fn key_and_value(&mut self) -> Option<()> {
        self.skip_blanks().filter(|byte| *byte == b'"')?;
        self.string()?;
        self.expect(b':')?;
        self.value()
    }

    fn string(&mut self) -> Option<()> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            end += memchr2(b'"', b'\\', self.bytes.get(end..)?)?;
            if self.bytes.get(end) == Some(&b'"') {
                break;
            }
            end += 2;
        }
        self.scalars.push(start..end);
        self.at = end + 1;
        Some(())
    }

    fn literal(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.'))
            .count();
        let word = rest.get(..length)?;
        let known = matches!(word, b"true" | b"false" | b"null")
            || word.first().is_some_and(|first| first.is_ascii_digit() || *first == b'-');
        self.scalars.push(self.at..self.at + length);
        self.at += length;
        known.then_some(())
    }
}

/// The part of a range that lies in one scalar.
pub(crate) fn within(scalars: &[Range<usize>], range: &Range<usize>) -> Range<usize> {
    let next = scalars.partition_point(|scalar| scalar.end <= range.start);
    let Some(scalar) = scalars.get(next) else { return range.start..range.start };
    let start = range.start.max(scalar.start);
    start..range.end.min(scalar.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scalars_of_json_are_found_and_anything_else_is_refused() {
        let text = r#"{"a":[1,"b\"c"],"d":{}} {"e":null}"#;
        let scalars = scalars(text).expect("it is JSON");
        let parts: Vec<&str> = scalars.iter().filter_map(|range| text.get(range.clone())).collect();
        assert_eq!(parts, ["a", "1", "b\\\"c", "d", "e", "null"]);
        for text in ["", "a", "{a:1}", r#"{"a":1"#, r#"{"a":1,}"#, "[1 2]", r#"{"a":x}"#] {
            assert_eq!(super::scalars(text), None, "{text}");
        }
    }

    #[test]
    fn what_reaches_over_a_scalar_is_cut() {
        let scalars = [1..3, 5..9];
        assert_eq!(within(&scalars, &(2..7)), 2..3);
        assert_eq!(within(&scalars, &(3..7)), 5..7);
        assert_eq!(within(&scalars, &(9..12)), 9..9);
    }
}
