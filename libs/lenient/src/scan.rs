//! A place in a text.

/// Reads characters one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Goes on by a number of bytes that ends between two characters.
    pub(crate) const fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Takes the characters up to the first one that `ends`, which may be the next.
    pub(crate) fn take_until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        self.skip(taken.len());
        taken
    }

    /// Whether a closing quotation mark may stand here: before what separates or ends values, or at the end.
    pub(crate) fn after_value(&self) -> bool {
        let next = self.rest().trim_start_matches(is_space).chars().next();
        matches!(next, None | Some(',' | ':' | '}' | ']'))
    }
}

/// What may stand between the parts of a document; JSON knows four of these.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
