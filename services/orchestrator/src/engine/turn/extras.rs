//! What a model says beside its text: what its provider found, and the calls that it wants.

use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::InteractionId;
use tarsy_llm::{Grounding, ToolCall};

use crate::engine::conversation::Conversation;

/// What the provider found by itself: a search if it says what it searched for, else pages that it
/// read.
pub(super) fn grounding(found: &Grounding) -> (TimelineKind, String) {
    let lines: Vec<String> =
        found.sources.iter().map(|page| format!("- [{}]({})", page.title, page.uri)).collect();
    let lines = lines.join("\n");
    if found.queries.is_empty() {
        return (TimelineKind::UrlContextResult, lines);
    }
    (TimelineKind::GoogleSearchResult, format!("{}\n\n{lines}", found.queries.join(", ")))
}

/// Every call of an execution needs a name of its own; some models give none, or one twice.
pub(super) fn unique(calls: Vec<ToolCall>, conversation: &Conversation) -> Vec<ToolCall> {
    let mut named: Vec<ToolCall> = Vec::with_capacity(calls.len());
    for mut call in calls {
        let taken = call.id.is_empty()
            || conversation.knows_call(&call.id)
            || named.iter().any(|other| other.id == call.id);
        if taken {
            call.id = format!("call-{}", InteractionId::new());
        }
        named.push(call);
    }
    named
}
