//! Keeps the lease of a claimed session while work on it runs: renews it, enforces the time limit,
//! stops on a cancel, and serves snapshots of live text.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tarsy_catalog::Queue;
use tarsy_contracts::subject;
use tarsy_domain::clock::Clock;
use tarsy_domain::id::SessionId;
use tarsy_service::{LiveStreams, Publisher};
use tarsy_store::{Fence, Store};
use tokio_util::sync::CancellationToken;

use crate::journal::{Journal, StopReason, StopSignal};
use crate::metrics;

/// Runs work under leases; cheap to clone.
#[derive(Clone)]
pub(crate) struct Runner {
    store: Store,
    publisher: Publisher,
    live: LiveStreams,
    clock: Arc<dyn Clock>,
    hard_stop: CancellationToken,
    lease: Duration,
    renew_every: Duration,
    running: Arc<Mutex<HashMap<SessionId, StopSignal>>>,
}

/// The time that a piece of work has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimit {
    /// When it was started first, perhaps by an earlier owner.
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) limit: Duration,
}

/// Cancels reach a session's work until this is dropped.
struct RegistrationGuard<'a> {
    runner: &'a Runner,
    journal: &'a Journal,
}

impl Drop for RegistrationGuard<'_> {
    fn drop(&mut self) {
        let mut running = self.runner.running();
        let (session, signal) = (self.journal.session(), self.journal.stop_signal());
        // A question about a session may be claimed before the end of its investigation has returned.
        if running.get(&session).is_some_and(|registered| registered.is_same(signal)) {
            running.remove(&session);
        }
        metrics::sessions_running(running.len());
    }
}

impl Runner {
    /// The lease lasts `queue.orphan_threshold` and is renewed twice per `queue.heartbeat_interval`,
    /// so that one lost renewal does not cost it. `hard_stop` ends all work at once.
    pub(crate) fn new(
        (store, publisher): (&Store, &Publisher),
        live: &LiveStreams,
        clock: Arc<dyn Clock>,
        queue: &Queue,
        hard_stop: CancellationToken,
    ) -> Self {
        Self {
            store: store.clone(),
            publisher: publisher.clone(),
            live: live.clone(),
            clock,
            hard_stop,
            lease: queue.orphan_threshold,
            renew_every: queue.heartbeat_interval / 2,
            running: Arc::default(),
        }
    }

    /// The journal of a session that was just claimed.
    pub(crate) fn journal(&self, fence: Fence) -> Journal {
        let hard_stop = self.hard_stop.clone();
        Journal::new(self.store.clone(), self.publisher.clone(), fence, hard_stop)
    }

    /// Does the work under its lease. Snapshots say that `others` processes stream text, too.
    pub(crate) async fn run(
        &self,
        journal: &Journal,
        time: TimeLimit,
        others: impl Fn() -> u32 + Clone + Send + Sync + 'static,
        work: impl Future<Output = ()>,
    ) {
        let _registration = self.register(journal);
        let (session, done) = (journal.session(), CancellationToken::new());
        let work = async {
            work.await;
            done.cancel();
        };
        let left = time.limit.saturating_sub(self.elapsed(time.started_at));
        let snapshots =
            self.live.serve_snapshots(subject::live_snapshot(session), session, others, &done);
        tokio::join!(
            work,
            self.renew_lease(journal, &done),
            enforce_deadline(journal, left, &done),
            snapshots,
        );
    }

    /// The time since `started_at`; zero if it has not started.
    pub(crate) fn elapsed(&self, started_at: Option<Timestamp>) -> Duration {
        let now = self.clock.now();
        Duration::try_from(now.duration_since(started_at.unwrap_or(now))).unwrap_or_default()
    }

    /// How many sessions are worked on.
    pub(crate) fn load(&self) -> usize {
        self.running().len()
    }

    /// Stops the work on a session, if it runs here.
    pub(crate) fn cancel(&self, session: SessionId) {
        if let Some(signal) = self.running().get(&session) {
            tracing::info!(session.id = %session, "cancelled");
            signal.stop(StopReason::Cancelled);
        }
    }

    /// Whether a cancel was requested, also when its message was lost. False if the lease is lost.
    pub(crate) async fn is_cancel_requested(&self, journal: &Journal) -> bool {
        if journal.stop_reason() == Some(StopReason::Cancelled) {
            return true;
        }
        let renewed = journal.read(|store| store.renew_lease(journal.fence(), self.lease)).await;
        renewed.is_ok_and(|renewal| renewal.cancel_requested)
    }

    /// Releases the lease, so that another owner continues at once. The attempt does not count.
    pub(crate) async fn release(&self, journal: &Journal) {
        match self.store.release_lease(journal.fence()).await {
            Ok(()) => tracing::info!("lease released"),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "the lease will expire");
            }
        }
    }

    fn register<'a>(&'a self, journal: &'a Journal) -> RegistrationGuard<'a> {
        let mut running = self.running();
        running.insert(journal.session(), journal.stop_signal().clone());
        metrics::sessions_running(running.len());
        drop(running);
        RegistrationGuard { runner: self, journal }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, StopSignal>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the lease until the work is done. A renewal reports a requested cancel.
    async fn renew_lease(&self, journal: &Journal, done: &CancellationToken) {
        let signal = journal.stop_signal();
        loop {
            // A renewal may take long while the database is unavailable; neither the end of the work
            // nor a stop waits for it.
            let renewed = tokio::select! {
                () = done.cancelled() => return,
                () = self.hard_stop.cancelled() => {
                    signal.stop(StopReason::Shutdown);
                    done.cancelled().await;
                    return;
                }
                renewed = async {
                    tokio::time::sleep(self.renew_every).await;
                    self.store.renew_lease(journal.fence(), self.lease).await
                } => renewed,
            };
            match renewed {
                Ok(renewal) if renewal.cancel_requested => signal.stop(StopReason::Cancelled),
                Ok(_) => {}
                Err(error) if error.is_fenced() => signal.stop(StopReason::Fenced),
                Err(error) => {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(%error, "could not renew the lease");
                }
            }
        }
    }
}

/// Stops the work when its time is over.
async fn enforce_deadline(journal: &Journal, left: Duration, done: &CancellationToken) {
    tokio::select! {
        () = done.cancelled() => {}
        () = tokio::time::sleep(left) => journal.stop_signal().stop(StopReason::TimedOut),
    }
}
