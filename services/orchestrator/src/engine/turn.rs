//! One turn of a model: streamed to viewers while it is written, stored when it is complete.

mod answer;
mod cut;
mod native_tools;
mod sink;

use std::sync::Arc;
use std::time::Duration;

use tarsy_catalog::OFFLINE;
use tarsy_contracts::failure::Failure;
use tarsy_contracts::mcp::Tool;
use tarsy_domain::event::{LlmInteractionKind, TimelineKind};
use tarsy_domain::failure::FailureCode;
use tarsy_domain::id::TimelineEventId;
use tarsy_llm::{
    Call, End, FailedAttempt, OnTimeout, Retries, Timeouts, ToolCalls, ToolDefinition, call,
    conclude_offline,
};
use tarsy_store::{Conclusion, Op, ProviderSwitch};

use crate::engine::claims::{self, NewText};
use crate::engine::compaction::compact;
use crate::engine::context::Context;
use crate::engine::conversation::Conversation;
use crate::engine::next::{ToolCalling, first_conclusion};
use crate::engine::task::{AgentTask, Outcome};
use crate::engine::turn::sink::TurnSink;
use crate::engine::verdict;
use crate::journal::StopReason;
use crate::prompts;

/// Timeouts in a row that end an agent.
const MAX_TIMEOUTS: u32 = 2;
/// The longest turn, thinking and tool calls included, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// What the model is called for.
#[derive(Clone, Debug)]
pub(crate) struct TurnRequest {
    pub(crate) kind: LlmInteractionKind,
    /// Tools that the model may call.
    pub(crate) tools: Arc<[Tool]>,
    /// The agent's MCP tools, offered in this turn or not: with any, the provider's own tools are off.
    pub(crate) usable: Arc<[Tool]>,
    /// Timeouts in a row of earlier owners.
    pub(crate) previous_timeouts: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum TurnOutcome {
    /// The model's message is in the conversation.
    Stored,
    /// No provider gave a usable answer. The agent ends with this outcome: of a correction, with the first conclusion.
    Failed(Outcome),
}

/// How often in a row the active provider timed out for earlier owners.
pub(crate) async fn previous_timeouts(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &Conversation,
) -> Result<u32, StopReason> {
    let (execution, provider) = (task.execution, &conversation.provider(task.spec).name);
    ctx.journal.read(|store| store.count_consecutive_timeouts(execution, provider)).await
}

/// The outcome that an earlier owner could not store: its timeouts had ended the agent. With a
/// fallback left, the active provider is called once more.
pub(crate) fn exhausted(
    previous_timeouts: u32,
    task: &AgentTask<'_>,
    conversation: &Conversation,
) -> Option<Outcome> {
    let has_fallback = !conversation.fallbacks(task.spec).is_empty();
    (previous_timeouts >= MAX_TIMEOUTS && !has_fallback).then(|| {
        let reason = format!("the model timed out, {previous_timeouts} times");
        let provider = &conversation.provider(task.spec).name;
        Outcome::timed_out(Failure::new(FailureCode::ModelTimedOut, reason).of_provider(provider))
    })
}

/// Keeps the conclusion whose correction failed, or the report of the offline analyst from which the model did not conclude; none
/// if the conversation has neither. The report is the analyst's conclusion, with its verdict.
pub(crate) async fn keep_conclusion(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &Conversation,
) -> Result<Option<Outcome>, StopReason> {
    let id = task.execution;
    let (kept, read) = if conversation.is_repair_requested() {
        (first_conclusion(conversation, ToolCalling::of(task)), None)
    } else {
        (conversation.report().map(str::to_owned), conversation.gathered())
    };
    let Some(text) = kept else { return Ok(None) };
    let history = ctx.journal.read(|store| store.list_execution_history(id)).await?;
    if history.iter().any(|one| one.event.kind == TimelineKind::FinalAnalysis) {
        // An earlier owner kept it, and was lost before the end of the execution.
        return Ok(Some(Outcome::completed(text)));
    }
    let event = TimelineEventId::new();
    let new = NewText { event, text: &text, looked_up: &[] };
    let checked = claims::of_conclusion(ctx, task, conversation, new).await?;
    let first = ctx.journal.read(|store| store.find_execution(id)).await?;
    let unseen = first.and_then(|first| first.unseen);
    let reported = claims::reported(claims::policy(task), &text, &checked);
    let reported = prompts::headed(unseen.as_deref(), reported);
    let conclusion = Conclusion { execution_id: id, text: reported, unseen };
    let shown = task.scope().event_as(event, TimelineKind::FinalAnalysis, text.clone(), None);
    let mut ops = vec![shown, Op::Conclude(conclusion), Op::StoreClaimCheck(checked.check)];
    if let Some(read) = read {
        let by_rules = ProviderSwitch {
            execution_id: Some(id),
            provider: OFFLINE.to_owned(),
            since: conversation.next_sequence(),
        };
        ops.push(Op::SwitchProvider(by_rules));
        ops.extend(verdict::of_agent(ctx, task, conclude_offline(read).await).await?);
    }
    ctx.journal.commit(ops).await?;
    Ok(Some(Outcome::completed(text)))
}

/// Takes one turn, with retries and fallbacks, and stores it.
pub(crate) async fn take(
    ctx: &Context,
    task: &AgentTask<'_>,
    conversation: &mut Conversation,
    request: TurnRequest,
) -> Result<TurnOutcome, StopReason> {
    conversation.count_tokens(conversation.provider(task.spec).max_request_tokens());
    let active = conversation.provider(task.spec);
    let fallbacks = conversation.fallbacks(task.spec);
    let tool_calls = tool_calls(ToolCalling::now(task, conversation), request.kind);
    let native_tools = native_tools::usage(ctx, task, has_tools(task, &request)).await?;
    let llm_call = Call {
        session_id: ctx.journal.session(),
        execution_id: Some(task.execution),
        messages: conversation.messages(),
        compact: Some(compact),
        tools: definitions(&request.tools),
        tool_calls,
        response_format: None,
        native_tools,
        provider: active,
        fallbacks,
        max_output_tokens: None,
        max_bytes: MAX_BYTES,
        timeouts: timeouts(task),
        retries: Retries {
            on_timeout: OnTimeout::Retry { in_a_row: MAX_TIMEOUTS },
            ..Retries::AGENT
        },
        previous_timeouts: request.previous_timeouts,
    };
    let last_words = cut::last_words(conversation);
    let sink = TurnSink::new(ctx, task, conversation, (request.kind, native_tools));
    let mut sink = sink.with_tools(request.tools, request.usable);
    let token = ctx.journal.stop_signal().token();
    let interaction = call(ctx.services.llm.as_ref(), llm_call, &mut sink, token).await;
    match cut::usable(interaction.end, last_words) {
        End::Answered(attempt) => {
            sink.store_answer(attempt).await?;
            Ok(TurnOutcome::Stored)
        }
        End::Failed { last, times } => {
            sink.store_failure(&last).await?;
            let failed = failure(&last, times);
            if !conversation.is_repair_requested() && conversation.report().is_none() {
                return Ok(TurnOutcome::Failed(failed));
            }
            let kept = keep_conclusion(ctx, task, conversation).await?;
            Ok(TurnOutcome::Failed(kept.unwrap_or(failed)))
        }
        End::Cancelled(attempt) => {
            let reason = ctx.journal.stop_reason().unwrap_or(StopReason::Shutdown);
            Err(sink.store_stop(reason, attempt).await)
        }
        End::SinkFailed(reason, attempt) => Err(sink.store_stop(reason, attempt).await),
    }
}

/// Whether the agent has tools of TARSy or of servers, offered in this turn or not.
fn has_tools(task: &AgentTask<'_>, request: &TurnRequest) -> bool {
    !request.usable.is_empty() || task.team.is_some()
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

/// A conclusion with calls would never end; a model that calls by text makes no other calls.
fn tool_calls(calling: ToolCalling, kind: LlmInteractionKind) -> ToolCalls {
    match kind {
        LlmInteractionKind::ForcedConclusion | LlmInteractionKind::Synthesis => ToolCalls::Ignore,
        _ if calling == ToolCalling::React => ToolCalls::Ignore,
        _ => ToolCalls::Accept,
    }
}

fn timeouts(task: &AgentTask<'_>) -> Timeouts {
    let chain = task.plan.chain;
    Timeouts {
        first_token: Duration::from_millis(chain.first_token_timeout_ms),
        idle: Duration::from_millis(chain.stall_timeout_ms),
        total: Duration::from_millis(chain.iteration_timeout_ms),
    }
}

fn failure(last: &FailedAttempt<'_>, times: u32) -> Outcome {
    let reason = last.failure.describe(times);
    let provider = &last.attempt.provider.name;
    let failure = |code| Failure::new(code, reason.clone()).of_provider(provider);
    match &last.failure {
        tarsy_llm::Failure::Timeout(_) => Outcome::timed_out(failure(FailureCode::ModelTimedOut)),
        tarsy_llm::Failure::Error(error) => {
            let (code, variable) = cause(error);
            let text = format!("the provider {provider} could not be used: {reason}");
            let failed = Outcome::failed(Failure { variable, ..failure(code) });
            Outcome { error: Some(text), ..failed }
        }
        tarsy_llm::Failure::Empty | tarsy_llm::Failure::Degenerate(_) => {
            Outcome::failed(failure(FailureCode::UnusableAnswer))
        }
    }
}

/// What went wrong, and the variable that it is about.
fn cause(error: &tarsy_llm::Error) -> (FailureCode, Option<String>) {
    match error {
        tarsy_llm::Error::Provider { code, variable, .. } => {
            let code = match code.as_str() {
                "credentials" => FailureCode::Credentials,
                "rate_limited" => FailureCode::RateLimited,
                "invalid_request" | "invalid_backend" | "unknown_provider" => {
                    FailureCode::InvalidRequest
                }
                _ => FailureCode::ProviderFailed,
            };
            (code, variable.clone())
        }
        tarsy_llm::Error::Transport(_) | tarsy_llm::Error::IncompleteStream => {
            (FailureCode::LlmServiceUnreachable, None)
        }
        tarsy_llm::Error::Timeout => (FailureCode::ModelTimedOut, None),
    }
}
