//! What the tools have in common that TARSy answers itself.

use std::sync::Arc;

use serde_json::Value;
use tarsy_catalog::RESERVED_ID;
use tarsy_contracts::mcp::Tool;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::CallId;

use crate::engine::context::Context;
use crate::engine::task::AgentTask;
use crate::journal::StopReason;
use crate::limits::is_small;

pub(crate) const CHANGES: &str = "changes";
/// Lists what depends on what.
pub(crate) const DEPENDENCIES: &str = "dependencies";

/// Whether a call, by server and tool, is answered from rows that others report: text of others, that shows nothing of the
/// present state.
pub(crate) fn is_of_rows(server: &str, tool: &str) -> bool {
    server == RESERVED_ID && [CHANGES, DEPENDENCIES].contains(&tool)
}

/// The tools that an agent is offered, with one that is answered from rows. An agent without tools keeps those of its provider,
/// which are off beside any other, and one with a small context window is offered none of these.
pub(crate) fn with_tool_of_rows(
    task: &AgentTask<'_>,
    tools: Arc<[Tool]>,
    own: impl FnOnce() -> Tool,
) -> Arc<[Tool]> {
    let provider = &task.spec.provider;
    let is_offered = !is_small(provider) && (!tools.is_empty() || provider.native_tools.is_off());
    if !is_offered || !task.spec.strategy.uses_tools() {
        return tools;
    }
    tools.iter().cloned().chain([own()]).collect()
}

/// An argument that is a text; none if that is blank.
pub(crate) fn text(arguments: &Value, name: &str) -> Option<String> {
    let text = arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// The one of these tools that a call names, however its server is divided from it.
pub(crate) fn named(call: &str, tools: &[&'static str]) -> Option<&'static str> {
    let rest = call.strip_prefix(RESERVED_ID)?;
    let tool = rest.strip_prefix('.').or_else(|| rest.strip_prefix("__"))?;
    tools.iter().copied().find(|own| *own == tool)
}

/// What the call of the original session was answered, for a replay.
pub(crate) async fn recorded(
    ctx: &Context,
    call: CallId,
) -> Result<Result<String, String>, StopReason> {
    let found = ctx.journal.read(|store| store.find_recorded_result(call)).await?;
    Ok(match found {
        Some(result) if result.status == CallStatus::Completed => Ok(result.text),
        Some(result) => Err(result.text),
        None => Err("not recorded: the replayed session made no such call".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_rows_are_those_of_tarsy() {
        assert!(is_of_rows("tarsy", "changes") && is_of_rows("tarsy", "dependencies"));
        assert!(!is_of_rows("tarsy", "load_skill") && !is_of_rows("ops", "changes"));
    }

    #[test]
    fn a_tool_is_named_with_either_separator_and_its_whole_name() {
        let named = |call| named(call, &["recall", "search_past_sessions"]);
        assert_eq!(named("tarsy.recall"), Some("recall"));
        assert_eq!(named("tarsy__search_past_sessions"), Some("search_past_sessions"));
        for other in ["tarsy.load_skill", "ops.recall", "recall", "tarsy.recall_all"] {
            assert_eq!(named(other), None, "{other}");
        }
    }
}
