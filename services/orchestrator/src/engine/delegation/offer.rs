//! The tools of an agent that dispatches others.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_catalog::{RESERVED_ID, ResolvedDelegation};
use tarsy_contracts::mcp::{Tool, ToolTerms};

use crate::engine::own_tool;
use crate::engine::task::AgentTask;

pub(super) const DISPATCH: &str = "dispatch_agent";
pub(super) const LIST: &str = "list_agents";
pub(super) const WAIT: &str = "wait_for_agents";
pub(super) const CANCEL: &str = "cancel_agent";

/// The tool of an agent that dispatches, if a call names one, however its server is divided from it.
pub(super) fn own_tool(name: &str) -> Option<&'static str> {
    own_tool::named(name, &[DISPATCH, LIST, WAIT, CANCEL])
}

/// Whether a call is one of an agent that dispatches. Such a call is no look, and answers differently each time.
pub(crate) fn is_own(name: &str) -> bool {
    own_tool(name).is_some()
}

/// The tools that an agent is offered, with those to dispatch others if it may.
pub(crate) fn with_tools(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    match &task.spec.delegation {
        Some(delegation) if task.team.is_some() => {
            tools.iter().cloned().chain(own(delegation)).collect()
        }
        _ => tools,
    }
}

fn own(delegation: &ResolvedDelegation) -> [Tool; 4] {
    let names: Vec<&str> = delegation.agents.iter().map(|one| one.agent.name.as_str()).collect();
    let nothing = || json!({"type": "object", "properties": {}, "additionalProperties": false});
    [
        tool(
            DISPATCH,
            "Dispatches a sub-agent to find something out while you go on. It sees the alert and what it is to do, nothing else \
             of your work. What it finds comes to you by itself.",
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "enum": names, "description": "The sub-agent"},
                    "task": {
                        "type": "string",
                        "description": "What it is to find out, with the names and times that it needs",
                    },
                },
                "required": ["name", "task"],
                "additionalProperties": false,
            }),
        ),
        tool(
            LIST,
            "Lists the sub-agents that you dispatched, and which of them still run.",
            nothing(),
        ),
        tool(
            WAIT,
            "Waits until one of the running sub-agents has ended. Call it when you have nothing else to do.",
            nothing(),
        ),
        tool(
            CANCEL,
            "Cancels a running sub-agent that is not needed any more.",
            json!({
                "type": "object",
                "properties": {"number": {"type": "integer", "description": "Its number"}},
                "required": ["number"],
                "additionalProperties": false,
            }),
        ),
    ]
}

fn tool(name: &str, description: &str, input_schema: Value) -> Tool {
    Tool {
        server: RESERVED_ID.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema,
        read_only: true,
        idempotent: false,
        terms: ToolTerms::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_own_with_either_separator_and_its_whole_name() {
        assert_eq!(own_tool("tarsy.dispatch_agent"), Some(DISPATCH));
        assert_eq!(own_tool("tarsy__wait_for_agents"), Some(WAIT));
        for other in
            ["tarsy.load_skill", "ops.dispatch_agent", "dispatch_agent", "tarsydispatch_agent"]
        {
            assert!(!is_own(other), "{other}");
        }
    }
}
