//! What models and tools were asked, and what they answered.

use axum::extract::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::event::FinishReason;
use tarsy_domain::id::{InteractionId, SessionId};
use tarsy_store::{
    LlmBrief, LlmInteraction, McpBrief, McpInteraction, Message, Trace, TraceExecution, TraceStage,
};
use tarsy_web::{Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::http::sessions::{OfSession, unknown};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(tree))
        .routes(routes!(llm))
        .routes(routes!(mcp))
        .routes(routes!(mcp_result))
}

/// The interaction that a path names.
#[derive(Clone, Copy, Debug, Deserialize)]
struct OfInteraction {
    id: SessionId,
    interaction_id: InteractionId,
}

impl OfInteraction {
    fn unknown(self) -> Problem {
        let Self { id, interaction_id } = self;
        Problem::not_found(format!("the session {id} has no interaction {interaction_id}"))
    }
}

/// All calls of a session, where they were made.
#[derive(Debug, Serialize, ToSchema)]
struct TraceView {
    /// By stage and execution.
    stages: Vec<TraceStageView>,
    /// Calls of models that no execution made.
    session_interactions: Vec<LlmItem>,
}

/// The calls of a stage.
#[derive(Debug, Serialize, ToSchema)]
struct TraceStageView {
    /// The stage.
    stage_id: Uuid,
    /// Its name in the chain.
    stage_name: String,
    /// By execution.
    executions: Vec<TraceExecutionView>,
}

/// The calls of an execution.
#[derive(Debug, Serialize, ToSchema)]
struct TraceExecutionView {
    /// The execution.
    execution_id: Uuid,
    /// The agent.
    agent_name: String,
    /// Its calls of models, the oldest first.
    llm_interactions: Vec<LlmItem>,
    /// Its calls of tools, the oldest first.
    mcp_interactions: Vec<McpItem>,
}

/// A call of a model, in short.
#[derive(Debug, Serialize, ToSchema)]
struct LlmItem {
    /// Its record.
    id: Uuid,
    /// Why the model was called.
    #[schema(example = "iteration")]
    interaction_type: &'static str,
    /// The configured name of the provider; none for old records.
    provider: Option<String>,
    /// The model.
    model_name: String,
    /// Tokens read.
    input_tokens: Option<i32>,
    /// Tokens written.
    output_tokens: Option<i32>,
    /// Tokens in all.
    total_tokens: Option<i32>,
    /// How long it took.
    duration_ms: Option<i64>,
    /// Why the model stopped: stop, length, `tool_calls`, `content_filter`; none if it was not reported.
    finish_reason: Option<&'static str>,
    /// It did not answer in time.
    timed_out: bool,
    /// Why it failed.
    error_message: Option<String>,
    /// When it was recorded.
    created_at: Timestamp,
}

/// A call of a tool, or what a server offered an agent when it began; in short.
#[derive(Debug, Serialize, ToSchema)]
struct McpItem {
    /// Its record.
    id: Uuid,
    /// `tool_call` or `tool_list`.
    #[schema(example = "tool_call")]
    interaction_type: &'static str,
    /// What became of it: started, completed, failed, unknown.
    status: &'static str,
    /// The server.
    server_name: String,
    /// The tool; none for a `tool_list`.
    tool_name: Option<String>,
    /// Its number in the session, from 1, as models cite it: `[call 3]`; none for a `tool_list`.
    call_number: Option<i64>,
    /// How long it took.
    duration_ms: Option<i64>,
    /// The policy of its server refused it: nothing was called.
    refused_by_policy: bool,
    /// Why it failed.
    error_message: Option<String>,
    /// When it was written down.
    created_at: Timestamp,
}

/// One call of a model, with its conversation.
#[derive(Debug, Serialize, ToSchema)]
struct LlmView {
    /// What is known in short.
    #[serde(flatten)]
    item: LlmItem,
    /// The model's reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_content: Option<String>,
    /// What was asked, without the conversation.
    #[schema(value_type = Object)]
    llm_request: Value,
    /// What was answered.
    #[schema(value_type = Object)]
    llm_response: Value,
    /// What the provider added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    response_metadata: Option<Value>,
    /// The conversation, up to the answer.
    conversation: Vec<MessageView>,
}

/// One message of a conversation.
#[derive(Debug, Serialize, ToSchema)]
struct MessageView {
    /// Who speaks.
    #[schema(example = "assistant")]
    role: &'static str,
    /// What is said.
    content: String,
    /// The tools it asks for: `id`, `name`, `arguments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    tool_calls: Option<Value>,
    /// The call it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    /// The tool that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
}

/// One call of a tool.
#[derive(Debug, Serialize, ToSchema)]
struct McpView {
    /// What is known in short.
    #[serde(flatten)]
    item: McpItem,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    tool_arguments: Option<Value>,
    /// Its whole result, masked; of a `tool_list`, how many tools there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_result: Option<String>,
    /// Of a `tool_list`, the tools: `name`, `description`; the first 250.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    available_tools: Option<Value>,
}

impl From<Trace> for TraceView {
    fn from(trace: Trace) -> Self {
        Self {
            stages: trace.stages.into_iter().map(Into::into).collect(),
            session_interactions: trace.session_interactions.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<TraceStage> for TraceStageView {
    fn from(stage: TraceStage) -> Self {
        Self {
            stage_id: stage.stage_id.uuid(),
            stage_name: stage.stage_name,
            executions: stage.executions.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<TraceExecution> for TraceExecutionView {
    fn from(execution: TraceExecution) -> Self {
        Self {
            execution_id: execution.execution_id.uuid(),
            agent_name: execution.agent_name,
            llm_interactions: execution.llm_interactions.into_iter().map(Into::into).collect(),
            mcp_interactions: execution.mcp_interactions.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<LlmBrief> for LlmItem {
    fn from(brief: LlmBrief) -> Self {
        Self {
            id: brief.id.uuid(),
            interaction_type: brief.kind.as_str(),
            provider: brief.provider,
            model_name: brief.model_name,
            input_tokens: brief.input_tokens,
            output_tokens: brief.output_tokens,
            total_tokens: brief.total_tokens,
            duration_ms: brief.duration_ms,
            finish_reason: brief.finish_reason.map(FinishReason::as_str),
            timed_out: brief.timed_out,
            error_message: brief.error_message,
            created_at: brief.created_at,
        }
    }
}

impl From<McpBrief> for McpItem {
    fn from(brief: McpBrief) -> Self {
        Self {
            id: brief.id.uuid(),
            interaction_type: brief.kind.as_str(),
            status: brief.status.as_str(),
            server_name: brief.server_name,
            tool_name: brief.tool_name,
            call_number: brief.call_number,
            duration_ms: brief.duration_ms,
            refused_by_policy: brief.refused_by_policy,
            error_message: brief.error_message,
            created_at: brief.created_at,
        }
    }
}

impl From<LlmInteraction> for LlmView {
    fn from(found: LlmInteraction) -> Self {
        Self {
            item: found.brief.into(),
            thinking_content: found.thinking_content,
            llm_request: found.llm_request,
            llm_response: found.llm_response,
            response_metadata: found.response_metadata,
            conversation: found.conversation.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Message> for MessageView {
    fn from(message: Message) -> Self {
        Self {
            role: message.role.as_str(),
            content: message.content,
            tool_calls: message.tool_calls,
            tool_call_id: message.tool_call_id,
            tool_name: message.tool_name,
        }
    }
}

impl From<McpInteraction> for McpView {
    fn from(found: McpInteraction) -> Self {
        Self {
            item: found.brief.into(),
            tool_arguments: found.tool_arguments,
            tool_result: found.whole_result.or(found.tool_result),
            available_tools: found.available_tools,
        }
    }
}

/// All calls of models and tools of a session.
#[utoipa::path(
    get, path = "/sessions/{id}/trace", tag = "trace", operation_id = "session_trace",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The calls", body = TraceView),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.tree", skip_all, fields(session.id = %path.id))]
async fn tree(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<TraceView>, Problem> {
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    Ok(Json(app.store.find_trace(path.id).await?.into()))
}

/// One call of a model, with its conversation.
#[utoipa::path(
    get, path = "/sessions/{id}/trace/llm/{interaction_id}", tag = "trace",
    operation_id = "llm_interaction",
    params(
        ("id" = Uuid, Path, description = "The session"),
        ("interaction_id" = Uuid, Path, description = "The call"),
    ),
    responses(
        (status = 200, description = "The call", body = LlmView),
        (status = 404, description = "This session has no such call", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.llm", skip_all, fields(session.id = %path.id))]
async fn llm(
    State(app): State<AppState>,
    Path(path): Path<OfInteraction>,
) -> Result<Json<LlmView>, Problem> {
    let found = app.store.find_llm_interaction(path.id, path.interaction_id).await?;
    Ok(Json(found.ok_or_else(|| path.unknown())?.into()))
}

/// One call of a tool.
#[utoipa::path(
    get, path = "/sessions/{id}/trace/mcp/{interaction_id}", tag = "trace",
    operation_id = "mcp_interaction",
    params(
        ("id" = Uuid, Path, description = "The session"),
        ("interaction_id" = Uuid, Path, description = "The call"),
    ),
    responses(
        (status = 200, description = "The call", body = McpView),
        (status = 404, description = "This session has no such call", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.mcp", skip_all, fields(session.id = %path.id))]
async fn mcp(
    State(app): State<AppState>,
    Path(path): Path<OfInteraction>,
) -> Result<Json<McpView>, Problem> {
    let found = app.store.find_mcp_interaction(path.id, path.interaction_id).await?;
    Ok(Json(found.ok_or_else(|| path.unknown())?.into()))
}

/// The whole result of a call of a tool, however long: masked text.
#[utoipa::path(
    get, path = "/sessions/{id}/trace/mcp/{interaction_id}/result", tag = "trace",
    operation_id = "mcp_interaction_result",
    params(
        ("id" = Uuid, Path, description = "The session"),
        ("interaction_id" = Uuid, Path, description = "The call"),
    ),
    responses(
        (status = 200, description = "The result; empty for a call that has none", body = String,
         content_type = "text/plain"),
        (status = 404, description = "This session has no such call", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.mcp_result", skip_all, fields(session.id = %path.id))]
async fn mcp_result(
    State(app): State<AppState>,
    Path(path): Path<OfInteraction>,
) -> Result<String, Problem> {
    let found = app.store.find_mcp_interaction(path.id, path.interaction_id).await?;
    let found = found.ok_or_else(|| path.unknown())?;
    Ok(found.whole_result.or(found.tool_result).unwrap_or_default())
}
