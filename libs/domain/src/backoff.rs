//! Exponential backoff with jitter: the pauses between the attempts of every retry loop.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};

/// Doublings after which the pause no longer grows, whatever its maximum is.
const MAX_DOUBLINGS: u32 = 32;

/// Exponential backoff: the pause doubles with every failure, up to a maximum.
///
/// Each pause is drawn at random from the upper half of its range, so that many callers that failed
/// together do not come back together.
///
/// ```
/// use std::time::Duration;
/// use tarsy_domain::backoff::Backoff;
///
/// const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(8));
/// let pause = BACKOFF.pause(3);
/// assert!(pause >= Duration::from_secs(1) && pause <= Duration::from_secs(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    first: Duration,
    max: Duration,
}

impl Backoff {
    /// Pauses of at most `first` after one failure, twice that after two, and never above `max`.
    pub const fn new(first: Duration, max: Duration) -> Self {
        Self { first, max }
    }

    /// The pause before the next attempt, after so many failures in a row; 0 counts as 1.
    pub fn pause(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(MAX_DOUBLINGS);
        // `backon` adds up to the whole delay as jitter: half the delay makes the range end at it.
        let mut pauses = ExponentialBuilder::new()
            .with_min_delay(self.first / 2)
            .with_max_delay(self.max / 2)
            .without_max_times()
            .with_jitter()
            .build();
        pauses.nth(doublings as usize).unwrap_or(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(8));

    fn assert_between(failures: u32, least: u64, most: u64) {
        for _ in 0..100 {
            let pause = BACKOFF.pause(failures);
            let range = Duration::from_millis(least)..=Duration::from_millis(most);
            assert!(range.contains(&pause), "{failures} failures: {pause:?}");
        }
    }

    #[test]
    fn a_pause_doubles_and_lies_in_the_upper_half_of_its_range() {
        assert_between(0, 250, 500);
        assert_between(1, 250, 500);
        assert_between(2, 500, 1_000);
        assert_between(4, 2_000, 4_000);
    }

    #[test]
    fn a_pause_never_exceeds_its_maximum() {
        assert_between(5, 4_000, 8_000);
        assert_between(6, 4_000, 8_000);
        assert_between(u32::MAX, 4_000, 8_000);
    }

    #[test]
    fn pauses_differ() {
        let pauses: std::collections::HashSet<_> = (0..100).map(|_| BACKOFF.pause(5)).collect();
        assert!(pauses.len() > 50, "{}", pauses.len());
    }
}
