//! Rings the doorbell for sessions that wait although nobody rang: lost rings, and sessions whose
//! owner died.

use std::time::Duration;

use rand::Rng as _;
use tarsy_domain::id::SessionId;
use tokio_util::sync::CancellationToken;

use crate::app::App;

const EVERY_MS: u64 = 5_000;
/// More rings than this wake nobody who is not awake yet.
const RINGS: i64 = 10;

/// Runs until `stopping`.
pub(crate) async fn run(app: App, stopping: CancellationToken) {
    loop {
        let pause = rand::rng().random_range(EVERY_MS * 3 / 4..EVERY_MS * 5 / 4);
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(Duration::from_millis(pause)) => {}
        }
        crate::metrics::load(app.load());
        let waiting = match app.store.claimable(cap(&app)).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "no sweep");
                continue;
            }
        };
        for _ in 0..waiting.min(RINGS) {
            if app.bus.ring_session(SessionId::fresh()).await.is_err() {
                break;
            }
        }
    }
}

/// How many sessions may be in progress over all replicas.
pub(crate) fn cap(app: &App) -> i64 {
    i64::from(app.queue.max_concurrent_sessions)
}
