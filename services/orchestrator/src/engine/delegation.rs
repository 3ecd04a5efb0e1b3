//! Agents that dispatch other agents: their tools, which TARSy answers itself, and the run of those that they dispatch.
//!
//! A dispatched agent runs beside the one that dispatched it, in the same owner of the session and with the same fencing token.
//! What it found comes into the conversation of the other one between two turns.

mod offer;
mod run;

use serde_json::Value;
use tarsy_domain::id::CallId;
use tarsy_llm::ToolCall;
use tarsy_store::{Dispatched, NewExecution, Op};

use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::delegation::offer::{CANCEL, DISPATCH, LIST, WAIT};
pub(crate) use crate::engine::delegation::offer::{is_own, with_tools};
pub(crate) use crate::engine::delegation::run::{beside, load};
use crate::engine::task::AgentTask;
use crate::journal::StopReason;
use crate::prompts::SubAgentResult;

/// What TARSy answers to a call, and what is stored with the answer.
pub(crate) struct Answer {
    pub(crate) text: Result<String, String>,
    pub(crate) effects: Vec<Op>,
}

impl From<Result<String, String>> for Answer {
    fn from(text: Result<String, String>) -> Self {
        Self { text, effects: Vec::new() }
    }
}

/// The answer to a call of one of the tools of an agent that dispatches; none for any other call.
pub(crate) async fn answer(
    ctx: &Context,
    task: &AgentTask<'_>,
    (call, id): (&ToolCall, CallId),
) -> Result<Option<Answer>, StopReason> {
    let (Some(team), Some(tool)) = (task.team, offer::own_tool(&call.name)) else {
        return Ok(None);
    };
    // As they are stored: what is masked in them stays so.
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    Ok(Some(match tool {
        DISPATCH => dispatch(ctx, task, id, &arguments),
        LIST => Ok(team.list()).into(),
        WAIT => Ok(team.wait_for_one(ctx).await?).into(),
        CANCEL => match arguments.get("number").and_then(number) {
            Some(number) => team.cancel(ctx, number).await?.into(),
            None => Err("Write the number of the sub-agent as `number`.".to_owned()).into(),
        },
        _ => return Ok(None),
    }))
}

/// A number, also one that a model wrote as a text.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn dispatch(ctx: &Context, task: &AgentTask<'_>, call: CallId, arguments: &Value) -> Answer {
    let (Some(team), Some(limits)) = (task.team, &task.spec.delegation) else {
        return Err("This agent may dispatch no others.".to_owned()).into();
    };
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    let member = match team.reserve(&ctx.journal, limits, call, (text("name"), text("task"))) {
        Ok(member) => member,
        Err(reason) => return Err(reason).into(),
    };
    let Some(spec) = limits.agent(&member.agent) else {
        return Err(format!("There is no sub-agent {:?}.", member.agent)).into();
    };
    let begin = NewExecution {
        id: member.execution,
        stage_id: task.stage,
        agent_name: member.agent.clone(),
        agent_index: member.number,
        iteration_strategy: spec.strategy.as_str().to_owned(),
        llm_provider: Some(spec.provider.name.clone()),
        dispatched: Some(Dispatched { parent: task.execution, task: member.task }),
    };
    let text = format!(
        "Sub-agent {} ({}) works on it. What it finds comes by itself; go on with other work, or wait for it.",
        member.number, member.agent
    );
    Answer { text: Ok(text), effects: vec![Op::BeginExecution(begin)] }
}

/// Gives an agent what those that it dispatched found since its last turn. Before a turn that follows no call, all of them are
/// waited for: the agent wants to conclude, or has to.
pub(crate) async fn give(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &mut Conversation,
    is_concluding: bool,
) -> Result<(), StopReason> {
    // The offline analyst, which may have the turn, reads tools alone.
    let Some(team) = task.team.filter(|_| !conversation.is_gathering()) else { return Ok(()) };
    if is_concluding || !conversation.last_turn_called() {
        team.wait_for_all(ctx).await?;
    }
    let limit = conversation.provider(task.spec).tool_result_tokens();
    let mut ops = Vec::new();
    for ended in team.unreported() {
        let whole = &ended.outcome.analysis;
        let found = tarsy_tokens::cut(whole, limit).unwrap_or_else(|| whole.clone());
        let text = ctx.services.prompts.sub_agent_result(&SubAgentResult {
            number: ended.number,
            agent: &ended.agent,
            status: ended.outcome.status,
            error: ended.outcome.error.as_deref(),
            found: &found,
        });
        ops.push(conversation.append_result_of(ended.execution, text));
    }
    if ops.is_empty() {
        return Ok(());
    }
    ctx.journal.commit(ops).await?;
    team.note_given(conversation.given_results());
    Ok(())
}

/// The request that answers a conclusion which came before the results of agents that were dispatched; none if there are none,
/// or nothing more is given.
pub(crate) fn request_to_wait(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &Conversation,
) -> Option<String> {
    let awaited = task.team?.awaited();
    let may_wait = !conversation.is_conclusion_requested() && !awaited.is_empty();
    may_wait.then(|| ctx.services.prompts.awaited(&awaited))
}
