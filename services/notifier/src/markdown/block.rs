//! What a text is made of.

use super::table::Table;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    Heading(Vec<Span>),
    Paragraph(Vec<Span>),
    Quote(Quote),
    Item(Item),
    Code(String),
    Table(Table),
}

/// A paragraph of a quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// 1 for a quotation, 2 for one inside it.
    pub(crate) depth: usize,
    pub(crate) spans: Vec<Span>,
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// How many lists are around its own.
    pub(crate) depth: usize,
    /// Its number in a list with numbers; none also for the second paragraph of an entry.
    pub(crate) number: Option<u64>,
    pub(crate) spans: Vec<Span>,
}

/// A part of a line with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Italic,
    Struck,
    Code,
}
