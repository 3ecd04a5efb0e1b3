//! Reads and writes of one claimed session.
//!
//! Every write carries the fencing token of the session's lease. Reads and writes wait through
//! outages of PostgreSQL: until the database answers, nothing else can be done either.

mod stop;

use std::time::Duration;

use tarsy_contracts::event::Committed;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::code::{Code, Coded as _};
use tarsy_domain::id::SessionId;
use tarsy_service::Publisher;
use tarsy_store::{Batch, Error as StoreError, Fence, Op, Store};
use tokio_util::sync::CancellationToken;

pub(crate) use crate::journal::stop::{StopReason, StopSignal};

const BACKOFF: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_millis(1_600));
/// Retries of a statement that fails although the database can be reached.
const MAX_REFUSALS: u32 = 3;

/// The journal of one claimed session; cheap to clone.
#[derive(Clone)]
pub(crate) struct Journal {
    store: Store,
    publisher: Publisher,
    fence: Fence,
    stop: StopSignal,
    hard_stop: CancellationToken,
}

/// Failures of one read or write so far.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// An attempt ended without a clear answer, so it may have been committed.
    maybe_committed: bool,
}

impl Journal {
    /// `hard_stop` ends the wait for an unavailable database.
    pub(crate) fn new(
        store: Store,
        publisher: Publisher,
        fence: Fence,
        hard_stop: CancellationToken,
    ) -> Self {
        Self { store, publisher, fence, stop: StopSignal::default(), hard_stop }
    }

    pub(crate) fn session(&self) -> SessionId {
        self.fence.session_id
    }

    pub(crate) fn fence(&self) -> Fence {
        self.fence
    }

    /// For reads that do not wait for an unavailable database.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn stop_signal(&self) -> &StopSignal {
        &self.stop
    }

    /// Why the work must stop, if it must.
    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        self.stop.reason()
    }

    /// Runs a future until it completes or the work must stop.
    pub(crate) async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, StopReason> {
        self.stop.unless_stopped(work).await
    }

    /// Writes operations in one transaction and publishes their events.
    pub(crate) async fn commit(&self, ops: Vec<Op>) -> Result<(), StopReason> {
        let mut batch = Batch::new();
        for op in ops {
            batch.push(op);
        }
        self.write(|store, fence| store.commit(fence, batch.clone())).await
    }

    /// Publishes events that are committed already.
    pub(crate) fn publish(&self, events: Vec<Committed>) {
        self.publisher.publish(events);
    }

    /// Reads, and retries while the database is unavailable.
    pub(crate) async fn read<'a, T, F, Fut>(&'a self, read: F) -> Result<T, StopReason>
    where
        F: Fn(&'a Store) -> Fut,
        Fut: Future<Output = Result<T, StoreError>>,
    {
        let mut failures = Failures::default();
        loop {
            match read(&self.store).await {
                Ok(value) => return Ok(value),
                Err(error) => self.before_retry(&error, &mut failures).await?,
            }
        }
    }

    /// Writes, retries while the database is unavailable, and publishes the events.
    ///
    /// An attempt whose answer was lost may have been committed. The next attempt then conflicts,
    /// which counts as success: the sweeper publishes the events of the first one. A conflict
    /// without a lost attempt is a refusal.
    pub(crate) async fn write<'a, F, Fut>(&'a self, write: F) -> Result<(), StopReason>
    where
        F: Fn(&'a Store, Fence) -> Fut,
        Fut: Future<Output = Result<Vec<Committed>, StoreError>>,
    {
        let mut failures = Failures::default();
        loop {
            match write(&self.store, self.fence).await {
                Ok(committed) => {
                    self.publish(committed);
                    return Ok(());
                }
                Err(StoreError::Conflict(conflict)) if failures.maybe_committed => {
                    tracing::info!(%conflict, "an earlier attempt was committed");
                    return Ok(());
                }
                Err(error) => self.before_retry(&error, &mut failures).await?,
            }
        }
    }

    /// Waits before the next attempt, or stops the work.
    async fn before_retry(
        &self,
        error: &StoreError,
        failures: &mut Failures,
    ) -> Result<(), StopReason> {
        if error.is_fenced() {
            return Err(self.stop_with(StopReason::Fenced));
        }
        let chain = tarsy_telemetry::chain(error).to_string();
        let conflict = matches!(error, StoreError::Conflict(_));
        if conflict || (error.code() != Code::Unavailable && failures.count >= MAX_REFUSALS) {
            // A statement that fails again and again is a defect here. The session goes to another
            // attempt, and fails after the last one.
            tracing::error!(error = %chain, "the store refuses");
            return Err(self.stop_with(StopReason::Refused));
        }
        failures.maybe_committed = true;
        failures.count += 1;
        tracing::warn!(error = %chain, failures = failures.count, "retrying at the store");
        tokio::select! {
            () = self.hard_stop.cancelled() => Err(self.stop_with(StopReason::Shutdown)),
            () = tokio::time::sleep(BACKOFF.pause(failures.count)) => Ok(()),
        }
    }

    fn stop_with(&self, reason: StopReason) -> StopReason {
        self.stop.stop(reason);
        reason
    }
}
