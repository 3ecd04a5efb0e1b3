//! Rings the doorbells for sessions and questions that wait although nobody rang: lost rings, and
//! what belonged to an owner that died.

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
        if let Err(error) = sweep(&app).await {
            tracing::debug!(error = %tarsy_telemetry::chain(&error), "no sweep");
        }
    }
}

async fn sweep(app: &App) -> Result<(), tarsy_store::Error> {
    for _ in 0..app.store.count_claimable_sessions(cap(app)).await?.min(RINGS) {
        if app.bus.wake_session_workers(SessionId::new()).await.is_err() {
            return Ok(());
        }
    }
    for _ in 0..app.store.count_claimable_chats().await?.min(RINGS) {
        if app.bus.wake_chat_workers(SessionId::new()).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// How many sessions may be in progress over all replicas.
pub(crate) fn cap(app: &App) -> i64 {
    i64::from(app.queue.max_concurrent_sessions)
}
