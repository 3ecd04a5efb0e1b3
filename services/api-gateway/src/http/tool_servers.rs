//! The tool servers: their health, their tools, and which of them are accepted.

use std::collections::{BTreeMap, HashMap};

use axum::extract::State;
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_catalog::{McpServer, PolicyMode};
use tarsy_contracts::status::{McpServerStatus, ToolBrief};
use tarsy_contracts::topology;
use tarsy_web::{FieldError, Json, Path, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::http::system::entries;
use crate::state::AppState;

/// The most tools of a server.
const MAX_TOOLS: usize = 2_000;
/// The length of a SHA-256 in hexadecimal digits.
const DIGEST_DIGITS: usize = 64;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(mcp_servers)).routes(routes!(accept))
}

#[derive(Debug, Serialize, ToSchema)]
struct Servers {
    /// One entry for each that is configured.
    servers: Vec<ServerView>,
}

/// A tool server and how it is.
#[derive(Debug, Serialize, ToSchema)]
struct ServerView {
    id: String,
    /// Whether it answered the last check.
    healthy: bool,
    last_check: Option<Timestamp>,
    tool_count: usize,
    tools: Vec<ToolView>,
    /// Why it is not healthy.
    error: Option<String>,
    /// It comes with TARSy, does not work, and nobody set it up.
    not_configured: bool,
    /// `enforce`: read-only tools run, others need more; `allow_all`: every tool that is not denied runs.
    policy_mode: &'static str,
    /// Whether an operator has accepted its tools.
    accepted: bool,
}

/// A tool in a list for people.
#[derive(Debug, Serialize, ToSchema)]
struct ToolView {
    name: String,
    /// What it does.
    description: String,
    /// JSON Schema of its arguments; absent if the server's schemas are too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Value>,
    /// What the server says of it.
    annotations: AnnotationsView,
    /// `read_only`, `write` or `unknown`.
    class: &'static str,
    class_reason: String,
    /// Who, or what, decided it: `operator`, `server`, `name`, `parameters`, `call` (each call by its arguments) or `nobody`.
    class_decided_by: &'static str,
    /// The parameters that decide call by call, if there are any.
    judged_parameters: Vec<String>,
    /// `accepted`, `changed` or `new` since the server's tools were accepted; `none` if they never were.
    pin: &'static str,
    /// What it says of itself, as a digest: send it to accept it.
    definition: String,
}

/// What a server says of a tool: a hint, nothing more.
#[derive(Debug, Serialize, ToSchema)]
struct AnnotationsView {
    /// It changes nothing.
    read_only: bool,
    /// Calling it twice is as calling it once.
    idempotent: bool,
}

/// The definitions of a server's tools that an operator accepted, by name.
type Accepted = BTreeMap<String, String>;

fn view(tool: ToolBrief, accepted: Option<&Accepted>) -> ToolView {
    let pin = match accepted.map(|tools| tools.get(&tool.name)) {
        None => "none",
        Some(None) => "new",
        Some(Some(known)) if *known == tool.terms.definition => "accepted",
        Some(Some(_)) => "changed",
    };
    ToolView {
        name: tool.name,
        description: tool.description,
        input_schema: tool.input_schema,
        annotations: AnnotationsView { read_only: tool.read_only, idempotent: tool.idempotent },
        class: tool.terms.class.as_str(),
        class_reason: tool.terms.reason,
        class_decided_by: tool.terms.decided_by.as_str(),
        judged_parameters: tool.terms.judged.into_iter().map(|judged| judged.parameter).collect(),
        pin,
        definition: tool.terms.definition,
    }
}

const fn mode(server: &McpServer) -> &'static str {
    match server.policy.mode {
        PolicyMode::Enforce => "enforce",
        PolicyMode::AllowAll => "allow_all",
    }
}

/// The tool servers that are configured, and how they are.
#[utoipa::path(
    get, path = "/system/mcp-servers", tag = "system", operation_id = "mcp_servers",
    responses((status = 200, description = "Tool servers", body = Servers))
)]
async fn mcp_servers(State(app): State<AppState>) -> Result<Json<Servers>, Problem> {
    let known = entries::<McpServerStatus>(&app, &topology::MCP_STATUS).await;
    let unchecked = match &known {
        Some(_) => "it has not been checked yet",
        None => "its health cannot be read: the message bus is away",
    };
    let mut known: HashMap<String, McpServerStatus> =
        known.unwrap_or_default().into_iter().map(|status| (status.id.clone(), status)).collect();
    let catalog = app.catalog();
    let ids: Vec<String> = catalog.servers.keys().cloned().collect();
    let accepted = app.store.list_accepted_tools(&ids).await?;
    let servers = catalog.servers.iter().map(|(id, server)| {
        let accepted = accepted.get(id);
        let status = known.remove(id);
        let last_check = status.as_ref().map(|status| status.last_check);
        let (healthy, tools, error, not_configured) = match status {
            Some(status) => (status.healthy, status.tools, status.error, status.not_configured),
            None => (false, Vec::new(), Some(unchecked.to_owned()), false),
        };
        ServerView {
            id: id.clone(),
            healthy,
            last_check,
            tool_count: tools.len(),
            tools: tools.into_iter().map(|tool| view(tool, accepted)).collect(),
            error,
            not_configured,
            policy_mode: mode(server),
            accepted: accepted.is_some(),
        }
    });
    Ok(Json(Servers { servers: servers.collect() }))
}

/// The tools to accept, as they were shown.
#[derive(Debug, Deserialize, ToSchema)]
struct Acceptance {
    /// The definition of each tool, by its name, as the list of servers has it.
    tools: BTreeMap<String, String>,
}

/// The server that a path names.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct OfServer {
    pub(super) server: String,
}

/// Refuses a server that is not configured.
pub(super) fn configured(app: &AppState, server: &str) -> Result<(), Problem> {
    if app.catalog().servers.contains_key(server) {
        return Ok(());
    }
    Err(Problem::not_found(format!("no server `{server}` is configured")))
}

/// Accepts the tools of a server; replaces what was accepted before.
#[utoipa::path(
    post, path = "/system/mcp-servers/{server}/accept", tag = "system", operation_id = "accept_tools",
    params(("server" = String, Path, description = "The server's id")),
    request_body = Acceptance,
    responses(
        (status = 204, description = "They are accepted"),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
        (status = 404, description = "No such server", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.tools.accept", skip_all, fields(mcp.server = path.server))]
async fn accept(
    State(app): State<AppState>,
    principal: Principal,
    Path(path): Path<OfServer>,
    Json(body): Json<Value>,
) -> Result<StatusCode, Problem> {
    configured(&app, &path.server)?;
    let tools = read(body).map_err(|error| Problem::invalid(vec![error]))?;
    app.store.accept_tools(&path.server, &tools, &principal.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn read(body: Value) -> Result<Accepted, FieldError> {
    let wrong = |message: &str| Err(FieldError::new("tools", message));
    let Ok(Acceptance { tools }) = serde_json::from_value(body) else {
        return wrong("send an object with the definition of each tool, by its name");
    };
    if tools.is_empty() || tools.len() > MAX_TOOLS {
        return wrong("send 1 to 2000 tools");
    }
    let is_digest = |text: &String| {
        text.len() == DIGEST_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if !tools.values().all(is_digest) {
        return wrong("a definition is 64 hexadecimal digits, as the list of servers has it");
    }
    Ok(tools)
}
