//! The complete answer of a turn, as the operations that store it.

use serde_json::json;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::InteractionId;
use tarsy_llm::{Extra, Grounding, GroundingSupport, ToolCall, UrlRead};
use tarsy_store::Op;

use crate::engine::conversation::Conversation;
use crate::engine::timeline::Scope;

/// Supports that the timeline shows of one search; the trace has all of them.
const MAX_SUPPORTS: usize = 200;
/// The longest search entry point that the timeline has, in bytes; Google's has some thousands.
const MAX_ENTRY_POINT: usize = 32 * 1024;

/// Timeline events for what the provider's own tools did.
pub(super) fn extra_events(scope: Scope, extras: &[Extra]) -> Vec<Op> {
    let event = |extra: &Extra| match extra {
        Extra::CodeExecution { code, result } => {
            let text = format!("```\n{code}\n```\n\n{result}");
            Some(scope.event(TimelineKind::CodeExecution, text))
        }
        Extra::Grounding(found) => {
            let reads = extras.iter().any(|one| matches!(one, Extra::UrlContext(_)));
            grounding(scope, found, reads)
        }
        Extra::UrlContext(pages) => Some(url_context(scope, pages, extras)),
    };
    extras.iter().filter_map(event).collect()
}

/// A search if the provider names its queries, else pages that it read, unless it lists those itself.
fn grounding(scope: Scope, found: &Grounding, reads: bool) -> Option<Op> {
    let lines = sources(found);
    if found.queries.is_empty() {
        let metadata = Some(json!({ "supports": supports(found) }));
        let kind = TimelineKind::UrlContextResult;
        return (!reads).then(|| scope.event_with(kind, lines, metadata));
    }
    let entry_point = Some(&found.search_entry_point)
        .filter(|html| !html.is_empty() && html.len() <= MAX_ENTRY_POINT);
    let metadata = json!({
        "queries": found.queries,
        "sources": found.sources,
        "supports": supports(found),
        "search_entry_point": entry_point,
    });
    let text = format!("{}\n\n{lines}", found.queries.join(", "));
    Some(scope.event_with(TimelineKind::GoogleSearchResult, text, Some(metadata)))
}

/// The pages, and what of the answer they support if nothing was searched.
fn url_context(scope: Scope, pages: &[UrlRead], extras: &[Extra]) -> Op {
    let line = |page: &UrlRead| match page.status.as_str() {
        "" | "success" => format!("- [{0}]({0})", page.url),
        status => format!("- [{0}]({0}) ({status})", page.url),
    };
    let lines: Vec<String> = pages.iter().map(line).collect();
    let found = extras.iter().find_map(|extra| match extra {
        Extra::Grounding(found) if found.queries.is_empty() => Some(found.as_ref()),
        _ => None,
    });
    let metadata = json!({
        "pages": pages,
        "sources": found.map(|found| &found.sources),
        "supports": found.map(supports),
    });
    scope.event_with(TimelineKind::UrlContextResult, lines.join("\n"), Some(metadata))
}

fn sources(found: &Grounding) -> String {
    let lines: Vec<String> =
        found.sources.iter().map(|page| format!("- [{}]({})", page.title, page.uri)).collect();
    lines.join("\n")
}

fn supports(found: &Grounding) -> &[GroundingSupport] {
    found.supports.get(..MAX_SUPPORTS).unwrap_or(&found.supports)
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
        ToolCall {
            id: id.to_owned(),
            name: "host.load".to_owned(),
            arguments: "{}".to_owned(),
            ..ToolCall::default()
        }
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
