//! What the tasks of channels share.

use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::{Bus, Subscription};
use tarsy_domain::backoff::Backoff;
use tarsy_domain::clock::Clock;
use tarsy_store::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Reads of the table at once, over all channels.
const MAX_READS: usize = 16;
const SUBSCRIBE_RETRY: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(2));

/// What the task of a channel works with; cheap to clone.
#[derive(Clone)]
pub(crate) struct Resources {
    pub(crate) bus: Bus,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) reads: Arc<Semaphore>,
    pub(crate) stop: CancellationToken,
}

impl Resources {
    pub(crate) fn new(
        bus: Bus,
        store: Store,
        clock: Arc<dyn Clock>,
        stop: CancellationToken,
    ) -> Self {
        Self { bus, store, clock, reads: Arc::new(Semaphore::new(MAX_READS)), stop }
    }

    /// Subscribes to a subject, retrying until it succeeds; none once the relay stops.
    pub(crate) async fn subscribe(&self, subject: String) -> Option<Subscription> {
        let mut failures = 0;
        loop {
            let subscription = tokio::select! {
                () = self.stop.cancelled() => return None,
                subscription = self.bus.subscribe(subject.clone()) => subscription,
            };
            match subscription {
                Ok(subscription) => return Some(subscription),
                Err(error) => {
                    tracing::warn!(
                        subject,
                        error = %tarsy_telemetry::chain(&error),
                        "could not subscribe"
                    );
                    failures += 1;
                    tokio::time::sleep(SUBSCRIBE_RETRY.pause(failures)).await;
                }
            }
        }
    }
}
