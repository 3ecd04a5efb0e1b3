//! How PostgreSQL, the queue, NATS and the models are.

use std::time::Duration;

use axum::extract::State;
use jiff::Timestamp;
use tarsy_contracts::system::{BusState, LlmServiceState, StreamState, SystemState};
use tarsy_domain::clock::Clock;
use tarsy_web::Json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(state))
}

/// PostgreSQL, the queue with its leases, the streams of NATS with the lag of their consumers, llm-service, and the latest calls
/// of each provider.
#[utoipa::path(
    get, path = "/system/state", tag = "system", operation_id = "system_state",
    responses((status = 200, description = "The state of each part", body = SystemState))
)]
#[tracing::instrument(name = "http.system.state", skip_all)]
async fn state(State(app): State<AppState>) -> Json<SystemState> {
    let (database, queue, providers, (bus, streams)) = tokio::join!(
        app.store.find_database_state(),
        app.store.find_queue_state(),
        app.store.list_provider_calls(),
        nats(&app)
    );
    Json(SystemState {
        database: known("the database", database),
        queue: known("the queue", queue),
        bus,
        streams,
        llm_service: app.configuration.llm_service().map(|report| LlmServiceState {
            replicas: report.replicas,
            connected_replicas: report.connected_replicas,
            answered_at: report.answered.and_then(|ago| before(&*app.clock, ago)),
            problem: report.problem,
        }),
        providers: known("the calls of providers", providers),
    })
}

fn before(clock: &dyn Clock, ago: Duration) -> Option<Timestamp> {
    clock.now().checked_sub(ago).ok()
}

async fn nats(app: &AppState) -> (Option<BusState>, Option<Vec<StreamState>>) {
    if !app.bus.is_connected() {
        return (None, None);
    }
    let (bus, streams) = tokio::join!(app.bus.state(), Box::pin(app.bus.stream_states()));
    (known("JetStream", bus), known("the streams", streams))
}

fn known<T, E: std::error::Error + 'static>(what: &str, found: Result<T, E>) -> Option<T> {
    found
        .inspect_err(|error| {
            let error = tarsy_telemetry::chain(error).to_string();
            tracing::warn!(what, error, "a part of the system could not be read");
        })
        .ok()
}
