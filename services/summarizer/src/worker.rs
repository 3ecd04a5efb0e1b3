//! Claims summaries while there is capacity.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use tarsy_contracts::topology;
use tarsy_store::SummaryClaim;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::maker;

/// Summaries that one process makes at once; each is a call of a model.
const CAPACITY: u32 = 16;
/// The fallback poll of the table, for a lost wake-up.
const POLL_MS: std::ops::Range<u64> = 1_000..3_000;

/// Claims summaries until the service stops, then waits for those that are running; then `idle` is
/// cancelled.
pub(crate) async fn run(app: App, idle: CancellationToken) -> anyhow::Result<()> {
    let _idle = idle.drop_guard();
    let permits = Arc::new(Semaphore::new(CAPACITY as usize));
    let stopping = app.service.stopping();
    let wake_ups = app.bus.wake_ups(&topology::SUMMARY_WORK);
    loop {
        let permit = tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            permit = Arc::clone(&permits).acquire_owned() => permit?,
        };
        if let Some(claim) = claim(&app).await {
            let making = maker::run(app.clone(), claim);
            app.service.spawn_aux("summary", async move {
                making.await;
                drop(permit);
            });
            continue;
        }
        drop(permit);
        let poll = Duration::from_millis(rand::rng().random_range(POLL_MS));
        tokio::select! {
            () = stopping.cancelled() => break,
            _ = wake_ups.wait(poll) => {}
        }
    }
    let _all = permits.acquire_many(CAPACITY).await?;
    Ok(())
}

async fn claim(app: &App) -> Option<SummaryClaim> {
    app.store.claim_summary(app.bus.instance(), app.lease).await.unwrap_or_else(|error| {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not claim");
        None
    })
}
