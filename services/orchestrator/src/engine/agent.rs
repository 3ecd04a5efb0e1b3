//! One agent: asks its model, makes the calls that the model wants, until the model concludes.

use tarsy_catalog::{ResolvedAgent, Strategy};
use tarsy_contracts::live::LiveBody;
use tarsy_contracts::mcp::Tool;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{ExecutionId, StageId, TimelineEventId};
use tarsy_domain::status::{TimelineStatus, WorkStatus};
use tarsy_llm::{Message, ToolDefinition};
use tarsy_store::{NewTimelineEvent, Op};

use crate::engine::calls::Caller;
use crate::engine::conversation::Conversation;
use crate::engine::history;
use crate::engine::react::Step;
use crate::engine::stage::{Outcome, Plan};
use crate::engine::synthesis;
use crate::engine::tools::Tools;
use crate::engine::turn::{self, Ask, Said};
use crate::owner::{Owner, Stop};

/// Timeouts in a row that end an execution.
pub(crate) const TIMEOUTS_IN_A_ROW: u32 = 2;

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
pub(crate) async fn run(owner: &Owner, task: &Task<'_>) -> Result<Outcome, Stop> {
    task.tell_status(owner, WorkStatus::Active, None).await;
    if let Some(joined) = task.plan.joins {
        return synthesis::run(owner, task, joined).await;
    }
    task.tell_phase(owner, "gathering_info", "opening the tool servers").await;
    let tools = Tools::open(owner, task).await?;
    let outcome = converse(owner, task, &tools).await;
    match &outcome {
        // A call in flight goes on for the next owner, who fetches its outcome.
        Err(Stop::Fenced | Stop::Shutdown | Stop::Stuck) => {}
        Ok(_) | Err(Stop::Cancelled | Stop::TimedOut) => tools.close().await,
    }
    outcome
}

async fn converse(owner: &Owner, task: &Task<'_>, tools: &Tools) -> Result<Outcome, Stop> {
    let store = &owner.app.store;
    let stored = owner.read(|| store.messages(task.execution)).await?;
    let mut conversation = Conversation::stored(task.stage, task.execution, stored);
    if conversation.is_empty() {
        open_conversation(owner, task, tools, &mut conversation).await?;
    }
    let earlier = owner.read(|| store.calls(task.execution)).await?;
    let caller = Caller { owner, task, tools, earlier, noting: tokio::sync::Mutex::default() };
    let by_text = task.spec.strategy == Strategy::React;
    let mut timeouts = 0;
    loop {
        if by_text {
            match conversation.step(task.spec.max_iterations) {
                Some(Step::Call(call)) => {
                    task.tell_phase(owner, "gathering_info", "calling a tool").await;
                    let place = conversation.next_place();
                    caller.answer(&mut conversation, vec![(place, call)]).await?;
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
            caller.answer(&mut conversation, open.unanswered).await?;
        }
        let left = (task.spec.max_iterations as usize).saturating_sub(conversation.turns());
        let ask = if left == 0 {
            conclude(owner, task, &mut conversation).await?
        } else {
            task.tell_phase(owner, "investigating", "thinking").await;
            let kind = match task.plan.question {
                Some(_) => LlmInteractionKind::ChatResponse,
                None => LlmInteractionKind::Iteration,
            };
            let tools =
                if by_text { Vec::new() } else { definitions(&tools.list_now(owner).await?) };
            Ask { kind, tools }
        };
        match turn::take(owner, task, &mut conversation, ask).await? {
            Said::Calls => timeouts = 0,
            Said::Conclusion(analysis) => return Ok(completed(analysis)),
            Said::Nothing(error) => return Ok(failed(WorkStatus::Failed, error)),
            Said::TooLate => {
                timeouts += 1;
                if timeouts == TIMEOUTS_IN_A_ROW || left == 0 {
                    let error = format!("the model did not answer in time, {timeouts} times");
                    return Ok(failed(WorkStatus::TimedOut, error));
                }
            }
        }
    }
}

/// Writes down the instructions and the task.
async fn open_conversation(
    owner: &Owner,
    task: &Task<'_>,
    tools: &Tools,
    conversation: &mut Conversation,
) -> Result<(), Stop> {
    let prompts = &owner.app.prompts;
    let (mut system, user) = if let Some(question) = task.plan.question {
        let history = history::until_now(owner, task.stage).await?;
        (
            prompts.chat_instructions(task.spec, &tools.failed),
            prompts.chat(task.plan.session, task.plan.chain, &history, question),
        )
    } else {
        (
            prompts.instructions(task.spec, &tools.failed),
            prompts.task(task.plan.session, task.plan.chain, task.plan.finished),
        )
    };
    if task.spec.strategy == Strategy::React {
        system = format!("{system}\n\n{}", prompts.react(&tools.list()));
    }
    let mut ops = vec![
        conversation.say(Message::new(Role::System, system)),
        conversation.say(Message::new(Role::User, user)),
    ];
    for server in &tools.failed {
        ops.push(task.note(format!(
            "The MCP server {:?} could not be used: {}",
            server.server, server.error
        )));
    }
    owner.commit(ops).await
}

/// The limit is reached: the model is asked to conclude from what it has, without tools.
async fn conclude(
    owner: &Owner,
    task: &Task<'_>,
    conversation: &mut Conversation,
) -> Result<Ask, Stop> {
    task.tell_phase(owner, "concluding", "the limit of iterations is reached").await;
    let text = owner.app.prompts.forced_conclusion(task.spec.max_iterations);
    let asked = conversation.messages().last().is_some_and(|message| message.content == text);
    if !asked {
        let op = conversation.say(Message::new(Role::User, text));
        owner.commit(vec![op]).await?;
    }
    Ok(Ask { kind: LlmInteractionKind::ForcedConclusion, tools: Vec::new() })
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
        self.event(TimelineEventId::fresh(), TimelineKind::Error, text)
    }

    /// A timeline event of this agent that happens at once.
    pub(crate) fn event(&self, id: TimelineEventId, kind: TimelineKind, content: String) -> Op {
        Op::OpenEvent(NewTimelineEvent {
            id,
            stage_id: Some(self.stage),
            execution_id: Some(self.execution),
            kind,
            status: TimelineStatus::Completed,
            content,
            metadata: None,
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
