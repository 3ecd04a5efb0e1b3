//! One agent: calls its model and executes the requested tool calls until the model concludes.

use std::sync::Arc;

use tarsy_catalog::Backend;
use tarsy_contracts::failure::Failure;
use tarsy_contracts::mcp::Tool;
use tarsy_domain::claim::ConclusionCause;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::failure::FailureCode;
use tarsy_domain::status::Phase;
use tarsy_llm::Message;
use tarsy_store::Op;
use tarsy_telemetry::set_attribute;
use tracing::{Instrument as _, Span};

use crate::engine::attached_alerts::{self, Given};
use crate::engine::calls::Caller;
use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::next::{ConclusionReason, Limits, Next, ToolCalling, next};
use crate::engine::offered::offered;
use crate::engine::progress::publish_phase;
use crate::engine::task::{AgentTask, Outcome, Purpose};
use crate::engine::tools::Tools;
use crate::engine::turn::{self, TurnOutcome, TurnRequest};
use crate::engine::{
    action, changes, daily_budget, delegation, dependencies, recall, resume, skills,
};
use crate::journal::{StopReason, ends_work};
use crate::prompts;

/// Runs an agent, or what is left of its work. One that begins may have its tools already.
pub(crate) async fn run(
    ctx: &Context,
    task: &AgentTask<'_>,
    opened: Option<Tools>,
) -> Result<Outcome, StopReason> {
    investigate(ctx, task, opened).instrument(span(ctx, task)).await
}

/// Opens the tools of an agent that begins, for which its execution need not be stored.
pub(crate) async fn open_ahead(
    ctx: &Context,
    task: &AgentTask<'_>,
) -> Result<Option<Tools>, StopReason> {
    if task.is_resumed { Ok(None) } else { open(ctx, task, true).await.map(Some) }
}

pub(crate) async fn publish_opening(ctx: &Context, task: &AgentTask<'_>) {
    publish_phase(ctx, task, Phase::GatheringInfo, "opening the tool servers").await;
}

/// The tools of an agent. One that begins with a budget that is used up can only conclude.
async fn open(ctx: &Context, task: &AgentTask<'_>, begins: bool) -> Result<Tools, StopReason> {
    daily_budget::refresh(ctx, task).await?;
    if begins && task.plan.budget.reached().is_some() {
        return Ok(Tools::none());
    }
    Tools::open(ctx, task).await
}

/// The span of an agent, with the attributes of OpenTelemetry's conventions for generative AI.
fn span(ctx: &Context, task: &AgentTask<'_>) -> Span {
    let (agent, provider) = (&task.spec.name, &task.spec.provider);
    let span = tracing::info_span!("agent", otel.name = format!("invoke_agent {agent}"));
    set_attribute(&span, "gen_ai.operation.name", "invoke_agent");
    set_attribute(&span, "gen_ai.agent.name", agent.clone());
    set_attribute(&span, "gen_ai.agent.id", task.execution.to_string());
    set_attribute(&span, "gen_ai.conversation.id", ctx.journal.session().to_string());
    set_attribute(&span, "gen_ai.provider.name", provider.provider_type.telemetry_name());
    set_attribute(&span, "gen_ai.request.model", provider.model.clone());
    span
}

async fn investigate(
    ctx: &Context,
    task: &AgentTask<'_>,
    opened: Option<Tools>,
) -> Result<Outcome, StopReason> {
    let mut conversation = resume::load(ctx, task).await?;
    if let Some(team) = task.team {
        team.note_given(conversation.given_results());
    }
    let tools = if let Some(tools) = opened {
        tools
    } else {
        publish_opening(ctx, task).await;
        open(ctx, task, conversation.is_empty()).await?
    };
    let outcome = converse(ctx, task, &tools, &mut conversation).await;
    // Without an end, a running call goes on for the next owner, who fetches its outcome. A session that is suspended has none.
    let ends = |reason: StopReason| ends_work(reason) || reason == StopReason::Suspended;
    if outcome.as_ref().err().is_none_or(|reason| ends(*reason)) {
        tools.close().await;
    }
    outcome
}

async fn converse(
    ctx: &Context,
    task: &AgentTask<'_>,
    tools: &Tools,
    conversation: &mut Conversation,
) -> Result<Outcome, StopReason> {
    // The first turn has the tools and the alerts of the first messages.
    let mut is_begun = conversation.is_empty();
    let mut previous_timeouts = match begin_or_resume(ctx, task, tools, conversation).await? {
        Ok(timeouts) => timeouts,
        Err(outcome) => return Ok(outcome),
    };
    let caller = Caller::new(ctx, task, tools).await?;
    loop {
        let is_first = std::mem::take(&mut is_begun);
        let is_repeating = caller.is_repeating(conversation);
        let kind = match next(conversation, &Limits { is_repeating, ..limits(task, conversation) })
        {
            Next::Complete(analysis) => return Ok(Outcome::completed(analysis)),
            Next::Fail(problem) => return fail(ctx, task, problem).await,
            Next::CallTools(calls) => {
                publish_phase(ctx, task, Phase::GatheringInfo, "calling tools").await;
                caller.execute(conversation, calls).await?;
                continue;
            }
            Next::Repair(problem) => {
                let concluding = conversation.is_conclusion_requested();
                let text = ctx.services.prompts.react_repair(problem, concluding);
                let op = conversation.append(Message::new(Role::User, text));
                ctx.journal.commit(vec![op]).await?;
                continue;
            }
            Next::RequestConclusion(reason) => {
                delegation::give(ctx, task, conversation, true).await?;
                give_alerts(ctx, task, conversation).await?;
                request_conclusion(ctx, task, conversation, reason).await?;
                continue;
            }
            Next::Conclude => {
                publish_phase(ctx, task, Phase::Concluding, why_concluding(conversation)).await;
                LlmInteractionKind::ForcedConclusion
            }
            Next::Iterate => {
                if !is_first {
                    delegation::give(ctx, task, conversation, false).await?;
                    give_alerts(ctx, task, conversation).await?;
                }
                publish_phase(ctx, task, Phase::Investigating, "thinking").await;
                iteration_kind(task)
            }
        };
        let mut request =
            turn_request(ctx, (task, &*conversation), tools, (kind, is_first)).await?;
        request.previous_timeouts = std::mem::take(&mut previous_timeouts);
        if let TurnOutcome::Failed(outcome) = turn::take(ctx, task, conversation, request).await? {
            return Ok(outcome);
        }
        daily_budget::refresh(ctx, task).await?;
    }
}

/// Stores the first messages of a new conversation. Of one that is resumed, the timeouts in a row of earlier owners, or the
/// outcome that they could not store.
async fn begin_or_resume(
    ctx: &Context,
    task: &AgentTask<'_>,
    tools: &Tools,
    conversation: &mut Conversation,
) -> Result<Result<u32, Outcome>, StopReason> {
    if conversation.is_empty() {
        begin(ctx, task, tools, conversation).await?;
        return Ok(Ok(0));
    }
    let timeouts = turn::previous_timeouts(ctx, task, conversation).await?;
    let Some(outcome) = turn::exhausted(timeouts, task, conversation) else {
        return Ok(Ok(timeouts));
    };
    if !conversation.is_repair_requested() && conversation.report().is_none() {
        return Ok(Err(outcome));
    }
    let kept = turn::keep_conclusion(ctx, task, conversation).await?;
    Ok(Err(kept.unwrap_or(outcome)))
}

/// Gives the model what came since its last turn. What came while the offline analyst gathers is given after it.
async fn give_alerts(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &mut Conversation,
) -> Result<(), StopReason> {
    if conversation.is_gathering() {
        return Ok(());
    }
    attached_alerts::give(ctx, task, conversation).await
}

fn why_concluding(conversation: &Conversation) -> &'static str {
    if conversation.is_repair_requested() {
        "correcting claims that no result shows"
    } else {
        "a limit is reached"
    }
}

fn limits(task: &AgentTask<'_>, conversation: &Conversation) -> Limits {
    Limits {
        tool_calls: ToolCalling::now(task, conversation),
        max_iterations: task.spec.max_iterations,
        reached: task.plan.budget.reached(),
        is_repeating: false,
    }
}

fn iteration_kind(task: &AgentTask<'_>) -> LlmInteractionKind {
    match task.plan.purpose {
        Purpose::Answer(_) => LlmInteractionKind::ChatResponse,
        Purpose::Investigate | Purpose::Synthesize(_) => LlmInteractionKind::Iteration,
    }
}

async fn turn_request(
    ctx: &Context,
    (task, conversation): (&AgentTask<'_>, &Conversation),
    tools: &Tools,
    (kind, is_first): (LlmInteractionKind, bool),
) -> Result<TurnRequest, StopReason> {
    let usable = tools.list();
    let by_text = ToolCalling::now(task, conversation) == ToolCalling::React;
    let tools = if by_text || kind == LlmInteractionKind::ForcedConclusion {
        Arc::default()
    } else {
        let listed = if is_first { Arc::clone(&usable) } else { tools.refresh(ctx).await? };
        // The offline analyst reads whole schemas.
        match conversation.provider(task.spec).backend {
            Backend::Offline => offered(task, listed),
            _ if conversation.is_gathering() => listed,
            _ => with_own_tools(task, listed),
        }
    };
    Ok(TurnRequest { kind, tools, usable, previous_timeouts: 0 })
}

/// The tools as an agent is offered them, with those that TARSy answers itself.
fn with_own_tools(task: &AgentTask<'_>, listed: Arc<[Tool]>) -> Arc<[Tool]> {
    let offered = action::with_field(task, offered(task, listed));
    let tools = skills::with_loader(task, recall::with_tools(task, offered));
    let tools = dependencies::with_tool(task, changes::with_tool(task, tools));
    delegation::with_tools(task, tools)
}

async fn fail(ctx: &Context, task: &AgentTask<'_>, problem: &str) -> Result<Outcome, StopReason> {
    let error = format!("the model does not follow the format of react: {problem}");
    ctx.journal.commit(vec![task.scope().error(error.clone())]).await?;
    let failure = Failure::new(FailureCode::FormatNotFollowed, error);
    Ok(Outcome::failed(failure.of_provider(&task.spec.provider.name)))
}

/// Stores the first messages, and with them, once, what each server offered.
async fn begin(
    ctx: &Context,
    task: &AgentTask<'_>,
    tools: &Tools,
    conversation: &mut Conversation,
) -> Result<(), StopReason> {
    let given = attached_alerts::find(ctx, task, 0).await?;
    let (system, user) = first_prompts(ctx, task, tools, given.as_ref()).await?;
    let until = given.as_ref().map(|given| given.until);
    let mut ops = vec![
        conversation.append(Message::new(Role::System, system)),
        conversation.append_with_alerts(Message::new(Role::User, user), until),
    ];
    ops.extend(given.into_iter().flat_map(|given| given.marks));
    ops.extend(tools.records(task));
    ops.extend(warnings(task, tools));
    ctx.journal.commit(ops).await
}

async fn first_prompts(
    ctx: &Context,
    task: &AgentTask<'_>,
    tools: &Tools,
    given: Option<&Given>,
) -> Result<(String, String), StopReason> {
    let (prompts, plan) = (&ctx.services.prompts, task.plan);
    let (failed, missing) = (&tools.failed, &tools.missing);
    let alert = prompts::Alert::new(plan.session, plan.chain, task.max_prompt_tokens())
        .with_attached(given.map(|given| given.text.clone()).unwrap_or_default())
        .with_calendar(task.calendar().unwrap_or_default());
    let (mut system, user) = match plan.purpose {
        Purpose::Answer(question) => {
            let record = record(ctx, task).await?;
            (
                prompts.chat_instructions(task.spec, failed, missing),
                prompts.chat(&alert, &record, question),
            )
        }
        Purpose::Investigate | Purpose::Synthesize(_) => {
            let given = prompts.task(&alert, plan.findings);
            (
                prompts.instructions(task.spec, failed, missing),
                prompts.assigned(given, task.assignment),
            )
        }
    };
    let tools = tools.list();
    let skills = prompts.skills(plan.chain, task.spec, skills::are_loadable(task, &tools));
    if !skills.is_empty() {
        system = format!("{system}\n\n{skills}");
    }
    if let Some(delegation) = task.spec.delegation.as_ref().filter(|_| task.team.is_some()) {
        let near = plan.session.dependencies.as_ref().map(|given| &given.near);
        let has_near = near.is_some_and(|near| !near.is_empty());
        system = format!("{system}\n\n{}", prompts.delegation(delegation, has_near));
    }
    if let Some(action) = task.spec.action {
        system = format!("{system}\n\n{}", prompts.action(action.enabled));
    }
    if task.is_react() {
        let tools = with_own_tools(task, tools);
        system = format!("{system}\n\n{}", prompts.react(&tools));
    }
    Ok((system, user))
}

/// What is stored of the session, without that of the agent's own stage.
async fn record(ctx: &Context, task: &AgentTask<'_>) -> Result<prompts::SessionRecord, StopReason> {
    let session = ctx.journal.session();
    let stages = ctx.journal.read(|store| store.list_stages(session)).await?;
    let mut events = ctx.journal.read(|store| store.list_history(session)).await?;
    events.retain(|one| one.event.stage_id != Some(task.stage));
    Ok(prompts::SessionRecord { stages, events })
}

/// Timeline errors for the servers and tools that are missing.
fn warnings(task: &AgentTask<'_>, tools: &Tools) -> Vec<Op> {
    let servers = tools.failed.iter().map(|server| {
        format!("The MCP server {:?} could not be used: {}", server.server, server.error)
    });
    let missing = tools.missing.iter().map(|tool| {
        format!("The alert asks for the tool {tool:?}, and its server does not offer it")
    });
    servers.chain(missing).map(|text| task.scope().error(text)).collect()
}

async fn request_conclusion(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &mut Conversation,
    reason: ConclusionReason,
) -> Result<(), StopReason> {
    let prompts = &ctx.services.prompts;
    let ops = match reason {
        ConclusionReason::Iterations => {
            let text = prompts.forced_conclusion(task.spec.max_iterations);
            conversation.request_conclusion(ConclusionCause::Iterations, text).into()
        }
        ConclusionReason::Repetition => {
            let text = prompts.repetition_conclusion();
            conversation.request_conclusion(ConclusionCause::Repetition, text).into()
        }
        ConclusionReason::Form(problem) => {
            // The reply to the last message: the request stands after one.
            let reply = prompts.react_repair(problem, true);
            let mut ops = vec![conversation.append(Message::new(Role::User, reply))];
            let text = prompts.form_conclusion();
            ops.extend(conversation.request_conclusion(ConclusionCause::Form, text));
            ops
        }
        ConclusionReason::Budget(reached) => {
            let text = prompts.budget_conclusion(&reached.amount());
            let (kind, metadata) = (TimelineKind::BudgetReached, Some(reached.metadata()));
            let event = task.scope().event_with(kind, reached.describe(), metadata);
            let mut ops = vec![event];
            ops.extend(conversation.request_conclusion(ConclusionCause::Budget, text));
            ops
        }
    };
    ctx.journal.commit(ops).await
}
