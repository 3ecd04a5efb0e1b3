//! How this process, and what it needs, is.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde::Serialize;
use tarsy_contracts::status::Instance;
use tarsy_contracts::topology;
use tarsy_web::Json;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::app::App;

/// How long the answer about workers is reused.
const WORKERS_FOR: Duration = Duration::from_secs(15);

/// How well the system is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wellness {
    /// It works.
    Healthy,
    /// It works in part.
    Degraded,
    /// It does not work.
    Unhealthy,
    /// Nobody can tell.
    Unknown,
}

/// How one part is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Check {
    /// How it is.
    status: Wellness,
}

/// How the parts are.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Checks {
    /// The database.
    database: Check,
    /// The workers that investigate.
    worker_pool: Check,
}

/// How the system is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// How it is as a whole.
    status: Wellness,
    /// The version that runs.
    version: &'static str,
    /// How its parts are.
    checks: Checks,
}

/// Whether workers were seen, and when that was looked at.
#[derive(Debug, Default)]
pub(crate) struct Workers(Mutex<Option<(Instant, Wellness)>>);

impl Workers {
    async fn status(&self, app: &App) -> Wellness {
        let mut known = self.0.lock().await;
        if let Some((since, status)) = *known
            && since.elapsed() < WORKERS_FOR
        {
            return status;
        }
        let status = look(app).await;
        *known = Some((Instant::now(), status));
        status
    }
}

async fn look(app: &App) -> Wellness {
    if !app.bus.is_connected() {
        return Wellness::Unknown;
    }
    match app.bus.kv(&topology::INSTANCES).entries::<Instance>().await {
        Ok(seen) if seen.iter().any(|instance| instance.service == "orchestrator") => {
            Wellness::Healthy
        }
        Ok(_) | Err(_) => Wellness::Unknown,
    }
}

/// How the system is, for people and load balancers; no internals.
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
pub(super) async fn health(State(app): State<App>) -> Response {
    let database = if app.database_is_up() { Wellness::Healthy } else { Wellness::Unhealthy };
    let workers = app.workers.status(&app).await;
    let status = match (database, app.bus.is_connected()) {
        (Wellness::Unhealthy, _) => Wellness::Unhealthy,
        (_, false) => Wellness::Degraded,
        (_, true) => Wellness::Healthy,
    };
    let code = if status == Wellness::Unhealthy {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::OK
    };
    let checks =
        Checks { database: Check { status: database }, worker_pool: Check { status: workers } };
    (code, Json(Health { status, version: env!("CARGO_PKG_VERSION"), checks })).into_response()
}

/// Whether this process can do its work; without the bus it can, a little worse.
pub(super) async fn ready(State(app): State<App>) -> (StatusCode, &'static str) {
    if app.health.ready() && !app.stopping.is_cancelled() {
        (StatusCode::OK, "ready")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready")
    }
}
