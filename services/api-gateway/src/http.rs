//! The public HTTP API: routes, middleware, and their OpenAPI description.

mod actions;
mod alert_options;
mod alerts;
mod alias;
mod api_tokens;
mod approvals;
mod audit_entry;
mod audit_log;
mod availability;
mod changes;
mod chat;
mod claims;
mod commands;
mod connections;
mod dashboard;
mod deletion;
mod health;
mod intake;
mod list_query;
mod mattermost;
mod mcp;
mod me;
mod memories;
mod overview;
mod params;
mod permissions;
mod postmortem;
mod postmortem_prose;
mod prevention;
mod provider_test;
mod query_text;
mod received_alerts;
mod redactions;
mod replays;
mod reviews;
mod schedules;
mod scores;
mod search;
mod sessions;
mod shared_findings;
mod shared_responses;
mod sign_in;
mod sign_ins;
mod slack;
mod spellings;
mod system;
mod system_config;
mod system_reload;
mod system_state;
mod teams;
mod timeline;
mod tool_lists;
mod tool_server_test;
mod tool_servers;
mod topology;
mod trace;
mod triage;
mod unlock;
mod websocket;

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use tarsy_catalog::AccessMode;
use tarsy_domain::code::Code;
use tarsy_web::{
    AllowedHosts, BasePath, MAX_BODY, Origins, Problem, body_limit, cors, headers, host, origin,
    request,
};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa::OpenApi as _;
use utoipa::openapi::Server;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use utoipa_swagger_ui::{Config, SwaggerUi};

pub use self::permissions::{DeclaredRoute, Requirement, declared_routes};
pub(crate) use self::slack::start_socket;
use crate::state::AppState;

/// The most time that one request may take, reading its body included.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "TARSy",
        description = "Accepts alerts, has chains of agents investigate them, and shows every step.",
    ),
    tags(
        (name = "alerts", description = "Submission of alerts"),
        (name = "topology", description = "What depends on what"),
        (name = "changes", description = "What changed in the systems that alerts are about"),
        (name = "sessions", description = "Investigations"),
        (name = "chat", description = "Questions about a finished investigation"),
        (name = "schedules", description = "Investigations that begin by the calendar"),
        (name = "trace", description = "Calls of models and tools"),
        (name = "replay", description = "Records of investigations, their replays and comparisons"),
        (name = "system", description = "The system itself"),
        (name = "access", description = "Who may do what, and who did"),
    ),
)]
struct Description;

pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut description = api().into_openapi();
    shared_responses::add(&mut description);
    description
}

fn api() -> OpenApiRouter<AppState> {
    let base = OpenApiRouter::new()
        .merge(alerts::routes())
        .merge(intake::routes())
        .merge(received_alerts::routes())
        .merge(changes::routes())
        .merge(topology::routes())
        .merge(sessions::routes())
        .merge(deletion::routes())
        .merge(postmortem::routes())
        .merge(postmortem_prose::routes())
        .merge(prevention::routes())
        .merge(redactions::routes())
        .merge(search::routes())
        .merge(overview::routes())
        .merge(chat::routes())
        .merge(timeline::routes())
        .merge(claims::routes())
        .merge(trace::routes())
        .merge(replays::routes())
        .merge(system::routes())
        .merge(system_config::routes())
        .merge(system_reload::routes())
        .merge(system_state::routes())
        .merge(tool_servers::routes())
        .merge(tool_server_test::routes())
        .merge(provider_test::routes())
        .merge(connections::routes())
        .merge(me::routes())
        .merge(api_tokens::routes())
        .merge(actions::routes())
        .merge(approvals::routes())
        .merge(slack::routes())
        .merge(mattermost::routes())
        .merge(teams::routes())
        .merge(reviews::routes())
        .merge(scores::routes())
        .merge(memories::routes())
        .merge(triage::routes())
        .merge(schedules::routes())
        .merge(shared_findings::routes())
        .merge(audit_log::routes())
        .merge(sign_in::routes())
        .merge(sign_ins::routes())
        .merge(unlock::routes())
        .merge(alert_options::routes());
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", base)
        .routes(routes!(health::health))
}

/// The public router; fails if a route has no permission.
pub(crate) fn router(app: AppState, websockets: Option<Router>) -> anyhow::Result<Router> {
    let system = &app.catalog().system;
    let is_local = system.access.mode == AccessMode::Local;
    let origins = Origins::new(&system.dashboard_url, &system.allowed_ws_origins, is_local);
    let hosts = AllowedHosts::new(&system.dashboard_url, &system.access.allowed_hosts);
    let cross_origin = cors::layer(&system.dashboard_url, is_local);
    let (mut routes, mut description) = api().split_for_parts();
    permissions::check(&description)?;
    shared_responses::add(&mut description);
    if let Some(websockets) = websockets {
        routes = routes.merge(websockets.with_state(()));
    } else if app.settings.relay_url.is_some() {
        routes = routes.route(websocket::PATH, any(websocket::proxy));
    }
    let base = BasePath::of_url(&system.dashboard_url);
    if !base.is_root() {
        description.servers = Some(vec![Server::new(base.as_str())]);
    }
    let docs = SwaggerUi::new("/docs")
        .url("/openapi.json", description)
        .config(Config::new([format!("{}/openapi.json", base.as_str())]));
    let authorize = middleware::from_fn_with_state(app.clone(), permissions::authorize);
    let routes = routes
        // Only whoever may ask for the session learns who deleted it.
        .route_layer(middleware::from_fn_with_state(app.clone(), deletion::explain))
        .route_layer(authorize.clone());
    let within = routes
        .clone()
        .layer(body_limit(MAX_BODY))
        .layer(middleware::from_fn(request::observe))
        .with_state(app.clone());
    let routes = routes
        .merge(mcp::router(within, &app)?.route_layer(authorize))
        .layer(middleware::from_fn_with_state(app.clone(), alias::redirect))
        .layer(body_limit(MAX_BODY))
        .layer(middleware::from_fn(limit_time))
        .fallback(dashboard::serve)
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .with_state(app.clone())
        .merge(docs)
        .layer(middleware::from_fn_with_state(hosts, host::require_allowed));
    // Probes name the host as they like, often by an address.
    let probes = Router::new()
        .route("/livez", get(async || "alive"))
        .route("/readyz", get(health::ready))
        .with_state(app);
    let layered = routes
        .merge(probes)
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(origins, origin::require_allowed))
        .layer(cross_origin)
        .layer(middleware::from_fn(headers::add_security_headers))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(request::observe));
    Ok(base.serve(layered))
}

/// Answers with an error after [`REQUEST_TIMEOUT`].
async fn limit_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            Problem::new(Code::Timeout, "the request took too long; try again").into_response()
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer calls")]
fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    tracing::error!(panic = text, "a handler panicked");
    Problem::new(Code::Internal, "the request failed; the log has the cause under this trace_id")
        .into_response()
}
