//! The trace of a session: every call of a model and of a tool, where it was made.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::event::{CallStatus, FinishReason, LlmInteractionKind, McpInteractionKind, Role};
use tarsy_domain::id::{ExecutionId, InteractionId, StageId};
use utoipa::ToSchema;

use crate::mcp::Tool;

/// All calls of a session, where they were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = TraceView)]
pub struct Trace {
    pub stages: Vec<TraceStage>,
    /// Calls of models that no execution made.
    pub session_interactions: Vec<LlmBrief>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = TraceStageView)]
pub struct TraceStage {
    #[schema(value_type = Uuid)]
    pub stage_id: StageId,
    /// Its name in the chain.
    pub stage_name: String,
    /// By execution.
    pub executions: Vec<TraceExecution>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = TraceExecutionView)]
pub struct TraceExecution {
    #[schema(value_type = Uuid)]
    pub execution_id: ExecutionId,
    pub agent_name: String,
    /// The execution of the agent that dispatched it; none for an agent of the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    pub parent_execution_id: Option<ExecutionId>,
    /// What that agent dispatched it for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Its calls of models, the oldest first.
    pub llm_interactions: Vec<LlmBrief>,
    /// Its calls of tools, the oldest first.
    pub mcp_interactions: Vec<McpBrief>,
}

/// A call of a model, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = LlmItem)]
pub struct LlmBrief {
    #[schema(value_type = Uuid)]
    pub id: InteractionId,
    /// Why the model was called.
    #[serde(rename = "interaction_type")]
    #[schema(value_type = String, example = "iteration")]
    pub kind: LlmInteractionKind,
    /// The configured name of the provider; none for old records.
    pub provider: Option<String>,
    pub model_name: String,
    pub input_tokens: Option<i32>,
    pub output_tokens: Option<i32>,
    pub total_tokens: Option<i32>,
    /// The part of `output_tokens` that the model thought with.
    pub thinking_tokens: Option<i32>,
    /// Whether the provider left a part of the tokens out, which is estimated.
    #[serde(default)]
    pub tokens_estimated: bool,
    /// In millionths of a US dollar; none if no price is configured.
    pub cost_micro_usd: Option<i64>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// Until its first text or reasoning; none if it sent neither, and for old records.
    pub first_token_ms: Option<i64>,
    /// Why the model stopped: stop, length, `tool_calls`, `content_filter`; none if it was not reported.
    #[schema(value_type = Option<String>)]
    pub finish_reason: Option<FinishReason>,
    /// It did not answer in time.
    pub timed_out: bool,
    pub error_message: Option<String>,
    /// What was left out of the request; none if it had the whole conversation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compaction: Option<Compaction>,
    pub created_at: Timestamp,
}

/// What was left out of a request so that it fits its provider's context window. The stored conversation is
/// whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CompactionView)]
pub struct Compaction {
    /// Messages that were sent without their middle.
    pub shortened_messages: i32,
    /// The oldest messages, which were not sent.
    pub omitted_messages: i32,
    /// The tokens of the whole request, estimated.
    pub whole_tokens: i64,
}

/// A call of a tool, or what a server offered an agent when it began; in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = McpItem)]
pub struct McpBrief {
    #[schema(value_type = Uuid)]
    pub id: InteractionId,
    /// `tool_call` or `tool_list`.
    #[serde(rename = "interaction_type")]
    #[schema(value_type = String, example = "tool_call")]
    pub kind: McpInteractionKind,
    /// What became of it: started, completed, failed, unknown.
    #[schema(value_type = String)]
    pub status: CallStatus,
    /// The server.
    pub server_name: String,
    /// The tool; none for a `tool_list`.
    pub tool_name: Option<String>,
    /// Its number in the session, from 1, as models cite it: `[call 3]`; none for a `tool_list`.
    pub call_number: Option<i64>,
    /// How long it took.
    pub duration_ms: Option<i64>,
    /// The policy of its server refused it: nothing was called.
    pub refused_by_policy: bool,
    pub error_message: Option<String>,
    /// The tokens of its whole result, estimated; none for old records.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result_tokens: Option<i32>,
    /// The tokens of what the model received of the result, estimated: fewer if it was cut or summarized.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delivered_tokens: Option<i32>,
    /// The number of the earlier call that answered it, because it repeats that one: nothing was called.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answered_from: Option<i64>,
    /// When it was written down.
    pub created_at: Timestamp,
}

/// What was sent to a model beside its messages and tools, and what its vendor reported about the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RequestRecordView)]
pub struct RequestRecord {
    /// The client library that llm-service used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backend: Option<String>,
    /// The output limit that was sent; none leaves it to the provider.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_output_tokens: Option<i32>,
    /// The provider's own tools that were on.
    #[serde(default)]
    pub native_tools: Vec<String>,
    /// The digest of the prompt templates that were in use.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prompt_version: Option<String>,
    /// The version of TARSy that sent it; set by the store.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tarsy_version: Option<String>,
    /// The model that answered, as its vendor names it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model_version: Option<String>,
    /// The vendor's id of the answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_id: Option<String>,
    /// Why the answer ended, in the vendor's own word.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vendor_finish_reason: Option<String>,
    /// The digest of the list of tools that was offered; none if none was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_set: Option<String>,
    /// The JSON Schema that the answer was asked for in; none leaves its form to the model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub response_format: Option<String>,
    /// What of an answer in that form could not be used, and what stands in its place.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub answer_notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = OfferedToolView)]
pub struct OfferedTool {
    /// The server's id.
    pub server: String,
    /// The tool's name at its server.
    pub name: String,
    /// What the server said of it, masked.
    pub description: String,
    /// JSON Schema of its arguments.
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// The server's `readOnlyHint`.
    #[serde(default)]
    pub read_only: bool,
    /// The server's `idempotentHint`.
    #[serde(default)]
    pub idempotent: bool,
}

impl From<&Tool> for OfferedTool {
    fn from(tool: &Tool) -> Self {
        Self {
            server: tool.server.clone(),
            name: tool.name.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
            read_only: tool.read_only,
            idempotent: tool.idempotent,
        }
    }
}

/// One call of a model, with its conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = LlmView)]
pub struct LlmInteraction {
    /// What is known in short.
    #[serde(flatten)]
    pub brief: LlmBrief,
    /// The model's reasoning.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thinking_content: Option<String>,
    /// What was asked, without the conversation.
    #[schema(value_type = Object)]
    pub llm_request: Value,
    #[schema(value_type = Object)]
    pub llm_response: Value,
    /// What the provider added.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Object>)]
    pub response_metadata: Option<Value>,
    /// The conversation, up to the answer; of a summary, its prompt.
    pub conversation: Vec<TraceMessage>,
    /// What else was sent, and what the vendor reported.
    #[serde(default)]
    pub record: RequestRecord,
    /// The tools that were offered, in order; empty for old records.
    #[serde(default)]
    pub tools: Vec<OfferedTool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = MessageView)]
pub struct TraceMessage {
    #[schema(value_type = String, example = "assistant")]
    pub role: Role,
    /// What is said.
    pub content: String,
    /// The tools it asks for: `id`, `name`, `arguments`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub tool_calls: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_name: Option<String>,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = McpView)]
pub struct McpInteraction {
    /// What is known in short.
    #[serde(flatten)]
    pub brief: McpBrief,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Object>)]
    pub tool_arguments: Option<Value>,
    /// Its whole result, masked; of a `tool_list`, how many tools there are.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_result: Option<String>,
    /// Of a `tool_list`, the tools: `name`, `description`; the first 250.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub available_tools: Option<Value>,
    /// Of a `tool_list`, the tools as they were offered; empty for old records.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tools: Vec<OfferedTool>,
}
