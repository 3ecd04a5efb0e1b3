//! Connects to a tool server on request, and says what came of it.

use axum::extract::State;
use serde::Serialize;
use tarsy_contracts::mcp::ProbeRequest;
use tarsy_contracts::subject;
use tarsy_web::{Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::tool_lists::{Listed, TIMEOUT_MS, list};
use crate::http::tool_servers::{OfServer, configured};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(test))
}

/// What came of a connection.
#[derive(Debug, Serialize, ToSchema)]
struct Tested {
    /// Whether the server listed its tools.
    reachable: bool,
    /// How many its policy allows.
    tool_count: usize,
    /// Why it is not reachable.
    error: Option<String>,
    /// How long it took, in milliseconds.
    duration_ms: u64,
}

/// Opens a connection to a tool server and lists its tools; nothing is called. At most 20 s.
#[utoipa::path(
    post, path = "/system/mcp-servers/{server}/test", tag = "system", operation_id = "test_tool_server",
    params(("server" = String, Path, description = "The server's id")),
    responses(
        (status = 200, description = "What came of it", body = Tested),
        (status = 404, description = "No such server", body = Problem,
         content_type = "application/problem+json"),
        (status = 503, description = "No tool gateway answers", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.tools.test", skip_all, fields(mcp.server = path.server))]
async fn test(
    State(app): State<AppState>,
    Path(path): Path<OfServer>,
) -> Result<Json<Tested>, Problem> {
    configured(&app, &path.server)?;
    let wanted = ProbeRequest { server: Some(path.server), timeout_ms: TIMEOUT_MS };
    let Listed { tools, error, duration_ms } =
        list(&app, subject::MCP_PROBE, &wanted, "the server could not be asked").await?;
    let tool_count = tools.len();
    Ok(Json(Tested { reachable: error.is_none(), tool_count, error, duration_ms }))
}
