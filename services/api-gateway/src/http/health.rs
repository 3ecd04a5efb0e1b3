//! The health and readiness of this process.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde::Serialize;
use tarsy_web::Json;
use utoipa::ToSchema;

use crate::state::AppState;
use crate::workers::WorkerState;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HealthStatus {
    Healthy,
    /// It works without some of its functions.
    Degraded,
    Unhealthy,
    /// It cannot be determined.
    Unknown,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Check {
    status: HealthStatus,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Checks {
    /// PostgreSQL.
    database: Check,
    /// The orchestrators; unhealthy if none of them can run sessions.
    worker_pool: Check,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// The health of the system as a whole.
    status: HealthStatus,
    version: &'static str,
    checks: Checks,
}

/// The health of the system, for people and load balancers; no internals.
#[utoipa::path(
    get,
    path = "/health",
    tag = "system",
    operation_id = "health",
    responses(
        (status = 200, description = "It works, at least in part", body = Health),
        (status = 503, description = "It does not work", body = Health),
    )
)]
pub(super) async fn health(State(app): State<AppState>) -> Response {
    let database =
        if app.database_is_up() { HealthStatus::Healthy } else { HealthStatus::Unhealthy };
    let workers = match app.workers.state(&app.bus).await {
        WorkerState::Present => HealthStatus::Healthy,
        WorkerState::Absent => HealthStatus::Unhealthy,
        WorkerState::Unknown => HealthStatus::Unknown,
    };
    let status = match (database, workers, app.bus.is_connected()) {
        (HealthStatus::Unhealthy, ..) => HealthStatus::Unhealthy,
        (_, HealthStatus::Unhealthy, _) | (.., false) => HealthStatus::Degraded,
        (.., true) => HealthStatus::Healthy,
    };
    let code = if status == HealthStatus::Unhealthy {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::OK
    };
    let checks =
        Checks { database: Check { status: database }, worker_pool: Check { status: workers } };
    (code, Json(Health { status, version: tarsy_service::VERSION, checks })).into_response()
}

/// Whether this process can serve requests; it can without NATS.
pub(super) async fn ready(State(app): State<AppState>) -> (StatusCode, &'static str) {
    if app.health.ready() && !app.stopping.is_cancelled() {
        (StatusCode::OK, "ready")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    }
}
