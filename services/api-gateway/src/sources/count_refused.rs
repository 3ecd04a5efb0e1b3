//! Stores the counts of refused requests.

use std::time::Duration;

use tarsy_service::ServiceContext;

use crate::state::AppState;

const INTERVAL: Duration = Duration::from_secs(5);

/// Starts the task that stores the counts; it runs until the service stops.
pub(crate) fn start(app: &AppState, service: &ServiceContext) {
    let (app, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("gateway.refused_requests", async move {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let stops = tokio::select! {
                _ = tick.tick() => false,
                () = stopping.cancelled() => true,
            };
            let rows = app.refused.take();
            if !rows.is_empty()
                && let Err(error) = app.store.count_refused_requests(&rows).await
            {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "refusals are not counted yet");
                app.refused.put_back(rows);
            }
            if stops {
                return;
            }
        }
    });
}
