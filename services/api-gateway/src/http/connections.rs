//! Connects a system: the lines of `tarsy.yaml` for it, and a trial of an address before they are written.

use std::collections::BTreeMap;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_catalog::{
    Connection, ConnectionFault, ConnectionField, ConnectionKind, connection, connection_kinds,
    server_at,
};
use tarsy_contracts::mcp::{Tool, TrialRequest};
use tarsy_contracts::subject;
use tarsy_web::{FieldError, Json, Problem};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::tool_lists::{Listed, TIMEOUT_MS, list};
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(kinds)).routes(routes!(lines)).routes(routes!(try_address))
}

/// What can be connected.
#[derive(Debug, Serialize, ToSchema)]
struct Kinds {
    /// One entry for each kind of system.
    kinds: Vec<KindView>,
}

#[derive(Debug, Serialize, ToSchema)]
struct KindView {
    /// Send it as `kind`.
    name: &'static str,
    /// A title for people.
    title: &'static str,
    /// What agents can do with it.
    description: &'static str,
    /// What the machine of the tool gateway needs; empty for nothing.
    requires: &'static str,
    /// What is filled in.
    fields: Vec<FieldView>,
    /// Whether its address can be tried before it is configured.
    can_be_tried: bool,
}

/// A value to fill in.
#[derive(Debug, Serialize, ToSchema)]
struct FieldView {
    /// Its key in `fields`.
    name: &'static str,
    /// A label for people.
    label: &'static str,
    /// What to write.
    help: &'static str,
    /// What it is if it is not sent.
    default: &'static str,
    /// Whether it may not be empty.
    required: bool,
}

impl From<&ConnectionKind> for KindView {
    fn from(kind: &ConnectionKind) -> Self {
        let field = |field: &ConnectionField| FieldView {
            name: field.name,
            label: field.label,
            help: field.help,
            default: field.default,
            required: field.required,
        };
        Self {
            name: kind.name,
            title: kind.title,
            description: kind.description,
            requires: kind.requires,
            fields: kind.fields.iter().map(field).collect(),
            can_be_tried: kind.can_be_tried,
        }
    }
}

/// The systems that can be connected, and what is filled in for each.
#[utoipa::path(
    get, path = "/system/connections", tag = "system", operation_id = "connection_kinds",
    responses((status = 200, description = "What can be connected", body = Kinds))
)]
async fn kinds() -> Json<Kinds> {
    Json(Kinds { kinds: connection_kinds().iter().map(KindView::from).collect() })
}

/// A system to connect.
#[derive(Debug, Deserialize, ToSchema)]
struct Wanted {
    /// A kind of `GET /system/connections`.
    kind: String,
    /// Its values; what is absent has its default. Secrets are names of environment variables.
    #[serde(default)]
    fields: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct Lines {
    /// The id of its tool server.
    server: String,
    /// The lines for `tarsy.yaml`.
    yaml: String,
    /// The environment variables that the tool gateway needs.
    variables: Vec<String>,
    /// Whether the configuration has a tool server of this id: the lines replace it.
    replaces: bool,
}

/// The lines of `tarsy.yaml` for a system. Nothing is written, stored or connected to.
#[utoipa::path(
    post, path = "/system/connections", tag = "system", operation_id = "connection_lines",
    request_body = Wanted,
    responses(
        (status = 200, description = "The lines", body = Lines),
        (status = 400, description = "A bad value", body = Problem,
         content_type = "application/problem+json"),
    )
)]
async fn lines(
    State(app): State<AppState>,
    Json(body): Json<Value>,
) -> Result<Json<Lines>, Problem> {
    let Wanted { kind, fields } = read(body, "send an object with `kind` and `fields`")?;
    let Connection { server, yaml, variables, chain } =
        connection(&kind, &fields).map_err(|faults| invalid(&faults))?;
    let catalog = app.catalog();
    let alert_type = fields.get("alert_type").map(|text| text.trim()).unwrap_or_default();
    let taken = catalog.chains.iter().find(|(id, other)| {
        Some(*id) != chain.as_ref() && other.alert_types.iter().any(|one| one == alert_type)
    });
    if let Some((id, _)) = taken.filter(|_| chain.is_some()) {
        let message = format!(
            "belongs to the chain {id}; leave it empty, and add {server} to mcp_servers of that chain"
        );
        return Err(Problem::invalid(vec![FieldError::new("alert_type", message)]));
    }
    let replaces = catalog.servers.contains_key(&server);
    Ok(Json(Lines { server, yaml, variables, replaces }))
}

/// An address to try.
#[derive(Debug, Deserialize, ToSchema)]
struct Trial {
    /// The address of an MCP server that answers streamable HTTP.
    url: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct Tried {
    /// Whether the server listed its tools.
    reachable: bool,
    tools: Vec<TriedTool>,
    /// Why it is not reachable.
    error: Option<String>,
    /// How long it took, in milliseconds.
    duration_ms: u64,
}

/// A tool of a server that is not configured.
#[derive(Debug, Serialize, ToSchema)]
struct TriedTool {
    name: String,
    /// What it does.
    description: String,
    /// `read_only`, `write` or `unknown`, before anything is configured or accepted.
    class: &'static str,
}

impl From<Tool> for TriedTool {
    fn from(tool: Tool) -> Self {
        let class = tool.terms.class.as_str();
        Self { name: tool.name, description: tool.description, class }
    }
}

/// Connects to an address that is not configured and lists its tools; it gets no credentials, and nothing is called. Addresses
/// that are link-local or metadata services are refused. At most 20 s.
#[utoipa::path(
    post, path = "/system/connections/trial", tag = "system", operation_id = "try_address",
    request_body = Trial,
    responses(
        (status = 200, description = "What came of it", body = Tried),
        (status = 400, description = "A bad address", body = Problem,
         content_type = "application/problem+json"),
        (status = 503, description = "No tool gateway answers", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.connections.try", skip_all)]
async fn try_address(
    State(app): State<AppState>,
    Json(body): Json<Value>,
) -> Result<Json<Tried>, Problem> {
    let Trial { url } = read(body, "send an object with `url`")?;
    let url = url.trim().to_owned();
    server_at(&url).map_err(|faults| invalid(&faults))?;
    // It has neither a user name nor a query.
    tracing::info!(url, "connects to an address that is not configured");
    let wanted = TrialRequest { url, timeout_ms: TIMEOUT_MS };
    let Listed { tools, error, duration_ms } =
        list(&app, subject::MCP_TRIAL, &wanted, "the address could not be tried").await?;
    let tools = tools.into_iter().map(TriedTool::from).collect();
    Ok(Json(Tried { reachable: error.is_none(), tools, error, duration_ms }))
}

fn read<T: serde::de::DeserializeOwned>(body: Value, expected: &str) -> Result<T, Problem> {
    serde_json::from_value(body)
        .map_err(|_| Problem::invalid(vec![FieldError::new("body", expected)]))
}

fn invalid(faults: &[ConnectionFault]) -> Problem {
    let error = |fault: &ConnectionFault| FieldError::new(&fault.field, &fault.message);
    Problem::invalid(faults.iter().map(error).collect())
}
