//! What models and tools were asked, and what they answered.

use axum::extract::State;
use serde::Deserialize;
use tarsy_contracts::trace::{LlmInteraction, McpInteraction, Trace};
use tarsy_domain::id::{InteractionId, SessionId};
use tarsy_web::{Json, Path, Problem};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

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

/// All calls of models and tools of a session.
#[utoipa::path(
    get, path = "/sessions/{id}/trace", tag = "trace", operation_id = "session_trace",
    params(("id" = Uuid, Path, description = "The session")),
    responses(
        (status = 200, description = "The calls", body = Trace),
        (status = 404, description = "No such session", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.tree", skip_all, fields(session.id = %path.id))]
async fn tree(
    State(app): State<AppState>,
    Path(path): Path<OfSession>,
) -> Result<Json<Trace>, Problem> {
    app.store.find_session_status(path.id).await?.ok_or_else(|| unknown(path.id))?;
    Ok(Json(app.store.find_trace(path.id).await?))
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
        (status = 200, description = "The call", body = LlmInteraction),
        (status = 404, description = "This session has no such call", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.llm", skip_all, fields(session.id = %path.id))]
async fn llm(
    State(app): State<AppState>,
    Path(path): Path<OfInteraction>,
) -> Result<Json<LlmInteraction>, Problem> {
    let found = app.store.find_llm_interaction(path.id, path.interaction_id).await?;
    Ok(Json(found.ok_or_else(|| path.unknown())?))
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
        (status = 200, description = "The call", body = McpInteraction),
        (status = 404, description = "This session has no such call", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.trace.mcp", skip_all, fields(session.id = %path.id))]
async fn mcp(
    State(app): State<AppState>,
    Path(path): Path<OfInteraction>,
) -> Result<Json<McpInteraction>, Problem> {
    let found = app.store.find_mcp_interaction(path.id, path.interaction_id).await?;
    Ok(Json(found.ok_or_else(|| path.unknown())?))
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
    Ok(found.ok_or_else(|| path.unknown())?.tool_result.unwrap_or_default())
}
