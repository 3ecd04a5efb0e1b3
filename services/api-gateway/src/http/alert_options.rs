//! What an alert may say: its type, its tools, its runbook, and examples of one.

use axum::extract::State;
use serde::Serialize;
use tarsy_catalog::{NativeTool, NativeTools};
use tarsy_web::{FieldError, Json, Problem, Query};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access::Principal;
use crate::http::availability::ServerChecks;
use crate::http::params::OfType;
use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(default_tools))
        .routes(routes!(alert_types))
        .routes(routes!(example_alerts))
        .routes(routes!(runbooks))
}

/// The tools that an alert gets unless it requests others, and those that it may request.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the names of the wire")]
struct Tools {
    alert_type: String,
    /// The servers, in the order of first use.
    mcp_servers: Vec<String>,
    /// The model provider's own tools.
    native_tools: NativeToolsView,
    /// The servers that an alert of this sender may request instead.
    allowed_mcp_servers: Vec<String>,
    /// The model provider's own tools that an alert of this sender may turn on.
    #[schema(example = json!(["google_search"]))]
    allowed_native_tools: Vec<&'static str>,
    /// The providers that an alert may choose: those that the chain allows and that can be called.
    allowed_providers: Vec<String>,
}

/// The model provider's own tools.
#[derive(Debug, Serialize, ToSchema)]
struct NativeToolsView {
    google_search: bool,
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

/// The tools that an alert of some type gets unless it requests others, and those that it may request.
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
    principal: Principal,
    Query(query): Query<OfType>,
) -> Result<Json<Tools>, Problem> {
    let wanted = query.alert_type.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let tools = app.catalog().default_tools(wanted, principal.sender()).map_err(|error| {
        let (field, text) = (error.field(), error.to_string());
        let message = text.strip_prefix(&format!("{field}: ")).unwrap_or(&text);
        Problem::invalid(vec![FieldError::new(field, message)])
    })?;
    Ok(Json(Tools {
        alert_type: tools.alert_type,
        mcp_servers: tools.mcp_servers,
        native_tools: tools.native_tools.into(),
        allowed_mcp_servers: tools.allowed.mcp_servers,
        allowed_native_tools: tools
            .allowed
            .native_tools
            .into_iter()
            .map(NativeTool::as_str)
            .collect(),
        allowed_providers: tools.allowed.providers,
    }))
}

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
    r#type: String,
    chain_id: String,
    /// What the chain is good for.
    description: String,
    /// Why its alerts cannot be investigated with tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// The alert types and the chains that serve them.
#[utoipa::path(
    get, path = "/alert-types", tag = "alerts", operation_id = "alert_types",
    responses((status = 200, description = "Alert types", body = AlertTypes))
)]
async fn alert_types(State(app): State<AppState>) -> Json<AlertTypes> {
    let checks = ServerChecks::read(&app).await;
    let known = app.catalog().alert_types().into_iter().map(|known| AlertTypeView {
        problem: checks.problem(&app, &known.alert_type),
        r#type: known.alert_type,
        chain_id: known.chain_id,
        description: known.description,
    });
    Json(AlertTypes {
        alert_types: known.collect(),
        default_chain_id: app.catalog().default_chain_id().to_owned(),
        default_alert_type: app.catalog().default_alert_type().to_owned(),
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
    name: &'static str,
    /// A title for people.
    title: &'static str,
    description: &'static str,
    alert_type: &'static str,
    /// The alert's text.
    data: &'static str,
    /// Why it cannot be investigated with tools here.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Alerts to try TARSy with.
#[utoipa::path(
    get, path = "/example-alerts", tag = "alerts", operation_id = "example_alerts",
    responses((status = 200, description = "Examples", body = Examples))
)]
async fn example_alerts(State(app): State<AppState>) -> Json<Examples> {
    let checks = ServerChecks::read(&app).await;
    let examples = tarsy_catalog::examples().iter().map(|example| ExampleView {
        name: example.name,
        title: example.title,
        description: example.description,
        alert_type: example.alert_type,
        data: example.data,
        problem: checks.problem(&app, example.alert_type),
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
