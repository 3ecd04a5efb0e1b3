//! How PostgreSQL, the queue and NATS are.

use axum::extract::State;
use serde::Serialize;
use tarsy_contracts::system::{DatabaseState, QueueState, StreamState};
use tarsy_web::Json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(state))
}

/// How the parts are that every service needs. A part that cannot be reached is null.
#[derive(Debug, Serialize, ToSchema)]
struct SystemState {
    /// PostgreSQL.
    database: Option<DatabaseState>,
    /// The queue of sessions, which is in PostgreSQL.
    queue: Option<QueueState>,
    /// The streams of NATS.
    streams: Option<Vec<StreamState>>,
}

/// PostgreSQL, the queue with its leases, and the streams of NATS with the lag of their consumers.
#[utoipa::path(
    get, path = "/system/state", tag = "system", operation_id = "system_state",
    responses((status = 200, description = "The state of each part", body = SystemState))
)]
#[tracing::instrument(name = "http.system.state", skip_all)]
async fn state(State(app): State<AppState>) -> Json<SystemState> {
    let (database, queue, streams) =
        tokio::join!(app.store.find_database_state(), app.store.find_queue_state(), streams(&app));
    Json(SystemState {
        database: known("the database", database),
        queue: known("the queue", queue),
        streams,
    })
}

async fn streams(app: &AppState) -> Option<Vec<StreamState>> {
    if !app.bus.is_connected() {
        return None;
    }
    known("the streams", Box::pin(app.bus.stream_states()).await)
}

fn known<T, E: std::error::Error + 'static>(what: &str, found: Result<T, E>) -> Option<T> {
    found
        .inspect_err(|error| {
            let error = tarsy_telemetry::chain(error).to_string();
            tracing::warn!(what, error, "a part of the system could not be read");
        })
        .ok()
}
