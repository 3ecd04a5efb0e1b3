//! The line before a provider that answers only so many calls at once: such as a server on this machine. Places are rows, so that
//! it is one line for all orchestrators and summarizers; each is held by a lease, so that a killed process leaves none behind.

use std::sync::Arc;
use std::time::Duration;

use tarsy_domain::id::InteractionId;
use tarsy_store::Store;
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::context::ServiceContext;
use crate::lease::{Lease, StopReason};

/// How often a call that waits looks for its turn, which other processes do not announce.
const POLL: Duration = Duration::from_secs(1);
/// How often a place is renewed within its lease.
const RENEWALS: u32 = 3;

/// Lets calls wait in line; cheap to clone.
#[derive(Clone)]
pub struct ModelQueue {
    service: ServiceContext,
    store: Store,
    lease: Duration,
    /// A call of this process is over.
    left: Arc<Notify>,
}

/// A call in the line of its provider.
pub struct Waiting<'a> {
    queue: &'a ModelQueue,
    lease: &'a Lease,
    call: InteractionId,
    provider: &'a str,
    most: u32,
    place: ModelTurn,
    before: Option<u32>,
}

/// What a waiting call learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// So many calls stand before it, running ones included: another number than before.
    Behind(u32),
    /// It is its turn.
    First,
}

/// The place of a call, until this is dropped.
pub struct ModelTurn(CancellationToken);

impl Drop for ModelTurn {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl ModelQueue {
    /// `lease` is how long a place outlives its process.
    pub fn new(service: &ServiceContext, store: &Store, lease: Duration) -> Self {
        let (service, store) = (service.clone(), store.clone());
        Self { service, store, lease, left: Arc::default() }
    }

    /// Puts a call into the line of a provider that answers `most` at once.
    pub fn join<'a>(&'a self, lease: &'a Lease, provider: &'a str, most: u32) -> Waiting<'a> {
        let (call, place) = (InteractionId::new(), ModelTurn(CancellationToken::new()));
        let keep = self.clone().keep(call, provider.to_owned(), place.0.clone());
        self.service.spawn_aux("llm.place", keep);
        Waiting { queue: self, lease, call, provider, most, place, before: None }
    }

    /// Renews a place until it is given back.
    async fn keep(self, call: InteractionId, provider: String, over: CancellationToken) {
        loop {
            tokio::select! {
                () = over.cancelled() => break,
                () = sleep(self.lease / RENEWALS) => {}
            }
            if let Err(error) = self.store.take_llm_place(call, &provider, self.lease).await {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "the place before a model was not renewed");
            }
        }
        if let Err(error) = self.store.leave_llm_queue(call).await {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "the place before a model ends with its lease");
        }
        self.left.notify_waiters();
    }
}

impl Waiting<'_> {
    /// Waits until the number of calls before this one changes, or it is its turn.
    pub async fn next(&mut self) -> Result<Place, StopReason> {
        loop {
            let queue = self.queue;
            let mut left = std::pin::pin!(queue.left.notified());
            // From now on, so that no call that ends meanwhile is missed.
            left.as_mut().enable();
            let take = || queue.store.take_llm_place(self.call, self.provider, queue.lease);
            let before = self.lease.read(take).await?;
            if before < self.most {
                return Ok(Place::First);
            }
            if self.before.replace(before) != Some(before) {
                return Ok(Place::Behind(before));
            }
            let changed = async {
                tokio::select! {
                    () = left => {}
                    () = sleep(POLL) => {}
                }
            };
            self.lease.unless_stopped(changed).await?;
        }
    }

    /// The place of a call whose turn it is.
    pub fn into_turn(self) -> ModelTurn {
        self.place
    }
}
