//! Whether a text is JSON, and where its scalars are: what is taken out of JSON must not reach over one of them.

use std::ops::Range;

use memchr::memchr2;

/// How deep lists and objects may lie in one another; what is deeper is not checked.
const MAX_DEPTH: usize = 256;

/// A string without its quotes, a number, or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar {
    pub(crate) range: Range<usize>,
    /// Whether it names a field.
    pub(crate) is_key: bool,
}

/// The insides of the strings, and the numbers and words, of one or several JSON values; none if the text is anything else.
pub(crate) fn scalars(text: &str) -> Option<Vec<Scalar>> {
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
    scalars: Vec<Scalar>,
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
            b'"' => self.string(false),
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
        self.string(true)?;
        self.expect(b':')?;
        self.value()
    }

    fn string(&mut self, is_key: bool) -> Option<()> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            end += memchr2(b'"', b'\\', self.bytes.get(end..)?)?;
            if self.bytes.get(end) == Some(&b'"') {
                break;
            }
            end += 2;
        }
        self.scalars.push(Scalar { range: start..end, is_key });
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
        self.scalars.push(Scalar { range: self.at..self.at + length, is_key: false });
        self.at += length;
        known.then_some(())
    }
}

/// The scalar in which a range begins, or the next one.
pub(crate) fn scalar_of<'s>(scalars: &'s [Scalar], range: &Range<usize>) -> Option<&'s Scalar> {
    scalars.get(scalars.partition_point(|scalar| scalar.range.end <= range.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scalars_of_json_are_found_and_anything_else_is_refused() {
        let text = r#"{"a":[1,"b\"c"],"d":{}} {"e":null}"#;
        let scalars = scalars(text).expect("it is JSON");
        let parts: Vec<&str> =
            scalars.iter().filter_map(|scalar| text.get(scalar.range.clone())).collect();
        assert_eq!(parts, ["a", "1", "b\\\"c", "d", "e", "null"]);
        for text in ["", "a", "{a:1}", r#"{"a":1"#, r#"{"a":1,}"#, "[1 2]", r#"{"a":x}"#] {
            assert_eq!(super::scalars(text), None, "{text}");
        }
    }

    #[test]
    fn keys_are_distinguished_from_values() {
        let scalars = scalars(r#"{"a":"b"}"#).expect("it is JSON");
        let key = scalar_of(&scalars, &(0..9)).expect("a scalar");
        assert_eq!((key.range.clone(), key.is_key), (2..3, true));
        let value = scalar_of(&scalars, &(3..9)).expect("a scalar");
        assert_eq!((value.range.clone(), value.is_key), (6..7, false));
        assert_eq!(scalar_of(&scalars, &(7..9)), None);
    }
}
