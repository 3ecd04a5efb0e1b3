//! Cutting texts to size.

pub(crate) use tarsy_tokens::cut;

/// The longest tool result that a timeline shows and an interaction keeps, in tokens; the whole
/// text has a table of its own.
pub(crate) const STORED_TOKENS: usize = 8_000;
