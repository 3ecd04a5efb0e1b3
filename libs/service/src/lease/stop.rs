//! Why leased work stops, and the signal that stops it.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

/// Why leased work must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// A person requested it.
    Cancelled,
    /// The deadline passed.
    TimedOut,
    /// Another owner holds the lease; nothing more may be written.
    Fenced,
    /// This process ends; another one continues.
    Shutdown,
    /// All that is left waits for people; whoever claims it after their decision continues.
    Suspended,
    /// The store refuses what is written. The lease expires, and the attempt counts.
    Stuck,
}

/// Stops one piece of work; only the first reason counts. Clones stop the same work.
#[derive(Clone, Debug, Default)]
pub struct StopSignal {
    token: CancellationToken,
    reason: Arc<OnceLock<StopReason>>,
    whole: Option<Arc<Self>>,
}

impl StopSignal {
    /// The signal of a part of this work: it stops with the whole, and can be cancelled or run out of time alone.
    #[must_use]
    pub fn part(&self) -> Self {
        Self {
            token: self.token.child_token(),
            reason: Arc::default(),
            whole: Some(Arc::new(self.clone())),
        }
    }

    /// Stops the work. What no part can be spared, such as the loss of the lease, stops the whole.
    pub fn stop(&self, reason: StopReason) {
        match &self.whole {
            Some(whole) if !matches!(reason, StopReason::Cancelled | StopReason::TimedOut) => {
                whole.stop(reason);
            }
            _ => {
                if self.reason.set(reason).is_ok() {
                    self.token.cancel();
                }
            }
        }
    }

    /// The reason, once the work must stop.
    pub fn reason(&self) -> Option<StopReason> {
        let of_whole = || self.whole.as_ref().and_then(|whole| whole.reason());
        self.reason.get().copied().or_else(of_whole)
    }

    /// The reason why the whole must stop, of which this may be a part.
    pub fn reason_of_whole(&self) -> Option<StopReason> {
        match &self.whole {
            Some(whole) => whole.reason_of_whole(),
            None => self.reason.get().copied(),
        }
    }

    /// Cancelled when the work must stop.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Waits until the work must stop.
    pub async fn stopped(&self) -> StopReason {
        self.token.cancelled().await;
        // The reason is set before the token is cancelled.
        self.reason().unwrap_or(StopReason::Shutdown)
    }

    /// Runs `work` until it ends or the signal interrupts it.
    pub async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, StopReason> {
        tokio::select! {
            biased;
            reason = self.stopped() => Err(reason),
            output = work => Ok(output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_counts_for_every_clone() {
        let signal = StopSignal::default();
        let clone = signal.clone();
        assert_eq!(clone.reason(), None);
        signal.stop(StopReason::TimedOut);
        clone.stop(StopReason::Fenced);
        assert_eq!(clone.stopped().await, StopReason::TimedOut);
        let interrupted = signal.unless_stopped(std::future::pending::<()>()).await;
        assert_eq!(interrupted, Err(StopReason::TimedOut));
    }

    #[tokio::test]
    async fn a_part_stops_alone_and_with_the_whole() {
        let whole = StopSignal::default();
        let (one, other) = (whole.part(), whole.part());
        one.stop(StopReason::Cancelled);
        assert_eq!(one.stopped().await, StopReason::Cancelled);
        assert_eq!((other.reason(), whole.reason()), (None, None));
        other.stop(StopReason::Fenced);
        assert_eq!(whole.stopped().await, StopReason::Fenced);
        assert_eq!(other.stopped().await, StopReason::Fenced);
        assert_eq!(one.reason(), Some(StopReason::Cancelled), "its own reason came first");
        assert_eq!(one.reason_of_whole(), Some(StopReason::Fenced));
    }

    #[tokio::test]
    async fn a_part_of_a_part_stops_with_that_one_while_the_whole_goes_on() {
        let whole = StopSignal::default();
        let part = whole.part();
        let inner = part.part();
        part.stop(StopReason::TimedOut);
        assert_eq!(inner.stopped().await, StopReason::TimedOut);
        assert_eq!(inner.reason_of_whole(), None);
        inner.stop(StopReason::Suspended);
        assert_eq!(inner.reason_of_whole(), Some(StopReason::Suspended));
    }
}
