//! Durations and their statistics.

use std::time::Duration;

/// Durations of the same thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl FromIterator<Duration> for Samples {
    fn from_iter<I: IntoIterator<Item = Duration>>(samples: I) -> Self {
        Self(samples.into_iter().collect())
    }
}

impl Samples {
    /// One more.
    pub(crate) fn push(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// Those of another measurement of the same thing.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How much longer these took than the others, rank by rank.
    pub(crate) fn beyond(&self, others: &Self) -> Self {
        let sorted = |samples: &Self| {
            let mut sorted = samples.0.clone();
            sorted.sort_unstable();
            sorted
        };
        let (mine, theirs) = (sorted(self), sorted(others));
        Self(mine.iter().zip(theirs).map(|(mine, theirs)| mine.saturating_sub(theirs)).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The duration that so many percent do not exceed; zero if there is none.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(rank).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_is_compared_rank_by_rank() {
        let of = |millis: [u64; 3]| Samples(millis.map(Duration::from_millis).to_vec());
        let beyond = of([5, 9, 2]).beyond(&of([3, 1, 6]));
        assert_eq!(beyond.percentile(50), Duration::from_millis(2));
        assert_eq!(beyond.percentile(100), Duration::from_millis(3));
    }

    #[test]
    fn a_percentile_is_the_smallest_sample_that_enough_do_not_exceed() {
        let mut samples = Samples::default();
        for millis in (1..=200).rev() {
            samples.push(Duration::from_millis(millis));
        }
        assert_eq!(samples.percentile(50), Duration::from_millis(100));
        assert_eq!(samples.percentile(99), Duration::from_millis(198));
        assert_eq!(samples.percentile(100), Duration::from_millis(200));
        assert_eq!(Samples::default().percentile(99), Duration::ZERO);
    }
}
