//! What an agent's model is offered of its tools: all of each, unless its context window is small.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use tarsy_contracts::mcp::Tool;

use crate::engine::look;
use crate::engine::task::AgentTask;
use crate::engine::tools::Requested;
use crate::limits::is_small;
use crate::prompts::{Unseen, brief, named};

/// The most tools that are all offered with their schemas.
const MAX_TOOLS: usize = 20;
/// Of more tools, those whose schemas are offered; the others are offered by their names.
const MAX_WHOLE: usize = 12;
/// The shortest word of an alert that is looked for in the texts of tools, in bytes.
const SHORTEST_WORD: usize = 4;

/// The tools as the agent's model is offered them, in the same order. The same alert and tools give the same texts, so that
/// requests stay beginnings of the ones that follow.
pub(crate) fn offered(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    if !is_small(&task.spec.provider) {
        return tools;
    }
    fitted(&task.plan.session.alert_data, &tools)
}

/// The tool of a failed call if the model was offered it by its name alone.
pub(crate) fn unknown_arguments(
    task: &AgentTask<'_>,
    tools: &[Tool],
    call: Requested<'_>,
) -> Option<Tool> {
    if !is_small(&task.spec.provider) {
        return None;
    }
    let is_called = |tool: &&Tool| tool.server == call.server && tool.name == call.name;
    let tool = tools.iter().find(is_called)?;
    let whole = whole(&task.plan.session.alert_data, tools);
    (!whole.contains(&tool.full_name())).then(|| tool.clone())
}

fn fitted(alert: &str, tools: &[Tool]) -> Arc<[Tool]> {
    let whole = whole(alert, tools);
    let shown = |tool: &Tool| {
        if whole.contains(&tool.full_name()) { brief(tool) } else { named(tool) }
    };
    tools.iter().map(shown).collect()
}

/// Names of the tools whose schemas are offered: those that the offline analyst would call first, then those that have most
/// words of the alert.
fn whole(alert: &str, tools: &[Tool]) -> BTreeSet<String> {
    if tools.len() <= MAX_TOOLS {
        return tools.iter().map(Tool::full_name).collect();
    }
    let mut chosen: BTreeSet<String> =
        look::fitting(alert, tools, &Unseen::Everything).into_iter().collect();
    let alert = alert.to_lowercase();
    let words: BTreeSet<&str> = alert
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() >= SHORTEST_WORD)
        .collect();
    let matches = |tool: &Tool| {
        let text = format!("{} {}", tool.name, tool.description).to_lowercase();
        words.iter().filter(|word| text.contains(**word)).count()
    };
    let mut ranked: Vec<(usize, String)> =
        tools.iter().map(|tool| (matches(tool), tool.full_name())).collect();
    ranked.sort_by_key(|(matches, _)| Reverse(*matches));
    for (_, name) in ranked {
        if chosen.len() >= MAX_WHOLE {
            break;
        }
        chosen.insert(name);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, description: &str) -> Tool {
        Tool {
            server: "ops".to_owned(),
            name: name.to_owned(),
            description: description.to_owned(),
            input_schema: serde_json::json!({"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]}),
            read_only: true,
            idempotent: true,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }
    }

    fn is_whole(tool: &Tool) -> bool {
        tool.input_schema.get("properties").is_some()
    }

    #[test]
    fn of_many_tools_those_of_the_alert_have_schemas_and_the_others_their_names() {
        let mut tools: Vec<Tool> =
            (0..40).map(|number| tool(&format!("get_{number}"), "Reads a thing.")).collect();
        tools.push(tool("certificate_dates", "When a certificate of a host ends."));
        let alert = "TLS certificate of shop.example.com expires in two days";
        let offered = fitted(alert, &tools);
        let names = |tools: &[Tool]| tools.iter().map(Tool::full_name).collect::<Vec<_>>();
        assert_eq!(names(&offered), names(&tools), "none is lost, and the order stays");
        assert!(offered.iter().filter(|tool| is_whole(tool)).count() <= MAX_WHOLE);
        assert!(is_whole(&offered[40]));
        assert_eq!(fitted(alert, &tools), offered);
        assert!(fitted(alert, &tools[..MAX_TOOLS]).iter().all(is_whole));
    }
}
