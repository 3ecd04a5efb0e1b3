//! What leased work is given: its stop signal, and reads and writes that outlast an outage of the
//! store.

use std::time::Duration;

use tarsy_contracts::event::Committed;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::code::{Code, Coded as _};
use tarsy_store::Error as StoreError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::stop::{StopReason, StopSignal};

const STORE_RETRY: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_millis(1_600));
/// Retries of an error that is no outage. A statement that still fails is a defect: the work goes to
/// another attempt.
const MAX_UNEXPECTED_FAILURES: u32 = 3;

/// A held lease; cheap to clone.
#[derive(Clone, Debug)]
pub struct Lease {
    signal: StopSignal,
    hard_stop: CancellationToken,
    since: Instant,
}

/// The failures of one read or write so far.
#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// The answer of an attempt was lost: it may have been committed.
    answer_lost: bool,
}

impl Lease {
    /// A lease whose store operations end with [`StopReason::Shutdown`] at the hard stop.
    pub fn new(signal: StopSignal, hard_stop: CancellationToken) -> Self {
        Self { signal, hard_stop, since: Instant::now() }
    }

    /// The same lease for a part of the work, which can be stopped alone.
    #[must_use]
    pub fn part(&self) -> Self {
        Self { signal: self.signal.part(), hard_stop: self.hard_stop.clone(), since: self.since }
    }

    /// The time since the claim.
    pub fn held_for(&self) -> Duration {
        self.since.elapsed()
    }

    pub fn signal(&self) -> &StopSignal {
        &self.signal
    }

    /// The reason, once the work must stop.
    pub fn stopped(&self) -> Option<StopReason> {
        self.signal.reason()
    }

    /// Runs `work` until it ends or the lease stops it.
    pub async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, StopReason> {
        self.signal.unless_stopped(work).await
    }

    /// Reads from the store. Outages are retried until the hard stop: nothing else can be done until
    /// then.
    pub async fn read<T, F, Fut>(&self, read: F) -> Result<T, StopReason>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<T, StoreError>>,
    {
        let mut failures = Failures::default();
        loop {
            match read().await {
                Ok(value) => return Ok(value),
                Err(error) => self.wait_for_retry(&error, &mut failures).await?,
            }
        }
    }

    /// Writes to the store and returns the committed events. Outages are retried as by
    /// [`read`](Self::read). An attempt whose answer was lost may have been committed; then the next
    /// one conflicts, and no events are returned: the sweeper publishes them. Any other conflict stops
    /// the work with [`StopReason::Stuck`].
    pub async fn write<F, Fut>(&self, write: F) -> Result<Vec<Committed>, StopReason>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Vec<Committed>, StoreError>>,
    {
        let mut failures = Failures::default();
        loop {
            match write().await {
                Ok(committed) => return Ok(committed),
                Err(StoreError::Conflict(conflict)) if failures.answer_lost => {
                    tracing::info!(%conflict, "an earlier attempt was committed");
                    return Ok(Vec::new());
                }
                Err(error) => self.wait_for_retry(&error, &mut failures).await?,
            }
        }
    }

    async fn wait_for_retry(
        &self,
        error: &StoreError,
        failures: &mut Failures,
    ) -> Result<(), StopReason> {
        if error.is_fenced() {
            return Err(self.stop(StopReason::Fenced));
        }
        let chain = tarsy_telemetry::chain(error).to_string();
        let conflict = matches!(error, StoreError::Conflict(_));
        let outage = error.code() == Code::Unavailable;
        if conflict || (!outage && failures.count >= MAX_UNEXPECTED_FAILURES) {
            tracing::error!(error = %chain, "the store refuses an operation");
            return Err(self.stop(StopReason::Stuck));
        }
        failures.answer_lost = true;
        failures.count += 1;
        tracing::warn!(error = %chain, failures = failures.count, "retrying a store operation");
        tokio::select! {
            () = self.hard_stop.cancelled() => Err(self.stop(StopReason::Shutdown)),
            () = tokio::time::sleep(STORE_RETRY.pause(failures.count)) => Ok(()),
        }
    }

    fn stop(&self, reason: StopReason) -> StopReason {
        self.signal.stop(reason);
        reason
    }
}

#[cfg(test)]
mod tests;
