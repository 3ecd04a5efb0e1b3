//! The complete answer of a turn, as the operations that store it.

use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::InteractionId;
use tarsy_llm::{Extra, Grounding, ToolCall};
use tarsy_store::Op;

use crate::engine::conversation::Conversation;
use crate::engine::timeline::Scope;

/// Timeline events for what the provider's own tools did.
pub(super) fn extra_events(scope: Scope, extras: &[Extra]) -> Vec<Op> {
    let event = |extra: &Extra| match extra {
        Extra::CodeExecution { code, result } => {
            scope.event(TimelineKind::CodeExecution, format!("```\n{code}\n```\n\n{result}"))
        }
        Extra::Grounding(found) => {
            let (kind, text) = grounding(found);
            scope.event(kind, text)
        }
    };
    extras.iter().map(event).collect()
}

/// A search if the provider names its queries, else pages that it read.
fn grounding(found: &Grounding) -> (TimelineKind, String) {
    let lines: Vec<String> =
        found.sources.iter().map(|page| format!("- [{}]({})", page.title, page.uri)).collect();
    let lines = lines.join("\n");
    if found.queries.is_empty() {
        return (TimelineKind::UrlContextResult, lines);
    }
    (TimelineKind::GoogleSearchResult, format!("{}\n\n{lines}", found.queries.join(", ")))
}

/// Gives each call an id that is unique in its execution; some models send none, or one twice.
pub(super) fn with_unique_ids(calls: Vec<ToolCall>, conversation: &Conversation) -> Vec<ToolCall> {
    let mut unique: Vec<ToolCall> = Vec::with_capacity(calls.len());
    for mut call in calls {
        let taken = call.id.is_empty()
            || conversation.has_call(&call.id)
            || unique.iter().any(|other| other.id == call.id);
        if taken {
            call.id = format!("call-{}", InteractionId::new());
        }
        unique.push(call);
    }
    unique
}

#[cfg(test)]
mod tests {
    use tarsy_domain::event::Role;
    use tarsy_domain::id::{ExecutionId, StageId};
    use tarsy_llm::Message;

    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: "host.load".to_owned(), arguments: "{}".to_owned() }
    }

    #[test]
    fn a_call_id_is_used_once_in_a_conversation() {
        let mut conversation =
            Conversation::from_stored(StageId::new(), ExecutionId::new(), Vec::new());
        let earlier = vec![call("a")];
        conversation.append(Message { tool_calls: earlier, ..Message::new(Role::Assistant, "") });
        let calls = vec![call("a"), call("b"), call("b"), call("")];
        let ids: Vec<String> =
            with_unique_ids(calls, &conversation).into_iter().map(|call| call.id).collect();
        assert_eq!(ids[1], "b");
        assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)), "{ids:?}");
        assert!(ids[0] != "a" && !ids[3].is_empty());
    }
}
