//! Limits that prompts and stored records share.

use tarsy_catalog::ResolvedProvider;

/// The longest tool result on the timeline and in an interaction, in tokens; the table
/// `tool_results` has the rest.
pub(crate) const MAX_SHOWN_TOKENS: usize = 8_000;

/// The largest context window that counts as small, in tokens: 32k.
const SMALL_WINDOW: u32 = 32_768;

/// Whether a model is given shorter texts, because its context window is small.
pub(crate) fn is_small(provider: &ResolvedProvider) -> bool {
    provider.context_window_tokens.is_some_and(|window| window <= SMALL_WINDOW)
}
