//! A claim: where it stands and what it says.

use std::ops::Range;

use crate::moment::Moment;
use crate::quantity::{Precision, Quantity};

/// Claims that one text may have; what is beyond is not checked.
pub(crate) const MOST_CLAIMS: usize = 2_000;

/// What a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClaimKind {
    Citation,
    Quantity,
    Time,
    Quotation,
    Name,
}

/// One claim and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// In bytes of the Markdown text.
    pub range: Range<usize>,
    pub content: Content,
    /// Which of the document's statements it stands in.
    pub(crate) statement: usize,
    pub(crate) precision: Precision,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `[call 3]`, `[call 3, line 12]`
    Citation {
        call: u32,
        line: Option<usize>,
    },
    Quantity(Quantity),
    Time(Moment),
    /// Without its marks; `…` and `...` stand for what was left out.
    Quotation(String),
    Name(String),
}

impl Claim {
    pub fn kind(&self) -> ClaimKind {
        match self.content {
            Content::Citation { .. } => ClaimKind::Citation,
            Content::Quantity(_) => ClaimKind::Quantity,
            Content::Time(_) => ClaimKind::Time,
            Content::Quotation(_) => ClaimKind::Quotation,
            Content::Name(_) => ClaimKind::Name,
        }
    }
}
