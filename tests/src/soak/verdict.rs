//! Whether the memory and the descriptors of a process are flat.
//!
//! The first third of a process' time is its warm-up: pools, caches and allocators fill. The rest is divided into eight
//! parts, whose medians are compared: medians, because a fault or a burst shows in single samples. The largest step
//! between two parts does not count, because a table that is loaded at its first use, such as the tokenizer's, is one
//! step, and a leak is as many as there are parts.

use std::fmt;

use crate::process::Sample;

/// What memory may grow by: a fifth, and what an allocator keeps of one burst.
const MEMORY_RATIO: f64 = 1.2;
const MEMORY_SLACK_KIB: u64 = 6 * 1024;
/// What the descriptors may grow by: the connections of the work that is in progress.
const DESCRIPTOR_RATIO: f64 = 1.2;
const DESCRIPTOR_SLACK: u64 = 12;
/// A process that lived for fewer samples is not judged.
const FEWEST_SAMPLES: usize = 36;

/// The samples of one service; they begin anew when its process does.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    pid: i32,
    restarts: usize,
    samples: Vec<Sample>,
}

/// What the samples show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    memory_kib: Growth,
    descriptors: Growth,
    samples: usize,
    restarts: usize,
}

/// The parts that are compared.
const PARTS: usize = 8;

/// The median of each part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Growth([u64; PARTS]);

impl Series {
    pub(super) fn add(&mut self, pid: i32, sample: Sample) {
        if self.pid != pid {
            self.restarts += usize::from(!self.samples.is_empty());
            self.samples.clear();
            self.pid = pid;
        }
        self.samples.push(sample);
    }

    /// None without a sample.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let warm = self.samples.get(self.samples.len() / 3..)?;
        let growth = |of: fn(&Sample) -> u64| {
            let mut medians = [0; PARTS];
            for (part, value) in medians.iter_mut().enumerate() {
                let (from, to) = (warm.len() * part / PARTS, warm.len() * (part + 1) / PARTS);
                *value = median(warm.get(from..to.max(from + 1))?, of)?;
            }
            Some(Growth(medians))
        };
        Some(Verdict {
            memory_kib: growth(|sample| sample.memory_kib)?,
            descriptors: growth(|sample| sample.descriptors)?,
            samples: self.samples.len(),
            restarts: self.restarts,
        })
    }
}

fn median(samples: &[Sample], of: fn(&Sample) -> u64) -> Option<u64> {
    let mut values: Vec<u64> = samples.iter().map(of).collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

impl Growth {
    fn first(self) -> u64 {
        let [first, ..] = self.0;
        first
    }

    fn last(self) -> u64 {
        let [.., last] = self.0;
        last
    }

    fn is_flat(self, ratio: f64, slack: u64) -> bool {
        let steps = self.0.iter().zip(self.0.iter().skip(1));
        let step = steps.map(|(one, next)| next.saturating_sub(*one)).max().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let (first, last) = (self.first() as f64, self.last().saturating_sub(slack + step) as f64);
        last <= first * ratio
    }
}

impl Verdict {
    pub(super) fn is_flat(&self) -> bool {
        self.samples < FEWEST_SAMPLES
            || self.memory_kib.is_flat(MEMORY_RATIO, MEMORY_SLACK_KIB)
                && self.descriptors.is_flat(DESCRIPTOR_RATIO, DESCRIPTOR_SLACK)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory_kib, descriptors, samples, restarts } = self;
        let state = match (self.is_flat(), *samples < FEWEST_SAMPLES) {
            (_, true) => "not judged: its process is too young",
            (true, false) => "flat",
            (false, false) => "GROWS",
        };
        write!(
            out,
            "memory {} to {} KiB, descriptors {} to {}, {samples} samples, {restarts} restarts: {state}",
            memory_kib.first(),
            memory_kib.last(),
            descriptors.first(),
            descriptors.last()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(memory: impl Fn(u64) -> u64, descriptors: impl Fn(u64) -> u64) -> Verdict {
        let mut series = Series::default();
        for time in 0..120 {
            let sample = Sample { memory_kib: memory(time), descriptors: descriptors(time) };
            series.add(7, sample);
        }
        series.verdict().unwrap()
    }

    #[test]
    fn a_warm_up_and_single_bursts_are_flat() {
        let warm = |time| 20_000 + 1_000 * u64::min(time, 30);
        let bursts = |time| if time % 10 == 0 { 300 } else { 40 };
        assert!(verdict(warm, bursts).is_flat());
    }

    #[test]
    fn a_table_that_is_loaded_once_is_flat() {
        for loaded in [45, 60, 100] {
            let table = |time| if time < loaded { 10_000 } else { 45_000 };
            assert!(verdict(table, |_| 40).is_flat(), "{loaded}");
        }
        assert!(!verdict(|time| 10_000 + 20_000 * (time / 30), |_| 40).is_flat());
    }

    #[test]
    fn what_grows_all_the_time_is_not_flat() {
        assert!(!verdict(|time| 30_000 + 300 * time, |_| 40).is_flat());
        assert!(!verdict(|_| 30_000, |time| 40 + time / 2).is_flat());
    }

    #[test]
    fn a_new_process_begins_anew() {
        let mut series = Series::default();
        let sample = |memory_kib| Sample { memory_kib, descriptors: 10 };
        for time in 0..100 {
            series.add(1, sample(time * 1_000));
        }
        for _ in 0..40 {
            series.add(2, sample(50_000));
        }
        let verdict = series.verdict().unwrap();
        assert!(verdict.is_flat(), "{verdict}");
        assert_eq!((verdict.restarts, verdict.samples), (1, 40));
    }
}
