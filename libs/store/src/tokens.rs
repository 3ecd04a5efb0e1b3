//! Sums of tokens.

use crate::cells::Cells;
use crate::error::Error;

/// Tokens of calls of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tokens {
    pub input: i64,
    pub output: i64,
    /// The total, as the providers count it.
    pub total: i64,
}

impl Tokens {
    pub(crate) fn read(cells: &Cells<'_>) -> Result<Self, Error> {
        Ok(Self {
            input: cells.get("input_tokens")?,
            output: cells.get("output_tokens")?,
            total: cells.get("total_tokens")?,
        })
    }
}
