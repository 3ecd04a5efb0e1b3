//! Claims summaries while there is room for them.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use tarsy_contracts::topology;
use tarsy_store::SummaryClaim;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::maker;

/// Summaries that one instance makes at once; each is a call of a model.
const AT_ONCE: u32 = 16;
/// The look at the table that covers a lost ring: every 2 s, give or take 1.
const LOOK_MS: std::ops::Range<u64> = 1_000..3_000;

/// Takes summaries until the stop is asked for, then sees out those at hand; `idle` when none is.
pub(crate) async fn run(app: App, idle: CancellationToken) -> anyhow::Result<()> {
    let _idle = idle.drop_guard();
    let room = Arc::new(Semaphore::new(AT_ONCE as usize));
    let stopping = app.service.stopping();
    let wake_ups = app.bus.wake_ups(&topology::SUMMARY_WORK);
    loop {
        let permit = tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            permit = Arc::clone(&room).acquire_owned() => permit?,
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
        let patience = Duration::from_millis(rand::rng().random_range(LOOK_MS));
        tokio::select! {
            () = stopping.cancelled() => break,
            _ = wake_ups.wait(patience) => {}
        }
    }
    let _all = room.acquire_many(AT_ONCE).await?;
    Ok(())
}

async fn claim(app: &App) -> Option<SummaryClaim> {
    app.store.claim_summary(app.bus.instance(), app.lease).await.unwrap_or_else(|error| {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not claim");
        None
    })
}
