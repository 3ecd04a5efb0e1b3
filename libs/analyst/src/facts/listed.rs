//! What changed near the alert, as the prompt lists it.

use tarsy_domain::change::ChangeLine;

/// A change, and its place in what was given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Listed {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) change: ChangeLine,
}

impl Listed {
    /// The changes in a list of lines.
    pub(crate) fn read(text: &str) -> Vec<Self> {
        let listed = |(line, text): (usize, &str)| {
            Some(Self { line, text: text.trim().to_owned(), change: ChangeLine::parse(text)? })
        };
        (1..).zip(text.lines()).filter_map(listed).collect()
    }
}
