//! The signal that stops the work on one session, with its reason.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Why the work on a session must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// A person requested it.
    Cancelled,
    /// The session's time limit has passed.
    TimedOut,
    /// Another owner holds the lease.
    Fenced,
    /// This process ends; another owner continues.
    Shutdown,
    /// The store refuses a write. The lease expires, and the attempt counts.
    Refused,
}

impl StopReason {
    /// Whether this owner writes the end of the work. Otherwise another owner continues it.
    pub(crate) const fn ends_work(self) -> bool {
        matches!(self, Self::Cancelled | Self::TimedOut)
    }
}

/// Stops the work on one session; the first reason counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopSignal {
    token: CancellationToken,
    reason: Arc<OnceLock<StopReason>>,
}

impl StopSignal {
    pub(crate) fn stop(&self, reason: StopReason) {
        if self.reason.set(reason).is_ok() {
            self.token.cancel();
        }
    }

    pub(crate) fn reason(&self) -> Option<StopReason> {
        self.reason.get().copied()
    }

    /// Cancelled when the work must stop.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Whether both are clones of the same signal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reason, &other.reason)
    }

    /// Runs a future until it completes or the work must stop.
    pub(crate) async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, StopReason> {
        tokio::select! {
            biased;
            () = self.token.cancelled() => Err(self.reason().unwrap_or(StopReason::Shutdown)),
            done = work => Ok(done),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_counts_and_ends_what_runs() {
        let signal = StopSignal::default();
        assert_eq!(signal.unless_stopped(async { 1 }).await, Ok(1));
        signal.stop(StopReason::Cancelled);
        signal.clone().stop(StopReason::TimedOut);
        assert_eq!(signal.reason(), Some(StopReason::Cancelled));
        let endless = std::future::pending::<()>();
        assert_eq!(signal.unless_stopped(endless).await, Err(StopReason::Cancelled));
    }

    #[test]
    fn two_signals_of_one_session_are_distinct() {
        let (first, second) = (StopSignal::default(), StopSignal::default());
        assert!(first.is_same(&first.clone()) && !first.is_same(&second));
    }
}
