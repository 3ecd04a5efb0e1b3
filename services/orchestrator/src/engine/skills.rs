//! Skills that an agent loads: TARSy answers these calls itself, from the texts that the session keeps.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_catalog::RESERVED_ID;
use tarsy_contracts::mcp::{Tool, ToolTerms};

use crate::engine::task::AgentTask;
use crate::engine::tools::Requested;
use crate::limits::is_small;

/// The name of the tool that loads a skill.
const LOAD: &str = "load_skill";

/// Whether a server is TARSy itself.
pub(crate) fn is_own(server: &str) -> bool {
    server == RESERVED_ID
}

/// Whether an agent may load skills beside these tools. A small context window has no room for them; and an agent without
/// tools keeps those of its provider, which are off beside any other.
pub(crate) fn are_loadable(task: &AgentTask<'_>, tools: &[Tool]) -> bool {
    !task.spec.skills.is_empty() && !tools.is_empty() && !is_small(&task.spec.provider)
}

/// The tools that an agent is offered, with the one that loads skills if it has any.
pub(crate) fn with_loader(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    if !are_loadable(task, &tools) {
        return tools;
    }
    tools.iter().cloned().chain([loader(&task.spec.skills)]).collect()
}

fn loader(names: &[String]) -> Tool {
    Tool {
        server: RESERVED_ID.to_owned(),
        name: LOAD.to_owned(),
        description: "Loads a skill: what the operator of this system knows about one subject."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": {"name": {"type": "string", "enum": names, "description": "The skill"}},
            "required": ["name"],
            "additionalProperties": false,
        }),
        read_only: true,
        idempotent: true,
        terms: ToolTerms::default(),
    }
}

/// The answer to a call of TARSy's own tool, or why it has none; nothing for a call of a tool server.
pub(crate) fn answer(task: &AgentTask<'_>, call: Requested<'_>) -> Option<Result<String, String>> {
    is_own(call.server).then(|| load(task, call))
}

fn load(task: &AgentTask<'_>, call: Requested<'_>) -> Result<String, String> {
    if call.name != LOAD {
        return Err(format!(
            "There is no tool {}.{}; there is {RESERVED_ID}.{LOAD}.",
            call.server, call.name
        ));
    }
    let arguments: Value = serde_json::from_str(call.arguments).unwrap_or_default();
    let name = arguments.get("name").and_then(Value::as_str).unwrap_or_default().trim();
    let spec = task.spec;
    let is_of_agent = spec.skills.iter().chain(&spec.required_skills).any(|one| one == name);
    match task.plan.chain.skill(name).filter(|_| is_of_agent) {
        Some(skill) => Ok(skill.body.clone()),
        None => Err(format!(
            "There is no skill {name:?}; write one of these as `name`: {}.",
            spec.skills.join(", ")
        )),
    }
}
