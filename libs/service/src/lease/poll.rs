//! The interval of the fallback poll.

use std::time::Duration;

/// How often a fallback poll looks for work that no wake-up announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollInterval {
    pub interval: Duration,
    /// Each wait is shorter or longer than the interval by at most this, at random.
    pub jitter: Duration,
}

impl PollInterval {
    /// The next wait, drawn at random from the interval with its jitter.
    pub fn next_wait(self) -> Duration {
        let jitter = self.jitter.min(self.interval);
        let shortest = self.interval.saturating_sub(jitter);
        shortest + (2 * jitter).mul_f64(rand::random::<f64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_differs_from_the_interval_by_at_most_the_jitter() {
        let poll =
            PollInterval { interval: Duration::from_secs(5), jitter: Duration::from_secs(2) };
        for _ in 0..100 {
            let wait = poll.next_wait();
            assert!(wait >= Duration::from_secs(3) && wait <= Duration::from_secs(7), "{wait:?}");
        }
        let steady = PollInterval { jitter: Duration::ZERO, ..poll };
        assert_eq!(steady.next_wait(), Duration::from_secs(5));
    }
}
