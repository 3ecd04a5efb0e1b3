//! Looks for heartbeats that stay away, of the sources that say how long they may.

use std::time::Duration;

use tarsy_intake::Group;
use tarsy_service::ServiceContext;
use tokio::time::Instant;

use super::store_group;
use crate::state::AppState;

const INTERVAL: Duration = Duration::from_secs(1);

/// Starts the task; it runs until the service stops. Instances may find the same stop: it is the same alert.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (app, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("gateway.heartbeats", async move {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // What came while nothing could be stored was not seen.
        let mut listens_since = Instant::now();
        loop {
            tokio::select! {
                _ = tick.tick() => {}
                () = stopping.cancelled() => return,
            }
            if !app.database_is_up() {
                listens_since = Instant::now();
            } else if let Err(error) = Box::pin(look(&app, listens_since.elapsed())).await {
                tracing::warn!(error, "heartbeats could not be looked at");
            }
        }
    });
}

/// Looks at the sources for whose heartbeats this process has listened long enough.
async fn look(app: &AppState, listened: Duration) -> Result<(), String> {
    let catalog = app.catalog();
    for (name, source) in &catalog.intake.sources {
        let Some(within) = source.heartbeat_within.filter(|within| *within <= listened) else {
            continue;
        };
        let known = app.store.list_heartbeats(name, within).await;
        let known = known.map_err(|error| tarsy_telemetry::chain(&error).to_string())?;
        let alerts: Vec<_> = known.iter().filter_map(|one| one.alert(within)).collect();
        if alerts.is_empty() {
            continue;
        }
        tracing::info!(source = name, alerts = alerts.len(), "heartbeats stopped, or came again");
        let group = Group { delivery_id: None, alerts, left_out: 0 };
        store_group(app, name, group).await.map_err(|problem| format!("{problem:?}"))?;
    }
    Ok(())
}
