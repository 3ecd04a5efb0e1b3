//! The public HTTP API: routes, middleware, and their OpenAPI description.

mod alert_options;
mod alerts;
mod alias;
mod chat;
mod dashboard;
mod health;
mod list_query;
mod params;
mod sessions;
mod system;
mod timeline;
mod trace;
mod websocket;

use std::any::Any;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use tarsy_domain::code::Code;
use tarsy_web::{MAX_BODY, Origins, Problem, cors, headers, origin, request};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use utoipa_swagger_ui::SwaggerUi;

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
        (name = "sessions", description = "Investigations"),
        (name = "chat", description = "Questions about a finished investigation"),
        (name = "trace", description = "Calls of models and tools"),
        (name = "system", description = "The system itself"),
    ),
)]
struct Description;

/// The OpenAPI description of the API.
pub fn openapi() -> utoipa::openapi::OpenApi {
    api().into_openapi()
}

fn api() -> OpenApiRouter<AppState> {
    let base = OpenApiRouter::new()
        .merge(alerts::routes())
        .merge(sessions::routes())
        .merge(chat::routes())
        .merge(timeline::routes())
        .merge(trace::routes())
        .merge(system::routes())
        .merge(alert_options::routes());
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", base)
        .routes(routes!(health::health))
}

pub(crate) fn router(app: AppState) -> Router {
    let system = &app.catalog.system;
    let origins = Origins::new(&system.dashboard_url, &system.allowed_ws_origins);
    let cross_origin = cors::layer(&system.dashboard_url);
    let (routes, description) = api().split_for_parts();
    let mut routes = routes
        .layer(middleware::from_fn_with_state(app.clone(), alias::redirect))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn(limit_time))
        .route("/livez", get(async || "alive"))
        .route("/readyz", get(health::ready))
        .fallback(dashboard::serve)
        .method_not_allowed_fallback(async || Problem::method_not_allowed());
    if app.relay.is_some() {
        routes = routes.route("/api/v1/ws", any(websocket::proxy));
    }
    let docs = SwaggerUi::new("/docs").url("/openapi.json", description);
    routes
        .with_state(app)
        .merge(docs)
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(origins, origin::require_allowed))
        .layer(cross_origin)
        .layer(middleware::from_fn(headers::add_security_headers))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn(request::observe))
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
