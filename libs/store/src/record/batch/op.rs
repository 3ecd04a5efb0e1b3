//! What an owner can write.

use serde_json::Value;
use tarsy_contracts::failure::Failure;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_contracts::trace::{Compaction, OfferedTool, RequestRecord};
use tarsy_contracts::{dependency::GivenDependencies, memory::GivenMemory, review::SeenBefore};
use tarsy_domain::claim::ConclusionCause;
use tarsy_domain::event::{CallStatus, FinishReason, LlmInteractionKind, Role};
use tarsy_domain::id::{
    CallId, ExecutionId, InteractionId, MessageId, StageId, SummaryId, TimelineEventId, VerdictId,
};
use tarsy_domain::status::{IllegalTransition, WorkStatus};

use crate::error::Conflict;
use crate::finding::claims::check::NewClaimCheck;
use crate::finding::verdicts::new::NewVerdict;
use crate::record::batch::action::ActionStep;
pub use crate::record::batch::approval::NewApproval;

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
    /// A tool is about to be called: it gets the session's next number, which its event names; emits `interaction.created`.
    CallStarted(NewCall),
    /// A started tool call has an outcome.
    CallFinished(CallEnd),
    /// The model receives the result of a finished tool call.
    DeliverResult(DeliveredResult),
    /// A started tool call is made again at another gateway.
    ReassignCall(ReassignCall),
    /// A started call waits for a person's decision.
    RequestApproval(NewApproval),
    /// The owner acts on the decision about a call, or on its absence.
    CloseApproval(CallId),
    /// A call that changes something is planned, was made, or has an outcome.
    Action(ActionStep),
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
    RequestConclusion(ConclusionRequest),
    /// The same, because its conclusion has claims that no result shows.
    RequestRepair(ExecutionId),
    /// An agent is sent back to look, once: its conclusion rested on nothing.
    RequestLook(ExecutionId),
    /// The offline analyst gathers evidence for an agent, once, or has done so.
    Gather(Gathering),
    Conclude(Conclusion),
    /// A fallback provider replaces the active one.
    SwitchProvider(ProviderSwitch),
    SetExecutiveSummary(String),
    /// The session's runbook was fetched, or could not be.
    SetRunbook(RunbookContent),
    /// The reviewed sessions and the memories that the investigation is given.
    SetSeenBefore(Vec<SeenBefore>, Option<Vec<GivenMemory>>),
    /// The changes near the alert that the investigation is given.
    SetChanges(tarsy_contracts::change::GivenChanges),
    /// The dependencies near the alert that it is given.
    SetDependencies(GivenDependencies),
    /// A text of the same batch was checked; emits `claims.checked`.
    StoreClaimCheck(NewClaimCheck),
    /// An agent, or a model that was asked for it, reached a verdict.
    StoreVerdict(NewVerdict),
    /// A stored verdict is the session's; emits `verdict.recorded`.
    SetVerdict(VerdictId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    pub id: MessageId,
    pub stage_id: StageId,
    /// The execution whose conversation it is part of.
    pub execution_id: ExecutionId,
    /// Its position in the conversation, from 0.
    pub sequence_number: i32,
    pub role: Role,
    pub content: String,
    pub tool_calls: Option<Value>,
    pub tool_call_id: Option<String>,
    pub tool_name: Option<String>,
    /// The number of the call whose result it is.
    pub call_number: Option<i64>,
    /// State of the provider that is sent back with it.
    pub provider_state: Option<Vec<u8>>,
    /// The place of the last alert of a source that it gives to the agent.
    pub alerts_until: Option<i64>,
    /// Whether it asks to go on from what came of an answer whose time was up.
    pub continues: bool,
    /// The dispatched execution whose result it gives to the agent that dispatched it.
    pub sub_execution_id: Option<ExecutionId>,
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
    pub llm_response: Value,
    /// The model's reasoning.
    pub thinking_content: Option<String>,
    pub response_metadata: Option<Value>,
    pub input_tokens: Option<i32>,
    pub output_tokens: Option<i32>,
    pub total_tokens: Option<i32>,
    pub thinking_tokens: Option<i32>,
    /// Whether the provider left a part of the tokens out, which is estimated.
    pub tokens_estimated: bool,
    /// In millionths of a US dollar; none if no price is configured.
    pub cost_micro_usd: Option<i64>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// Until its first text or reasoning; none if it sent neither.
    pub first_token_ms: Option<i64>,
    /// Why the model stopped; none if its provider did not report it or the call failed.
    pub finish_reason: Option<FinishReason>,
    /// The model did not answer in time.
    pub timed_out: bool,
    pub error_message: Option<String>,
    /// What was left out of the request; boxed because most requests are whole.
    pub compaction: Option<Box<Compaction>>,
    /// What else was sent, and what the vendor reported; `tool_set` and `tarsy_version` are set by the store.
    pub record: Box<RequestRecord>,
    /// The tools that were offered, in order.
    pub tools: Vec<OfferedTool>,
}

/// A tool call, written down before it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCall {
    pub id: InteractionId,
    pub stage_id: StageId,
    pub execution_id: ExecutionId,
    /// The call; it is never made twice under this name.
    pub call_id: CallId,
    pub gateway_instance: String,
    pub server_name: String,
    pub tool_name: String,
    /// The model's name for the call.
    pub tool_call_id: String,
    pub tool_arguments: Value,
    pub timeline_event_id: TimelineEventId,
    /// The number of the earlier call that answers it; it is not made.
    pub answered_from: Option<i64>,
}

/// The outcome of a started tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallEnd {
    pub call_id: CallId,
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
    pub error_message: Option<String>,
}

/// The messages with which the offline analyst gathers evidence for an agent, by their numbers in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathering {
    pub execution_id: ExecutionId,
    /// The first.
    pub since: i32,
    /// The message after the last; none until then.
    pub until: Option<i32>,
}

/// How much of a result the model received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeliveredResult {
    pub call_id: CallId,
    /// The tokens of the whole result, estimated.
    pub result_tokens: i32,
    /// The tokens of the text that the model received, estimated.
    pub delivered_tokens: i32,
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
    /// The tools as they are offered to the model, in order.
    pub tools: Vec<OfferedTool>,
}

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
    pub success_policy: Option<String>,
    /// The stage whose findings it joins, if it is a synthesis.
    pub joins_stage_id: Option<StageId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndStage {
    pub id: StageId,
    /// Its name in the chain, for the event.
    pub name: String,
    /// Its place in the chain, from 0, for the event.
    pub index: i32,
    pub status: WorkStatus,
    pub error: Option<String>,
}

/// An agent's execution that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewExecution {
    pub id: ExecutionId,
    pub stage_id: StageId,
    pub agent_name: String,
    /// Its position in the stage, or among those that its parent dispatched, from 1.
    pub agent_index: i32,
    pub iteration_strategy: String,
    pub llm_provider: Option<String>,
    /// What another agent dispatched it for; none for an agent of a stage.
    pub dispatched: Option<Dispatched>,
}

/// What one agent dispatches another for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatched {
    pub parent: ExecutionId,
    pub task: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndExecution {
    pub id: ExecutionId,
    pub status: WorkStatus,
    pub error: Option<String>,
    /// Why it failed, as facts.
    pub failure: Option<Failure>,
}

/// An agent that is asked for its conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConclusionRequest {
    pub execution_id: ExecutionId,
    pub cause: ConclusionCause,
}

/// What an agent concludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    pub execution_id: ExecutionId,
    pub text: String,
    /// What it does not rest on though the agent could have looked: required tools without a result, as `server.tool`;
    /// empty if no call succeeded at all.
    pub unseen: Option<Vec<String>>,
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
}
