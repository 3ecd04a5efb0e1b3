//! What a feed needs from the table and the owner.

use crate::row::Row;

/// A result of reading the table: the newest number, and rows from a number on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// The newest number; none without such a session.
    pub(crate) last: Option<i64>,
    /// The rows, in order.
    pub(crate) rows: Vec<Row>,
}

/// A viewer's history that must be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) viewer: u64,
    pub(crate) after: i64,
    /// Distinguishes this read from earlier ones of the same viewer.
    pub(crate) turn: u64,
}

/// A read of the table, and perhaps of the owner's text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Rows after this number are needed; none before any viewer was served.
    pub(crate) after: Option<i64>,
    /// Whether the owner is asked for its text first.
    pub(crate) snapshot: bool,
    /// How often this gap has been looked at.
    pub(crate) tries: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needed {
    pub(crate) rows: bool,
    pub(crate) snapshot: bool,
}

impl Needed {
    pub(crate) const ALL: Self = Self { rows: true, snapshot: true };
}
