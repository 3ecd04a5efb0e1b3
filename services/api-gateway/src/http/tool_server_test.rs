//! Connects to a tool server on request, and says what came of it.

use std::time::Duration;

use axum::extract::State;
use serde::Serialize;
use tarsy_bus::Error as BusError;
use tarsy_contracts::mcp::{ProbeRequest, ToolList};
use tarsy_contracts::subject;
use tarsy_domain::code::Code;
use tarsy_web::{Json, Path, Problem};
use tokio::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::tool_servers::{OfServer, configured};
use crate::state::AppState;

/// How long the server may take to start and list its tools.
const LIMIT: Duration = Duration::from_secs(20);
/// How much longer the request waits for the gateway than the gateway for the server.
const GRACE: Duration = Duration::from_secs(2);

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
    let timeout_ms = u64::try_from(LIMIT.as_millis()).unwrap_or(u64::MAX);
    let wanted = ProbeRequest { server: Some(path.server), timeout_ms };
    let begun = Instant::now();
    let answer =
        app.bus.request::<_, ToolList>(subject::MCP_PROBE.to_owned(), &wanted, LIMIT + GRACE);
    let (tool_count, error) = match answer.await {
        Ok(list) => {
            let failed = list.failed.into_iter().next().map(|failed| failed.error);
            (list.tools.len(), failed)
        }
        Err(BusError::Refused(refusal)) => (0, Some(refusal.message)),
        Err(error) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "the tool gateway did not answer");
            let detail = "no tool gateway answers, so that the server could not be asked; look at the services below";
            return Err(Problem::new(Code::Unavailable, detail));
        }
    };
    let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(Tested { reachable: error.is_none(), tool_count, error, duration_ms }))
}
