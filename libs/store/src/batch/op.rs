//! What an owner can write.

use std::time::Duration;

use serde_json::Value;
use tarsy_contracts::review::SeenBefore;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_contracts::trace::Compaction;
use tarsy_domain::event::{CallStatus, FinishReason, LlmInteractionKind, Role};
use tarsy_domain::id::{
    ApprovalId, CallId, ExecutionId, InteractionId, MessageId, StageId, SummaryId, TimelineEventId,
};
use tarsy_domain::status::{IllegalTransition, WorkStatus};

use crate::claims::check::NewClaimCheck;
use crate::encode::{clean, clean_json, clean_maybe, clean_maybe_json};
use crate::error::Conflict;

/// One operation of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A timeline event begins, or happens at once; emits `timeline_event.created`.
    OpenEvent(NewTimelineEvent),
    /// A streaming timeline event ends; emits `timeline_event.completed`.
    CloseEvent(EndTimelineEvent),
    /// A conversation grows.
    AppendMessage(NewMessage),
    /// A model was called; emits `interaction.created`.
    LlmInteraction(NewLlmInteraction),
    /// A tool is about to be called: it gets the session's next number, and its timeline event, if
    /// that begins in the same batch, names it; emits `interaction.created`.
    CallStarted(NewCall),
    /// A started tool call has an outcome.
    CallFinished(CallEnd),
    /// A started tool call is made again at another gateway.
    ReassignCall(ReassignCall),
    /// A started call waits for a person's decision.
    RequestApproval(NewApproval),
    /// The owner acts on the decision about a call, or on its absence.
    CloseApproval(CallId),
    /// A call's result wants to be summarized.
    RequestSummary(NewSummary),
    /// A server has offered its tools to an agent; emits `interaction.created`.
    ToolsListed(NewToolList),
    /// A stage begins and becomes the session's current one; emits `stage.status`.
    BeginStage(NewStage),
    /// An active stage ends; emits `stage.status`.
    EndStage(EndStage),
    /// An agent's execution begins.
    BeginExecution(NewExecution),
    /// An active execution ends.
    EndExecution(EndExecution),
    /// An agent is asked for its conclusion: its execution calls no more tools.
    RequestConclusion(ExecutionId),
    /// An agent concludes.
    Conclude(Conclusion),
    /// A fallback provider replaces the active one.
    SwitchProvider(ProviderSwitch),
    /// The executive summary is written.
    SetExecutiveSummary(String),
    /// The session's runbook was fetched, or could not be.
    SetRunbook(RunbookContent),
    /// The reviewed sessions that the investigation is given.
    SetSeenBefore(Vec<SeenBefore>),
    /// A text of the same batch was checked; emits `claims.checked`.
    StoreClaimCheck(NewClaimCheck),
}

/// A request to approve a call.
#[derive(Clone, Debug, PartialEq)]
pub struct NewApproval {
    pub id: ApprovalId,
    pub execution_id: ExecutionId,
    pub call_id: CallId,
    /// Shows it on the timeline.
    pub timeline_event_id: TimelineEventId,
    pub server_name: String,
    pub tool_name: String,
    pub tool_arguments: Value,
    /// What the tool says of itself, as a digest.
    pub definition: String,
    /// Why a person has to decide.
    pub reason: String,
    /// How long a person may take.
    pub timeout: Duration,
}

impl NewApproval {
    fn clean(&mut self) {
        for text in [&mut self.server_name, &mut self.tool_name, &mut self.reason] {
            clean(text);
        }
        clean_json(&mut self.tool_arguments);
    }
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    pub id: MessageId,
    pub stage_id: StageId,
    /// The execution whose conversation it is part of.
    pub execution_id: ExecutionId,
    /// Its position in the conversation, from 0.
    pub sequence_number: i32,
    /// Its author.
    pub role: Role,
    /// Its text.
    pub content: String,
    /// The tools it asks for.
    pub tool_calls: Option<Value>,
    /// The call it answers.
    pub tool_call_id: Option<String>,
    /// The tool that answers.
    pub tool_name: Option<String>,
    /// The number of the call whose result it is.
    pub call_number: Option<i64>,
    /// State of the provider that is sent back with it.
    pub provider_state: Option<Vec<u8>>,
}

/// A call of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct NewLlmInteraction {
    pub id: InteractionId,
    pub stage_id: Option<StageId>,
    pub execution_id: Option<ExecutionId>,
    /// Why the model was called.
    pub kind: LlmInteractionKind,
    /// The configured name of the provider.
    pub provider: String,
    pub model_name: String,
    /// The last message of the conversation that belongs to it.
    pub last_message_id: Option<MessageId>,
    /// The request, without the conversation.
    pub llm_request: Value,
    /// The response.
    pub llm_response: Value,
    /// The model's reasoning.
    pub thinking_content: Option<String>,
    /// Metadata of the provider.
    pub response_metadata: Option<Value>,
    /// Tokens read.
    pub input_tokens: Option<i32>,
    /// Tokens written.
    pub output_tokens: Option<i32>,
    /// Tokens in all.
    pub total_tokens: Option<i32>,
    /// Tokens of reasoning.
    pub thinking_tokens: Option<i32>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// Why the model stopped; none if its provider did not report it or the call failed.
    pub finish_reason: Option<FinishReason>,
    /// The model did not answer in time.
    pub timed_out: bool,
    /// Why it failed.
    pub error_message: Option<String>,
    /// What was left out of the request; boxed because most requests are whole.
    pub compaction: Option<Box<Compaction>>,
}

/// A tool call, written down before it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCall {
    pub id: InteractionId,
    pub stage_id: StageId,
    pub execution_id: ExecutionId,
    /// The call; it is never made twice under this name.
    pub call_id: CallId,
    /// The gateway that makes it.
    pub gateway_instance: String,
    pub server_name: String,
    pub tool_name: String,
    /// The model's name for the call.
    pub tool_call_id: String,
    pub tool_arguments: Value,
    /// Its timeline event.
    pub timeline_event_id: TimelineEventId,
}

/// The outcome of a started tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallEnd {
    pub call_id: CallId,
    /// What became of it.
    pub status: CallStatus,
    /// Its result, cut to what is shown.
    pub tool_result: String,
    /// Its whole result, when it was cut.
    pub whole_result: Option<String>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// Its server's policy refused it.
    pub refused_by_policy: bool,
    /// In how many places its result addresses a model.
    pub injected_instructions: i32,
    /// Why it failed.
    pub error_message: Option<String>,
}

/// A started tool call that another gateway makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReassignCall {
    pub call_id: CallId,
    /// The gateway that makes it now.
    pub gateway_instance: String,
}

/// A summary that a summarizer makes of a call's result.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSummary {
    pub id: SummaryId,
    /// The call, finished in the same batch or before.
    pub call_id: CallId,
    /// What the summarizer needs to know.
    pub request: Value,
}

/// What a server offers an agent, or why it offers nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct NewToolList {
    pub id: InteractionId,
    /// The agent's stage.
    pub stage_id: StageId,
    /// The agent's execution.
    pub execution_id: ExecutionId,
    /// The gateway that asked; none if no gateway could be had.
    pub gateway_instance: Option<String>,
    pub server_name: String,
    /// Its tools: `name`, `description`.
    pub available_tools: Option<Value>,
    /// The same in one sentence.
    pub description: Option<String>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// Why it offers nothing; then it has failed.
    pub error_message: Option<String>,
}

/// A stage that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStage {
    pub id: StageId,
    /// Its position in the chain, from 0.
    pub stage_index: i32,
    /// Its name in the chain.
    pub stage_name: String,
    /// How many agents work in it.
    pub expected_agent_count: i32,
    /// `multi_agent` or `replica`, if more than one agent works.
    pub parallel_type: Option<String>,
    /// `all` or `any`.
    pub success_policy: Option<String>,
    /// The stage whose findings it joins, if it is a synthesis.
    pub joins_stage_id: Option<StageId>,
}

/// The end of an active stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndStage {
    pub id: StageId,
    /// Its name in the chain, for the event.
    pub name: String,
    /// Its place in the chain, from 0, for the event.
    pub index: i32,
    /// How it ended.
    pub status: WorkStatus,
    /// Why it failed.
    pub error: Option<String>,
}

/// An agent's execution that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewExecution {
    pub id: ExecutionId,
    pub stage_id: StageId,
    pub agent_name: String,
    /// Its position in the stage, from 1.
    pub agent_index: i32,
    /// Its iteration strategy.
    pub iteration_strategy: String,
    /// The provider of its model.
    pub llm_provider: Option<String>,
}

/// The end of an active execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndExecution {
    pub id: ExecutionId,
    /// How it ended.
    pub status: WorkStatus,
    /// Why it failed.
    pub error: Option<String>,
}

/// What an agent concludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    pub execution_id: ExecutionId,
    pub text: String,
}

/// A fallback provider that replaces the active one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSwitch {
    /// The execution; none for the executive summary.
    pub execution_id: Option<ExecutionId>,
    pub provider: String,
    /// The sequence number of the first message that belongs to the new provider; 0 for the executive summary.
    pub since: i32,
}

/// What became of the runbook that an alert names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunbookContent {
    /// Its text, masked.
    pub text: Option<String>,
    /// Why there is none.
    pub error: Option<String>,
}

impl Op {
    /// Refuses an end that is no end; that nothing ends twice is for the database to see.
    pub(crate) fn check(&self) -> Result<(), Conflict> {
        let (over, from, to) = match self {
            Self::CloseEvent(end) => (end.status.is_terminal(), "streaming", end.status.as_str()),
            Self::CallFinished(end) => {
                (end.status != CallStatus::Started, "started", end.status.as_str())
            }
            Self::EndStage(end) => (end.status.is_terminal(), "active", end.status.as_str()),
            Self::EndExecution(end) => (end.status.is_terminal(), "active", end.status.as_str()),
            _ => return Ok(()),
        };
        if over { Ok(()) } else { Err(IllegalTransition { from, to }.into()) }
    }

    /// Takes out what PostgreSQL has no place for.
    pub(crate) fn clean(&mut self) {
        match self {
            Self::OpenEvent(event) => {
                clean(&mut event.content);
                clean_maybe_json(&mut event.metadata);
            }
            Self::CloseEvent(event) => {
                clean(&mut event.content);
                clean_maybe_json(&mut event.metadata);
            }
            Self::RequestApproval(approval) => approval.clean(),
            Self::AppendMessage(message) => {
                clean(&mut message.content);
                clean_maybe_json(&mut message.tool_calls);
                clean_maybe(&mut message.tool_call_id);
                clean_maybe(&mut message.tool_name);
            }
            Self::LlmInteraction(call) => {
                clean(&mut call.provider);
                clean(&mut call.model_name);
                clean_json(&mut call.llm_request);
                clean_json(&mut call.llm_response);
                clean_maybe(&mut call.thinking_content);
                clean_maybe_json(&mut call.response_metadata);
                clean_maybe(&mut call.error_message);
            }
            Self::CallStarted(call) => {
                for text in [&mut call.server_name, &mut call.tool_name, &mut call.tool_call_id] {
                    clean(text);
                }
                clean_json(&mut call.tool_arguments);
            }
            Self::CallFinished(end) => {
                clean(&mut end.tool_result);
                clean_maybe(&mut end.whole_result);
                clean_maybe(&mut end.error_message);
            }
            Self::RequestSummary(summary) => clean_json(&mut summary.request),
            Self::ToolsListed(list) => {
                clean(&mut list.server_name);
                clean_maybe_json(&mut list.available_tools);
                clean_maybe(&mut list.description);
                clean_maybe(&mut list.error_message);
            }
            Self::EndStage(end) => clean_maybe(&mut end.error),
            Self::EndExecution(end) => clean_maybe(&mut end.error),
            Self::Conclude(conclusion) => clean(&mut conclusion.text),
            Self::SwitchProvider(switch) => clean(&mut switch.provider),
            Self::SetExecutiveSummary(text) => clean(text),
            Self::StoreClaimCheck(check) => check.clean(),
            Self::SetRunbook(kept) => {
                clean_maybe(&mut kept.text);
                clean_maybe(&mut kept.error);
            }
            // It was read from the database.
            Self::SetSeenBefore(_)
            | Self::ReassignCall(_)
            | Self::CloseApproval(_)
            | Self::BeginStage(_)
            | Self::BeginExecution(_)
            | Self::RequestConclusion(_) => {}
        }
    }
}
