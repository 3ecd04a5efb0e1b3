//! The public HTTP surface: routes, layers, and the description of both.

mod alerts;
mod chat;
mod dashboard;
pub(crate) mod health;
mod list_query;
mod params;
mod sessions;
mod sessions_views;
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
use tarsy_web::{Origins, Problem, cors, headers, origin, request};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use utoipa_swagger_ui::SwaggerUi;

use crate::app::App;

/// The most bytes that a request's body may have.
const MAX_BODY: usize = 2 * 1024 * 1024;
/// How long one request may take, reading its body included.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "TARSy",
        description = "Takes in alerts, has chains of agents investigate them, and shows every step.",
    ),
    tags(
        (name = "alerts", description = "Alerts in"),
        (name = "sessions", description = "Investigations"),
        (name = "chat", description = "Questions about an investigation that is over"),
        (name = "trace", description = "What models and tools were asked, and answered"),
        (name = "system", description = "The system itself"),
    ),
)]
struct Description;

/// The description of the API, in OpenAPI's words.
pub fn openapi() -> utoipa::openapi::OpenApi {
    api().into_openapi()
}

fn api() -> OpenApiRouter<App> {
    let base = OpenApiRouter::new()
        .merge(alerts::routes())
        .merge(sessions::routes())
        .merge(chat::routes())
        .merge(timeline::routes())
        .merge(trace::routes())
        .merge(system::routes());
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", base)
        .routes(routes!(health::health))
}

pub(crate) fn router(app: App) -> Router {
    let system = &app.catalog.system;
    let origins = Origins::new(&system.dashboard_url, &system.allowed_ws_origins);
    let cross_origin = cors::layer(&system.dashboard_url);
    let (routes, description) = api().split_for_parts();
    let mut routes = routes
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn(within_patience))
        .route("/livez", get(async || "alive"))
        .route("/readyz", get(health::ready))
        .fallback(dashboard::serve)
        .method_not_allowed_fallback(async || Problem::method_not_allowed());
    if app.relay.is_some() {
        routes = routes.route("/api/v1/ws", any(websocket::pass_on));
    }
    let docs = SwaggerUi::new("/docs").url("/openapi.json", description);
    routes
        .with_state(app)
        .merge(docs)
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(origins, origin::require_allowed))
        .layer(cross_origin)
        .layer(middleware::from_fn(headers::add_security_headers))
        .layer(CatchPanicLayer::custom(broken))
        .layer(middleware::from_fn(request::observe))
}

/// Answers in time, or says that it could not.
async fn within_patience(request: Request, next: Next) -> Response {
    match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            Problem::new(Code::Timeout, "the request took too long; try again").into_response()
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn broken(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    tracing::error!(panic = text, "a handler broke");
    Problem::new(
        Code::Internal,
        "the request could not be done; the log has the cause under this trace_id",
    )
    .into_response()
}
