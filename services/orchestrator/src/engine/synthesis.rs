//! The synthesis: one call without tools that joins what the agents of a stage found.

use tarsy_catalog::{ResolvedAgent, ResolvedStage, SuccessPolicy};
use tarsy_domain::event::{LlmInteractionKind, Role};
use tarsy_domain::id::StageId;
use tarsy_domain::status::WorkStatus;
use tarsy_llm::Message;

use crate::engine::agent::{self, Task, completed, failed};
use crate::engine::conversation::Conversation;
use crate::engine::stage::Outcome;
use crate::engine::turn::{self, Ask, TIMEOUTS_IN_A_ROW, TurnOutcome};
use crate::owner::{Owner, StopReason};
use crate::prompts::Investigation;

/// The stage that joins the findings of another one: an ordinary stage with one agent.
pub(crate) fn stage(joined: &ResolvedStage, agent: &ResolvedAgent) -> ResolvedStage {
    ResolvedStage {
        name: format!("{} - Synthesis", joined.name),
        agents: vec![agent.clone()],
        parallel_type: None,
        success_policy: SuccessPolicy::All,
        synthesis: None,
    }
}

/// Joins the findings of a stage, or finds what an earlier owner's call came to.
pub(crate) async fn run(
    owner: &Owner,
    task: &Task<'_>,
    joined: StageId,
) -> Result<Outcome, StopReason> {
    let mut conversation = agent::resume(owner, task).await?;
    if let Some(written) = conversation.open_turn() {
        return Ok(completed(written.content));
    }
    if conversation.is_empty() {
        open(owner, task, joined, &mut conversation).await?;
    } else if let Some(outcome) = agent::gave_up_before(owner, task, &conversation).await? {
        return Ok(outcome);
    }
    task.tell_phase(owner, "synthesizing", "joining the findings").await;
    loop {
        let kind = LlmInteractionKind::Synthesis;
        let ask = Ask { kind, tools: Vec::new(), mcp_tools: false };
        match turn::take(owner, task, &mut conversation, ask).await? {
            TurnOutcome::Conclusion(analysis) => return Ok(completed(analysis)),
            TurnOutcome::Nothing(error) => return Ok(failed(WorkStatus::Failed, error)),
            TurnOutcome::Calls => {
                let error = "the model asked for tools, which a synthesis does not have";
                return Ok(failed(WorkStatus::Failed, error.to_owned()));
            }
            TurnOutcome::TimedOut { .. } => {
                let timeouts = turn::timeouts(owner, task, &conversation).await?;
                if timeouts >= TIMEOUTS_IN_A_ROW {
                    return Ok(turn::timed_out(timeouts));
                }
            }
        }
    }
}

async fn open(
    owner: &Owner,
    task: &Task<'_>,
    joined: StageId,
    conversation: &mut Conversation,
) -> Result<(), StopReason> {
    let (store, session) = (&owner.app.store, owner.session());
    let mut investigations = Vec::new();
    let mut stage = String::new();
    for one in owner.read(|| store.list_stages(session)).await? {
        if one.id == joined {
            stage = one.stage_name;
        }
    }
    for execution in owner.read(|| store.list_executions(session)).await? {
        if execution.stage_id == joined {
            let events = owner.read(|| store.list_execution_timeline(execution.id)).await?;
            investigations.push(Investigation { execution, events });
        }
    }
    let prompts = &owner.app.prompts;
    let tokens = agent::takes(task.spec);
    let (session, finished) = (task.plan.session, task.plan.finished);
    let system = prompts.synthesis_instructions(task.spec);
    let user = prompts.synthesis(session, &stage, finished, &investigations, tokens);
    owner
        .commit(vec![
            conversation.say(Message::new(Role::System, system)),
            conversation.say(Message::new(Role::User, user)),
        ])
        .await
}
