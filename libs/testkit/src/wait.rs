//! Waiting for a state that no event announces.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Longer than anything in a test takes on a busy machine.
pub const WAIT: Duration = Duration::from_mins(1);
/// Often enough that tests do not wait noticeably longer than needed.
const INTERVAL: Duration = Duration::from_millis(25);

/// Checks a condition until it holds.
///
/// # Panics
///
/// With `what`, when it does not hold within [`WAIT`].
pub async fn eventually(what: &str, holds: impl AsyncFnMut() -> bool) {
    within(WAIT, what, holds).await;
}

/// Checks a condition until it holds.
///
/// # Panics
///
/// With `what`, when it does not hold within `timeout`.
pub async fn within(timeout: Duration, what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + timeout;
    while !holds().await {
        assert!(Instant::now() < deadline, "waited {timeout:?} in vain until {what}");
        sleep(INTERVAL).await;
    }
}
