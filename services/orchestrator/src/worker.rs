//! Claims questions and sessions while there is room for them.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use tarsy_contracts::topology;
use tarsy_store::{ChatClaim, Claim};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::{chat, metrics, owner, sweeper};

/// The look at the table that covers a lost ring: every 5 s, give or take 2.
const LOOK_MS: std::ops::Range<u64> = 3_000..7_000;

/// Takes sessions until the stop is asked for, then sees out those at hand; `idle` when none is.
pub(crate) async fn run(app: App, idle: CancellationToken) -> anyhow::Result<()> {
    let _idle = idle.drop_guard();
    let room = Arc::new(Semaphore::new(app.queue.worker_count as usize));
    take_sessions(&app, &room).await?;
    let _all = room.acquire_many(app.queue.worker_count).await?;
    Ok(())
}

async fn take_sessions(app: &App, room: &Arc<Semaphore>) -> anyhow::Result<()> {
    let stopping = app.service.stopping();
    let wake_ups = app.bus.wake_ups(&topology::SESSION_WORK);
    let chat_wake_ups = app.bus.wake_ups(&topology::CHAT_WORK);
    loop {
        let permit = tokio::select! {
            biased;
            () = stopping.cancelled() => return Ok(()),
            permit = Arc::clone(room).acquire_owned() => permit?,
        };
        // There is room for one: take what waits before waiting for a ring.
        // A question comes first, for somebody sits and waits for its answer.
        if let Some(claim) = claim_chat(app).await {
            take(app, permit, "chat", |app| chat::run(app, claim));
            continue;
        }
        if let Some(claim) = claim(app).await {
            metrics::claimed(claim.resumed);
            take(app, permit, "session", |app| owner::run(app, claim));
            continue;
        }
        let patience = Duration::from_millis(rand::rng().random_range(LOOK_MS));
        tokio::select! {
            () = stopping.cancelled() => return Ok(()),
            () = app.freed.notified() => {}
            _ = wake_ups.wait(patience) => {}
            _ = chat_wake_ups.wait(patience) => {}
        }
    }
}

async fn claim(app: &App) -> Option<Claim> {
    let claimed = app
        .store
        .claim_session(app.bus.instance(), app.queue.orphan_threshold, sweeper::cap(app))
        .await;
    got(claimed)
}

async fn claim_chat(app: &App) -> Option<ChatClaim> {
    got(app.store.claim_chat(app.bus.instance(), app.queue.orphan_threshold).await)
}

fn got<T>(claimed: Result<Option<T>, tarsy_store::Error>) -> Option<T> {
    claimed.unwrap_or_else(|error| {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not claim");
        None
    })
}

/// Works in a task of its own, which keeps the room until it is over.
fn take<W>(app: &App, permit: OwnedSemaphorePermit, name: &'static str, work: impl FnOnce(App) -> W)
where
    W: Future<Output = ()> + Send + 'static,
{
    let freed = Arc::clone(&app.freed);
    let work = work(app.clone());
    app.service.spawn_aux(name, async move {
        work.await;
        drop(permit);
        freed.notify_one();
    });
}
