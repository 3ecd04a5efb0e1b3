//! No finding without a look: whether a conclusion rests on what tools answered.

use tarsy_analyst::{MOST_CALLS, Next, Transcript};
use tarsy_catalog::Backend;
use tarsy_contracts::mcp::Tool;

use crate::engine::claims::Checked;
use crate::engine::conversation::Conversation;
use crate::engine::task::{AgentTask, Purpose};
use crate::prompts::Unseen;

/// Tools that a request names: a small model reads no more.
const MAX_NAMED: usize = 6;

/// What an agent that concludes has not looked at, though it could. Results of earlier stages are looks, too. Nothing of
/// an answer, of a synthesis and of the offline analyst, which looks by itself.
pub(crate) fn unseen(
    task: &AgentTask<'_>,
    conversation: &Conversation,
    usable: &[Tool],
    checked: &Checked,
) -> Option<Unseen> {
    let is_model = conversation.provider(task.spec).backend != Backend::Offline;
    if !is_model || task.plan.purpose != Purpose::Investigate {
        return None;
    }
    let required = task.plan.chain.required_tools.as_deref();
    missing(required, usable, |tool| checked.answered.contains(tool), checked.rests_on_nothing)
}

fn missing(
    required: Option<&[String]>,
    usable: &[Tool],
    is_answered: impl Fn(&String) -> bool,
    rests_on_nothing: bool,
) -> Option<Unseen> {
    if usable.is_empty() || required.is_some_and(<[String]>::is_empty) {
        return None;
    }
    // One that no server of this agent offers is for another agent of the chain.
    let is_offered = |name: &&String| usable.iter().any(|tool| tool.full_name() == **name);
    let required = required.into_iter().flatten().filter(is_offered);
    let tools: Vec<String> = required.filter(|name| !is_answered(name)).cloned().collect();
    if !tools.is_empty() {
        return Some(Unseen::Tools(tools));
    }
    rests_on_nothing.then_some(Unseen::Everything)
}

/// Whether the agent can be sent back: once, and while it may call tools.
pub(crate) fn may_request(task: &AgentTask<'_>, conversation: &Conversation) -> bool {
    !conversation.is_look_requested()
        && !conversation.is_conclusion_requested()
        && task.plan.budget.reached().is_none()
        && conversation.turns() < task.spec.max_iterations as usize
}

/// Whether the offline analyst may look for an agent: once, after the agent was sent back.
pub(crate) fn may_gather(task: &AgentTask<'_>, conversation: &Conversation) -> bool {
    conversation.is_look_requested()
        && !conversation.is_gathering_begun()
        && !conversation.is_conclusion_requested()
        && task.plan.budget.reached().is_none()
}

/// The tools to begin with: those that were not called, or those that the offline analyst would call first for this alert,
/// or the first ones that only read.
pub(crate) fn fitting(alert: &str, usable: &[Tool], unseen: &Unseen) -> Vec<String> {
    if let Unseen::Tools(names) = unseen {
        return names.clone();
    }
    let tools = usable.iter().map(|tool| tarsy_analyst::Tool {
        name: tool.full_name(),
        description: tool.description.clone(),
        schema: tool.input_schema.clone(),
    });
    let transcript = Transcript {
        alert: alert.to_owned(),
        tools: tools.collect(),
        remaining_calls: MOST_CALLS,
        ..Transcript::default()
    };
    let mut names: Vec<String> = Vec::new();
    if let Next::Call(calls) = tarsy_analyst::next(&transcript) {
        names.extend(calls.into_iter().map(|call| call.tool));
    }
    let readers = usable.iter().filter(|tool| tool.read_only).map(Tool::full_name);
    if names.is_empty() {
        names.extend(readers);
    }
    if names.is_empty() {
        names.extend(usable.iter().map(Tool::full_name));
    }
    let mut once: Vec<String> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once.truncate(MAX_NAMED);
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> Tool {
        Tool {
            server: "host".to_owned(),
            name: name.to_owned(),
            description: "Reads.".to_owned(),
            input_schema: serde_json::json!({"type": "object"}),
            read_only: true,
            idempotent: true,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }
    }

    #[test]
    fn a_look_is_missing_unless_none_is_demanded_or_possible() {
        let usable = [tool("load"), tool("disks")];
        let none = |_: &String| false;
        assert_eq!(missing(None, &usable, none, true), Some(Unseen::Everything));
        assert_eq!(missing(None, &usable, none, false), None);
        assert_eq!(missing(None, &[], none, true), None);
        assert_eq!(missing(Some(&[]), &usable, none, true), None);
        let required = ["host.disks".to_owned(), "host.gone".to_owned()];
        let disks = Unseen::Tools(vec!["host.disks".to_owned()]);
        assert_eq!(missing(Some(&required), &usable, none, false), Some(disks));
        let answered = |name: &String| name == "host.disks";
        assert_eq!(missing(Some(&required), &usable, answered, false), None);
    }
}
