//! What was repaired.

use std::{collections::BTreeMap, fmt};

/// One kind of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// The bytes are text of another encoding than UTF-8; its name as the WHATWG writes it.
    Encoding(&'static str),
    ByteOrderMark,
    /// Bytes that are no UTF-8 in a text that otherwise is, each run replaced with U+FFFD.
    InvalidUtf8,
    /// An escape such as `\ud83d` without its other half, replaced with U+FFFD.
    LoneSurrogate,
    /// A raw newline, tab or other control character inside a text.
    ControlCharacter,
    /// A backslash before a character that has no escape, as in `C:\Users`.
    UnknownEscape,
    /// A quotation mark inside a text that was not escaped.
    QuotationMark,
    /// `'text'`.
    SingleQuotes,
    /// A name or value without quotation marks.
    BareWord,
    /// `NaN`, `Infinity`, or a number beyond the range of a double, replaced with null.
    NoNumber,
    /// `None`, `undefined`, or no value at all after a colon, replaced with null.
    NoValue,
    /// `True` or `False`.
    TruthValue,
    /// A comma before the end of a list or an object, or after another comma.
    Comma,
    /// What is nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH), kept as text.
    Depth,
}

/// A kind of repair, and how often it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    pub repair: Repair,
    pub count: usize,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.repair {
            Repair::Encoding(name) => return write!(f, "read as {name}"),
            Repair::ByteOrderMark => return f.write_str("byte order mark left out"),
            Repair::InvalidUtf8 => "bytes that are not UTF-8 replaced",
            Repair::LoneSurrogate => "half a character replaced",
            Repair::ControlCharacter => "control character inside a text",
            Repair::UnknownEscape => "backslash not escaped",
            Repair::QuotationMark => "quotation mark inside a text not escaped",
            Repair::SingleQuotes => "text in single quotation marks",
            Repair::BareWord => "word without quotation marks",
            Repair::NoNumber => "NaN, Infinity or a number out of range read as null",
            Repair::NoValue => "missing value read as null",
            Repair::TruthValue => "True or False read as true or false",
            Repair::Comma => "comma too many",
            Repair::Depth => "value nested too deeply kept as text",
        };
        match self.count {
            1 => f.write_str(what),
            count => write!(f, "{what} ({count} times)"),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Notes(BTreeMap<Repair, usize>);

impl Notes {
    pub(crate) fn add(&mut self, repair: Repair) {
        self.add_times(repair, 1);
    }

    pub(crate) fn add_times(&mut self, repair: Repair, count: usize) {
        if count > 0 {
            *self.0.entry(repair).or_default() += count;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn done(self) -> Vec<Note> {
        self.0.into_iter().map(|(repair, count)| Note { repair, count }).collect()
    }
}
