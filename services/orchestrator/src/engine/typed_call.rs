//! A request for an answer of a form, beside the conversations of agents: verdicts and scores.

use tarsy_catalog::ResolvedProvider;
use tarsy_domain::id::SessionId;
use tarsy_llm::{Call, Message, NativeToolUse, ResponseFormat, Retries, Timeouts, ToolCalls};

use crate::engine::compaction::compact;

/// The output limit that the provider is given, in tokens: some thinking, and a page of JSON.
pub(crate) const MAX_TOKENS: u32 = 4_096;
/// The longest answer of a provider that ignores its output limit, in bytes.
const MAX_BYTES: usize = 64 * 1024;

pub(crate) fn typed_call<'p>(
    session_id: SessionId,
    (messages, format): (Vec<Message>, ResponseFormat),
    (provider, fallbacks): (&'p ResolvedProvider, &'p [ResolvedProvider]),
    timeouts: Timeouts,
) -> Call<'p> {
    Call {
        session_id,
        execution_id: None,
        messages,
        compact: Some(compact),
        tools: Vec::new(),
        // Some models answer with a call all the same.
        tool_calls: ToolCalls::Accept,
        response_format: Some(format),
        native_tools: NativeToolUse::Off,
        provider,
        fallbacks,
        max_output_tokens: Some(MAX_TOKENS),
        max_bytes: MAX_BYTES,
        timeouts,
        retries: Retries::SUMMARY,
        previous_timeouts: 0,
    }
}
