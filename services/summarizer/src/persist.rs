//! Store operations that outlast a short outage.

use std::time::Duration;

use tarsy_domain::backoff::Backoff;
use tarsy_store::Error as StoreError;
use tokio::time::sleep;

/// Attempts before the lease is left to expire: about half a minute.
const ATTEMPTS: u32 = 8;
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(400), Duration::from_secs(6));

/// Why a summary is abandoned without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Abandoned {
    /// Another summarizer has the lease, or the session ended or is cancelled: nothing more is written.
    Fenced,
    /// This process stops, or the store is unavailable: another summarizer continues.
    Released,
}

/// Repeats a store operation through outages.
pub(crate) async fn with_retries<T, F, Fut>(operation: F) -> Result<T, Abandoned>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<T, StoreError>>,
{
    for failures in 1..=ATTEMPTS {
        match operation().await {
            Ok(done) => return Ok(done),
            Err(error) if error.is_fenced() => return Err(Abandoned::Fenced),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), failures, "a store operation failed");
                sleep(BACKOFF.pause(failures)).await;
            }
        }
    }
    Err(Abandoned::Released)
}
