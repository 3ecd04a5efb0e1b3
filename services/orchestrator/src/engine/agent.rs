//! One agent: asks its model, makes the calls that the model wants, until the model concludes.

use serde_json::Value;
use tarsy_catalog::{ResolvedAgent, Strategy};
use tarsy_contracts::live::LiveBody;
use tarsy_contracts::mcp::Tool;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{ExecutionId, StageId, TimelineEventId};
use tarsy_domain::status::{TimelineStatus, WorkStatus};
use tarsy_llm::{Message, ToolDefinition};
use tarsy_store::{NewTimelineEvent, Op};

use crate::engine::budget::Reached;
use crate::engine::calls::Caller;
use crate::engine::conversation::Conversation;
use crate::engine::history;
use crate::engine::react::Step;
use crate::engine::stage::{Outcome, Plan};
use crate::engine::synthesis;
use crate::engine::tools::Tools;
use crate::engine::turn::{self, Ask, TIMEOUTS_IN_A_ROW, TurnOutcome};
use crate::owner::{Owner, StopReason};

/// Every model takes so many tokens, also one that shall have short results of tools.
const LEAST_PROMPT: usize = 6_000;

/// What an agent is asked to do.
pub(crate) struct Task<'a> {
    /// Its stage, in context.
    pub(crate) plan: &'a Plan<'a>,
    /// Its stage.
    pub(crate) stage: StageId,
    /// Its execution.
    pub(crate) execution: ExecutionId,
    /// Its place within the stage, from 1.
    pub(crate) index: i32,
    /// Its configuration.
    pub(crate) spec: &'a ResolvedAgent,
}

/// Runs an agent, or what is left of its work.
pub(crate) async fn run(owner: &Owner, task: &Task<'_>) -> Result<Outcome, StopReason> {
    task.tell_status(owner, WorkStatus::Active, None).await;
    if let Some(joined) = task.plan.joins {
        return synthesis::run(owner, task, joined).await;
    }
    let mut conversation = resume(owner, task).await?;
    let tools = if conversation.is_empty() && task.plan.budget.reached().is_some() {
        // It can only conclude.
        Tools::none()
    } else {
        task.tell_phase(owner, "gathering_info", "opening the tool servers").await;
        Tools::open(owner, task).await?
    };
    let outcome = converse(owner, task, &tools, &mut conversation).await;
    match &outcome {
        // A call in flight goes on for the next owner, who fetches its outcome.
        Err(StopReason::Fenced | StopReason::Shutdown | StopReason::Stuck) => {}
        Ok(_) | Err(StopReason::Cancelled | StopReason::TimedOut) => tools.close().await,
    }
    outcome
}

/// The conversation as far as it has come.
pub(crate) async fn resume(owner: &Owner, task: &Task<'_>) -> Result<Conversation, StopReason> {
    let store = &owner.app.store;
    let stored = owner.read(|| store.list_messages(task.execution)).await?;
    let mut conversation = Conversation::stored(task.stage, task.execution, stored);
    if conversation.is_empty() {
        return Ok(conversation);
    }
    if let Some(execution) = owner.read(|| store.find_execution(task.execution)).await? {
        conversation.resume(task.spec, &execution);
    }
    Ok(conversation)
}

async fn converse(
    owner: &Owner,
    task: &Task<'_>,
    tools: &Tools,
    conversation: &mut Conversation,
) -> Result<Outcome, StopReason> {
    let store = &owner.app.store;
    if conversation.is_empty() {
        open_conversation(owner, task, tools, conversation).await?;
    } else if let Some(outcome) = gave_up_before(owner, task, conversation).await? {
        return Ok(outcome);
    }
    let earlier = owner.read(|| store.list_calls(task.execution)).await?;
    let caller = Caller { owner, task, tools, earlier, noting: tokio::sync::Mutex::default() };
    let by_text = task.spec.strategy == Strategy::React;
    loop {
        if by_text {
            match conversation.step() {
                Some(Step::Call(call)) => {
                    task.tell_phase(owner, "gathering_info", "calling a tool").await;
                    let place = conversation.next_place();
                    caller.answer(conversation, vec![(place, call)]).await?;
                }
                Some(Step::Conclusion(text)) => return Ok(completed(text)),
                Some(Step::Repair(problem)) => {
                    let text = owner.app.prompts.react_repair(problem);
                    let op = conversation.say(Message::new(Role::User, text));
                    owner.commit(vec![op]).await?;
                }
                Some(Step::GivenUp(problem)) => {
                    let error = format!("the model does not keep to the form of react: {problem}");
                    owner.commit(vec![task.note(error.clone())]).await?;
                    return Ok(failed(WorkStatus::Failed, error));
                }
                None => {}
            }
        } else if let Some(open) = conversation.open_turn() {
            if !open.has_calls {
                // The model had concluded, and the worker died before it could say so.
                return Ok(completed(open.content));
            }
            task.tell_phase(owner, "gathering_info", "calling tools").await;
            caller.answer(conversation, open.unanswered).await?;
        }
        let closing = is_last_turn(owner, task, conversation).await?;
        let mcp_tools = !tools.list().is_empty();
        let ask = if closing {
            Ask { kind: LlmInteractionKind::ForcedConclusion, tools: Vec::new(), mcp_tools }
        } else {
            task.tell_phase(owner, "investigating", "thinking").await;
            let kind = match task.plan.question {
                Some(_) => LlmInteractionKind::ChatResponse,
                None => LlmInteractionKind::Iteration,
            };
            let tools =
                if by_text { Vec::new() } else { definitions(&tools.list_now(owner).await?) };
            Ask { kind, tools, mcp_tools }
        };
        match turn::take(owner, task, conversation, ask).await? {
            TurnOutcome::Calls => {}
            TurnOutcome::Conclusion(analysis) => return Ok(completed(analysis)),
            TurnOutcome::Nothing(error) => return Ok(failed(WorkStatus::Failed, error)),
            TurnOutcome::TimedOut { .. } => {
                let timeouts = turn::timeouts(owner, task, conversation).await?;
                if timeouts >= TIMEOUTS_IN_A_ROW {
                    return Ok(turn::timed_out(timeouts));
                }
            }
        }
    }
}

/// The end that an earlier owner had come to and could not write down.
pub(crate) async fn gave_up_before(
    owner: &Owner,
    task: &Task<'_>,
    conversation: &Conversation,
) -> Result<Option<Outcome>, StopReason> {
    let timeouts = turn::timeouts(owner, task, conversation).await?;
    Ok((timeouts >= TIMEOUTS_IN_A_ROW).then(|| turn::timed_out(timeouts)))
}

/// Writes down the instructions and the task.
async fn open_conversation(
    owner: &Owner,
    task: &Task<'_>,
    tools: &Tools,
    conversation: &mut Conversation,
) -> Result<(), StopReason> {
    let prompts = &owner.app.prompts;
    let (mut system, user) = if let Some(question) = task.plan.question {
        let history = history::until_now(owner, task.stage).await?;
        (
            prompts.chat_instructions(task.spec, &tools.failed, &tools.missing),
            prompts.chat(task.plan.session, task.plan.chain, &history, question, takes(task.spec)),
        )
    } else {
        (
            prompts.instructions(task.spec, &tools.failed, &tools.missing),
            prompts.task(task.plan.session, task.plan.chain, task.plan.finished, takes(task.spec)),
        )
    };
    if task.spec.strategy == Strategy::React {
        system = format!("{system}\n\n{}", prompts.react(&tools.list()));
    }
    let mut ops = vec![
        conversation.say(Message::new(Role::System, system)),
        conversation.say(Message::new(Role::User, user)),
    ];
    // In the transaction that begins the conversation: once, whoever goes on with it.
    ops.extend(tools.offers(task));
    for server in &tools.failed {
        ops.push(task.note(format!(
            "The MCP server {:?} could not be used: {}",
            server.server, server.error
        )));
    }
    for tool in &tools.missing {
        ops.push(task.note(format!(
            "The alert asks for the tool {tool:?}, and its server does not offer it"
        )));
    }
    owner.commit(ops).await
}

/// Whether a limit is reached: then the model is asked to conclude from what it has, without tools.
async fn is_last_turn(
    owner: &Owner,
    task: &Task<'_>,
    conversation: &mut Conversation,
) -> Result<bool, StopReason> {
    let prompts = &owner.app.prompts;
    let spent = task.plan.budget.reached();
    let ops = if conversation.is_closing() {
        Vec::new()
    } else if let Some(reached) = spent {
        let text = prompts.out_of_budget(reached.limit, task.plan.budget.limits());
        let closing = Op::RequestConclusion(task.execution);
        vec![task.tells_reached(reached), closing, conversation.close(text)]
    } else if conversation.turns() >= task.spec.max_iterations as usize {
        let text = prompts.forced_conclusion(task.spec.max_iterations);
        vec![Op::RequestConclusion(task.execution), conversation.close(text)]
    } else {
        return Ok(false);
    };
    let reason = if spent.is_some() { "a budget is used up" } else { "the limit is reached" };
    task.tell_phase(owner, "concluding", reason).await;
    owner.commit(ops).await?;
    Ok(true)
}

fn definitions(tools: &[Tool]) -> Vec<ToolDefinition> {
    tools
        .iter()
        .map(|tool| ToolDefinition {
            name: tool.full_name(),
            description: tool.description.clone(),
            parameters_schema: tool.input_schema.to_string(),
        })
        .collect()
}

/// How much the first prompt of an agent may say, in tokens: whoever takes over is given the same.
pub(crate) fn takes(spec: &ResolvedAgent) -> usize {
    let providers = std::iter::once(&spec.provider).chain(&spec.fallbacks);
    let shortest = providers.map(|provider| provider.max_tool_result_tokens as usize).min();
    shortest.unwrap_or_default().max(LEAST_PROMPT)
}

/// It found this.
pub(crate) fn completed(analysis: String) -> Outcome {
    Outcome { status: WorkStatus::Completed, analysis, error: None }
}

/// It came to nothing.
pub(crate) fn failed(status: WorkStatus, error: String) -> Outcome {
    Outcome { status, analysis: String::new(), error: Some(error) }
}

impl Task<'_> {
    /// Something that went wrong, for the timeline.
    pub(crate) fn note(&self, text: String) -> Op {
        self.event(TimelineKind::Error, text)
    }

    /// A budget that is used up, for the timeline.
    fn tells_reached(&self, reached: Reached) -> Op {
        let metadata = Some(reached.metadata());
        self.event_with(TimelineKind::BudgetReached, reached.told(), metadata)
    }

    /// A timeline event of this agent that happens at once.
    pub(crate) fn event(&self, kind: TimelineKind, content: String) -> Op {
        self.event_with(kind, content, None)
    }

    fn event_with(&self, kind: TimelineKind, content: String, metadata: Option<Value>) -> Op {
        Op::OpenEvent(NewTimelineEvent {
            id: TimelineEventId::new(),
            stage_id: Some(self.stage),
            execution_id: Some(self.execution),
            kind,
            status: TimelineStatus::Completed,
            content,
            metadata,
        })
    }

    /// Tells viewers how the agent stands.
    pub(crate) async fn tell_status(&self, owner: &Owner, status: WorkStatus, error: Option<&str>) {
        owner
            .tell(LiveBody::ExecutionStatus {
                stage_id: self.stage,
                execution_id: self.execution,
                agent_index: self.index,
                status: status.as_str().to_owned(),
                error_message: error.map(str::to_owned),
            })
            .await;
    }

    /// Tells viewers what the agent does.
    pub(crate) async fn tell_phase(&self, owner: &Owner, phase: &str, message: &str) {
        owner
            .tell(LiveBody::ExecutionProgress {
                stage_id: self.stage,
                execution_id: self.execution,
                phase: phase.to_owned(),
                message: message.to_owned(),
                event_id: None,
            })
            .await;
    }
}
