//! Limits that prompts and stored records share.

/// The longest tool result on the timeline and in an interaction, in tokens; the table
/// `tool_results` has the rest.
pub(crate) const MAX_SHOWN_TOKENS: usize = 8_000;
