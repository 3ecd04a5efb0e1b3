//! The delays between attempts, and durations in messages.

use std::time::Duration;

use tarsy_domain::backoff::Backoff;

/// The delays between the attempts to open a lease or to send a call: a busy gateway frees capacity within
/// seconds.
pub(crate) const BACKOFF: Backoff =
    Backoff::new(Duration::from_millis(100), Duration::from_secs(2));

/// The duration in milliseconds; the greatest number if it has more.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
