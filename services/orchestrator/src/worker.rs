//! Claims questions and sessions while there is capacity for them.

use std::sync::Arc;
use std::time::Duration;

use rand::Rng as _;
use tarsy_bus::Bus;
use tarsy_catalog::Queue;
use tarsy_contracts::topology;
use tarsy_service::ServiceContext;
use tarsy_store::{ChatClaim, Claim, Store};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::engine::Services;
use crate::runner::Runner;
use crate::{chat, metrics, session};

/// Claims work and starts it, each piece in a task of its own.
pub(crate) struct Worker {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) queue: Queue,
    pub(crate) runner: Runner,
    pub(crate) services: Services,
    pub(crate) service: ServiceContext,
    /// Notified when work ends here: under the cap of all replicas another session may start.
    pub(crate) finished: Arc<Notify>,
}

impl Worker {
    /// Claims until a stop is requested, then waits for the running work. `idle` is cancelled when
    /// none is left.
    pub(crate) async fn run(self, idle: CancellationToken) -> anyhow::Result<()> {
        let _idle = idle.drop_guard();
        let capacity = Arc::new(Semaphore::new(self.queue.worker_count as usize));
        self.claim_until_stopped(&capacity).await?;
        let _all = capacity.acquire_many(self.queue.worker_count).await?;
        Ok(())
    }

    async fn claim_until_stopped(&self, capacity: &Arc<Semaphore>) -> anyhow::Result<()> {
        let stopping = self.service.stopping();
        let sessions = self.bus.wake_ups(&topology::SESSION_WORK);
        let chats = self.bus.wake_ups(&topology::CHAT_WORK);
        loop {
            let permit = tokio::select! {
                biased;
                () = stopping.cancelled() => return Ok(()),
                permit = Arc::clone(capacity).acquire_owned() => permit?,
            };
            // A question comes first: a person waits for its answer.
            if let Some(claim) = self.claim_chat().await {
                let work = chat::run(self.runner.clone(), self.services.clone(), claim);
                self.start("chat", permit, work);
                continue;
            }
            if let Some(claim) = self.claim_session().await {
                metrics::session_claimed(claim.resumed);
                let work = session::run(self.runner.clone(), self.services.clone(), claim);
                self.start("session", permit, work);
                continue;
            }
            let pause = self.poll_pause();
            tokio::select! {
                () = stopping.cancelled() => return Ok(()),
                () = self.finished.notified() => {}
                _ = sessions.wait(pause) => {}
                _ = chats.wait(pause) => {}
            }
        }
    }

    async fn claim_session(&self) -> Option<Claim> {
        let cap = i64::from(self.queue.max_concurrent_sessions);
        let lease = self.queue.orphan_threshold;
        claimed(self.store.claim_session(self.bus.instance(), lease, cap).await)
    }

    async fn claim_chat(&self) -> Option<ChatClaim> {
        let lease = self.queue.orphan_threshold;
        claimed(self.store.claim_chat(self.bus.instance(), lease).await)
    }

    /// The pause before the fallback poll of the tables, which covers lost wake-ups.
    fn poll_pause(&self) -> Duration {
        let (interval, jitter) = (self.queue.poll_interval, self.queue.poll_interval_jitter);
        let least = interval.saturating_sub(jitter);
        least + (interval + jitter - least).mul_f64(rand::rng().random_range(0.0..=1.0))
    }

    /// Does the work in a task of its own, which holds the permit until the end.
    fn start(
        &self,
        name: &'static str,
        permit: OwnedSemaphorePermit,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let finished = Arc::clone(&self.finished);
        self.service.spawn_aux(name, async move {
            work.await;
            drop(permit);
            finished.notify_one();
        });
    }
}

fn claimed<T>(claim: Result<Option<T>, tarsy_store::Error>) -> Option<T> {
    claim.unwrap_or_else(|error| {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not claim");
        None
    })
}
