//! The system itself: what it is set up with, and how its parts are.

use std::collections::HashMap;

use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use tarsy_catalog::{LlmInfo, NativeTools};
use tarsy_contracts::status::{Instance, McpServerStatus, Warning};
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tarsy_web::{FieldError, Json, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::params::OfType;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(info))
        .routes(routes!(warnings))
        .routes(routes!(mcp_servers))
        .routes(routes!(services))
        .routes(routes!(default_tools))
        .routes(routes!(alert_types))
        .routes(routes!(example_alerts))
        .routes(routes!(runbooks))
}

/// What runs.
#[derive(Debug, Serialize, ToSchema)]
struct Info {
    /// The version.
    version: &'static str,
    /// The model that answers.
    llm: LlmView,
}

/// The model that answers where a chain names none.
#[derive(Debug, Serialize, ToSchema)]
struct LlmView {
    /// The provider's name.
    provider: String,
    /// The model.
    model: String,
    /// What calls it.
    backend: &'static str,
    /// Whether it is the offline analyst, which is rules and not a model.
    offline: bool,
    /// What runs, and when offline what to set, in words for people.
    message: String,
}

impl From<LlmInfo> for LlmView {
    fn from(info: LlmInfo) -> Self {
        Self {
            provider: info.provider,
            model: info.model,
            backend: info.backend.as_str(),
            offline: info.offline,
            message: info.message,
        }
    }
}

/// The version and the model that answers.
#[utoipa::path(
    get, path = "/system/info", tag = "system", operation_id = "system_info",
    responses((status = 200, description = "What runs", body = Info))
)]
async fn info(State(app): State<AppState>) -> Json<Info> {
    let llm = app.catalog.llm_info().into();
    Json(Info { version: env!("CARGO_PKG_VERSION"), llm })
}

/// What an operator should know.
#[derive(Debug, Serialize, ToSchema)]
struct Warnings {
    /// One entry for each.
    warnings: Vec<WarningView>,
}

/// Something an operator should know.
#[derive(Debug, Serialize, ToSchema)]
struct WarningView {
    /// Its name.
    id: String,
    /// What it is about.
    category: String,
    /// One sentence.
    message: String,
    /// More.
    details: String,
    /// The server it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_id: Option<String>,
    /// Since when.
    created_at: Timestamp,
}

impl From<Warning> for WarningView {
    fn from(warning: Warning) -> Self {
        Self {
            id: warning.id,
            category: warning.category,
            message: warning.message,
            details: warning.details,
            server_id: warning.server_id,
            created_at: warning.created_at,
        }
    }
}

fn bus_is_away(clock: &dyn Clock) -> WarningView {
    WarningView {
        id: "bus.unavailable".to_owned(),
        category: "bus".to_owned(),
        message: "The message bus (NATS) cannot be reached".to_owned(),
        details: "Alerts are still taken in. Live views are late, and what was known of tool \
                  servers cannot be shown, until it is back."
            .to_owned(),
        server_id: None,
        created_at: clock.now(),
    }
}

/// What an operator should know right now.
#[utoipa::path(
    get, path = "/system/warnings", tag = "system", operation_id = "system_warnings",
    responses((status = 200, description = "Warnings", body = Warnings))
)]
async fn warnings(State(app): State<AppState>) -> Json<Warnings> {
    let known = entries::<Warning>(&app, &topology::WARNINGS).await;
    let mut warnings: Vec<WarningView> = match known {
        Some(known) => known.into_iter().map(Into::into).collect(),
        None => vec![bus_is_away(&*app.clock)],
    };
    warnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Json(Warnings { warnings })
}

/// The tool servers.
#[derive(Debug, Serialize, ToSchema)]
struct Servers {
    /// One entry for each that is configured.
    servers: Vec<ServerView>,
}

/// A tool server and how it is.
#[derive(Debug, Serialize, ToSchema)]
struct ServerView {
    /// Its id.
    id: String,
    /// Whether it answered the last check.
    healthy: bool,
    /// When it was checked.
    last_check: Option<Timestamp>,
    /// How many tools it has.
    tool_count: usize,
    /// Its tools.
    tools: Vec<ToolView>,
    /// Why it is not healthy.
    error: Option<String>,
}

/// A tool in a list for people.
#[derive(Debug, Serialize, ToSchema)]
struct ToolView {
    /// Its name.
    name: String,
    /// What it does.
    description: String,
    /// JSON Schema of its arguments; absent if the server's schemas are too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<serde_json::Value>,
    /// What the server says of it.
    annotations: AnnotationsView,
}

/// What a server says of a tool: a hint, nothing more.
#[derive(Debug, Serialize, ToSchema)]
struct AnnotationsView {
    /// It changes nothing.
    read_only: bool,
    /// Calling it twice is as calling it once.
    idempotent: bool,
}

impl From<McpServerStatus> for ServerView {
    fn from(status: McpServerStatus) -> Self {
        let view = |tool: tarsy_contracts::status::ToolBrief| ToolView {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
            annotations: AnnotationsView { read_only: tool.read_only, idempotent: tool.idempotent },
        };
        Self {
            id: status.id,
            healthy: status.healthy,
            last_check: Some(status.last_check),
            tool_count: status.tools.len(),
            tools: status.tools.into_iter().map(view).collect(),
            error: status.error,
        }
    }
}

/// The tool servers that are configured, and how they are.
#[utoipa::path(
    get, path = "/system/mcp-servers", tag = "system", operation_id = "mcp_servers",
    responses((status = 200, description = "Tool servers", body = Servers))
)]
async fn mcp_servers(State(app): State<AppState>) -> Json<Servers> {
    let known = entries::<McpServerStatus>(&app, &topology::MCP_STATUS).await;
    let unchecked = match &known {
        Some(_) => "it has not been checked yet",
        None => "its health cannot be read: the message bus is away",
    };
    let mut known: HashMap<String, McpServerStatus> =
        known.unwrap_or_default().into_iter().map(|status| (status.id.clone(), status)).collect();
    let servers = app.catalog.servers.keys().map(|id| match known.remove(id) {
        Some(status) => status.into(),
        None => ServerView {
            id: id.clone(),
            healthy: false,
            last_check: None,
            tool_count: 0,
            tools: Vec::new(),
            error: Some(unchecked.to_owned()),
        },
    });
    Json(Servers { servers: servers.collect() })
}

/// The services that run.
#[derive(Debug, Serialize, ToSchema)]
struct Services {
    /// One entry for each process.
    services: Vec<ServiceView>,
}

/// A process that runs.
#[derive(Debug, Serialize, ToSchema)]
struct ServiceView {
    /// Which service it is.
    service: String,
    /// Its name among its kind.
    instance: String,
    /// The version that it runs.
    version: String,
    /// The fingerprint of the configuration that it loaded; empty if it reads none.
    config_hash: String,
    /// How much it can take; zero if that does not apply.
    capacity: u32,
    /// How much it has taken.
    load: u32,
    /// When it said so.
    seen_at: Timestamp,
}

/// The processes that told lately that they run; llm-service does not tell.
#[utoipa::path(
    get, path = "/system/services", tag = "system", operation_id = "services",
    responses((status = 200, description = "Services", body = Services))
)]
async fn services(State(app): State<AppState>) -> Json<Services> {
    let known = entries::<Instance>(&app, &topology::INSTANCES).await.unwrap_or_default();
    let mut services: Vec<ServiceView> = known
        .into_iter()
        .map(|one| ServiceView {
            service: one.service,
            instance: one.instance,
            version: one.version,
            config_hash: one.config_hash,
            capacity: one.capacity,
            load: one.load,
            seen_at: one.seen_at,
        })
        .collect();
    services.sort_by(|a, b| (&a.service, &a.instance).cmp(&(&b.service, &b.instance)));
    Json(Services { services })
}

/// Everything in a bucket; nothing when the bus cannot tell.
async fn entries<T: serde::de::DeserializeOwned>(
    app: &AppState,
    bucket: &topology::Bucket,
) -> Option<Vec<T>> {
    if !app.bus.is_connected() {
        return None;
    }
    match app.bus.kv(bucket).entries().await {
        Ok(entries) => Some(entries),
        Err(error) => {
            let error = tarsy_telemetry::chain(&error).to_string();
            tracing::warn!(bucket = bucket.name, error, "a bucket could not be read");
            None
        }
    }
}

/// The tools that an alert gets unless it wishes otherwise.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the wire")]
struct Tools {
    /// The alert type.
    alert_type: String,
    /// The servers, in the order of first use.
    mcp_servers: Vec<String>,
    /// The model provider's own tools.
    native_tools: NativeToolsView,
}

/// The model provider's own tools.
#[derive(Debug, Serialize, ToSchema)]
struct NativeToolsView {
    /// Search with Google.
    google_search: bool,
    /// Run code.
    code_execution: bool,
    /// Read pages by their address.
    url_context: bool,
}

impl From<NativeTools> for NativeToolsView {
    fn from(tools: NativeTools) -> Self {
        Self {
            google_search: tools.google_search,
            code_execution: tools.code_execution,
            url_context: tools.url_context,
        }
    }
}

/// The tools that an alert of some type gets unless it wishes otherwise.
#[utoipa::path(
    get, path = "/system/default-tools", tag = "system", operation_id = "default_tools",
    params(OfType),
    responses(
        (status = 200, description = "Tools", body = Tools),
        (status = 400, description = "Unknown alert type", body = Problem,
         content_type = "application/problem+json"),
    )
)]
async fn default_tools(
    State(app): State<AppState>,
    Query(query): Query<OfType>,
) -> Result<Json<Tools>, Problem> {
    let wanted = query.alert_type.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let tools = app.catalog.default_tools(wanted).map_err(|error| {
        let (field, text) = (error.field(), error.to_string());
        let message = text.strip_prefix(&format!("{field}: ")).unwrap_or(&text);
        Problem::invalid(vec![FieldError::new(field, message)])
    })?;
    Ok(Json(Tools {
        alert_type: tools.alert_type,
        mcp_servers: tools.mcp_servers,
        native_tools: tools.native_tools.into(),
    }))
}

/// The alert types.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the wire")]
struct AlertTypes {
    /// One entry for each.
    alert_types: Vec<AlertTypeView>,
    /// The chain of an alert that names no type.
    default_chain_id: String,
    /// The type of an alert that names none.
    default_alert_type: String,
}

/// An alert type and the chain that serves it.
#[derive(Debug, Serialize, ToSchema)]
struct AlertTypeView {
    /// The alert type.
    r#type: String,
    /// The chain that serves it.
    chain_id: String,
    /// What the chain is good for.
    description: String,
}

/// The alert types and the chains that serve them.
#[utoipa::path(
    get, path = "/alert-types", tag = "alerts", operation_id = "alert_types",
    responses((status = 200, description = "Alert types", body = AlertTypes))
)]
async fn alert_types(State(app): State<AppState>) -> Json<AlertTypes> {
    let known = app.catalog.alert_types().into_iter().map(|known| AlertTypeView {
        r#type: known.alert_type,
        chain_id: known.chain_id,
        description: known.description,
    });
    Json(AlertTypes {
        alert_types: known.collect(),
        default_chain_id: app.catalog.default_chain_id().to_owned(),
        default_alert_type: app.catalog.default_alert_type().to_owned(),
    })
}

/// Alerts to try TARSy with.
#[derive(Debug, Serialize, ToSchema)]
struct Examples {
    /// One entry for each.
    examples: Vec<ExampleView>,
}

/// An alert to try TARSy with.
#[derive(Debug, Serialize, ToSchema)]
struct ExampleView {
    /// Its short name.
    name: &'static str,
    /// A title for people.
    title: &'static str,
    /// What it shows.
    description: &'static str,
    /// The alert type.
    alert_type: &'static str,
    /// The alert's text.
    data: &'static str,
}

/// Alerts to try TARSy with.
#[utoipa::path(
    get, path = "/example-alerts", tag = "alerts", operation_id = "example_alerts",
    responses((status = 200, description = "Examples", body = Examples))
)]
async fn example_alerts() -> Json<Examples> {
    let examples = tarsy_catalog::examples().iter().map(|example| ExampleView {
        name: example.name,
        title: example.title,
        description: example.description,
        alert_type: example.alert_type,
        data: example.data,
    });
    Json(Examples { examples: examples.collect() })
}

/// The addresses of the runbooks in the configured folders, for an alert's `runbook`. What cannot be
/// listed is left out.
#[utoipa::path(
    get, path = "/runbooks", tag = "alerts", operation_id = "runbooks",
    responses((status = 200, description = "Addresses", body = Vec<String>))
)]
async fn runbooks(State(app): State<AppState>) -> Json<Vec<String>> {
    Json(app.runbooks.list().await)
}
