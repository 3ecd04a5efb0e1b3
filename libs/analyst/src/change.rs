//! Whether a series changes, when, and by how much.
//!
//! One change point, where the sum of squares within both parts is least (Sen and Srivastava 1975; Truong, Oudre and Vayatis
//! 2020). It counts if the levels differ by several standard deviations of the noise, estimated from how far points are from
//! the middle of their neighbours (Gasser, Sroka and Jennen-Steinmetz 1986), so that a slope is a change and noise is none.

use crate::facts::Series;

/// Standard deviations of the noise from which on a change is one.
const LARGE: f64 = 5.0;
/// The least share of the level before by which it changes.
const LEAST_SHARE: f64 = 0.25;
/// The share of the level before that counts as noise at least: a constant series has none of its own.
const LEAST_NOISE: f64 = 0.01;
/// Points whose median is the level of a series at its beginning and at its end.
const LEVEL: usize = 3;
/// The share of a change behind which it has begun.
const BEGUN: f64 = 0.1;
/// The share of a change that has to be gone at the end for it to be over.
const GONE: f64 = 0.75;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    /// The index of the first point that is beyond the level before, and stays so.
    pub(crate) at: usize,
    /// The levels at the beginning, behind the change, and at the end.
    pub(crate) before: f64,
    pub(crate) behind: f64,
    pub(crate) last: f64,
}

impl Change {
    /// The change of a series; none if it has no large one.
    pub(crate) fn of(series: &Series) -> Option<Self> {
        let values: Vec<f64> = series.points.iter().map(|point| point.value).collect();
        let split = split(&values)?;
        let (head, tail) = values.split_at_checked(split)?;
        let before = median(head.get(..LEVEL.min(head.len()))?);
        let behind = median(tail);
        let last = median(tail.get(tail.len().saturating_sub(LEVEL)..)?);
        let moved = behind - before;
        let noise = noise(&values).max(before.abs() * LEAST_NOISE).max(f64::MIN_POSITIVE);
        if moved.abs() < LARGE * noise || moved.abs() < LEAST_SHARE * before.abs() {
            return None;
        }
        let is_beyond = |value: &f64| (value - before) / moved > BEGUN;
        let run = head.iter().rev().take_while(|value| is_beyond(value)).count();
        let late = tail.iter().take_while(|value| !is_beyond(value)).count();
        let at = if run > 0 { head.len() - run } else { head.len() + late };
        Some(Self { at, before, behind, last })
    }

    pub(crate) fn rises(&self) -> bool {
        self.behind > self.before
    }

    /// Whether the series is at its end again about as it was at its beginning.
    pub(crate) fn has_returned(&self) -> bool {
        (self.behind - self.last) / (self.behind - self.before) >= GONE
    }
}

/// The split with the least sum of squares within its parts; none of a constant series.
fn split(values: &[f64]) -> Option<usize> {
    let total: f64 = values.iter().sum();
    let constant = total.powi(2) / count(values.len().max(1));
    let mut sum = 0.0;
    let mut best: Option<(f64, usize)> = None;
    for (at, value) in (1..).zip(values) {
        sum += value;
        let Some(rest) = values.len().checked_sub(at).filter(|rest| *rest > 0) else { break };
        // The sum of squares within is least where that between the parts is largest.
        let between = sum.powi(2) / count(at) + (total - sum).powi(2) / count(rest) - constant;
        if between > best.map_or(0.0, |(most, _)| most) {
            best = Some((between, at));
        }
    }
    best.map(|(_, at)| at)
}

/// The standard deviation of the noise, by the median of the distances of points from the middle of their neighbours.
fn noise(values: &[f64]) -> f64 {
    /// That median of values of a normal distribution, in standard deviations: 0.6745 √1.5.
    const OF_NORMAL: f64 = 0.826;
    let distances = values.windows(3).filter_map(|three| match three {
        [one, point, other] => Some((point - f64::midpoint(*one, *other)).abs()),
        _ => None,
    });
    median(&distances.collect::<Vec<_>>()) / OF_NORMAL
}

#[expect(clippy::cast_precision_loss, reason = "points of a series")]
fn count(number: usize) -> f64 {
    number as f64
}

/// The lower one of two in the middle; 0 of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Point;

    fn change(values: &[f64]) -> Option<Change> {
        let points = (0_i64..).zip(values).map(|(at, value)| Point {
            at: jiff::Timestamp::from_second(1_770_000_000 + at * 60).unwrap(),
            value: *value,
            text: value.to_string(),
            line: 1,
            time_line: 1,
        });
        let (name, object, unit) = (String::new(), String::new(), String::new());
        Change::of(&Series {
            name,
            object,
            machine: String::new(),
            unit,
            points: points.collect(),
            line: 1,
            result: 0,
        })
    }

    #[test]
    fn a_step_is_found_where_it_is_and_noise_is_none() {
        let step = change(&[10.0, 11.0, 9.0, 10.0, 95.0, 97.0, 96.0, 96.0]).unwrap();
        assert_eq!((step.at, step.before, step.behind, step.last), (4, 10.0, 96.0, 96.0));
        assert!(step.rises() && !step.has_returned());
        for noise in [
            &[10.0, 11.0, 9.0, 10.0, 12.0, 9.0, 11.0, 10.0][..],
            &[0.0, 3.0, 1.0, 4.0, 0.0, 2.0, 5.0, 1.0, 3.0],
            &[5.0; 8],
            &[0.0; 8],
            &[1.0],
            &[],
        ] {
            assert_eq!(change(noise), None, "{noise:?}");
        }
    }

    #[test]
    fn a_step_may_follow_the_first_point() {
        let step = change(&[380.0, 12_840.0, 17_210.0, 18_490.0, 18_820.0, 19_010.0]).unwrap();
        assert_eq!((step.at, step.before), (1, 380.0));
    }

    #[test]
    fn a_slope_is_a_change_that_begins_where_it_leaves_its_level() {
        let rising: Vec<f64> = [1.2, 1.1, 1.2, 1.1]
            .into_iter()
            .chain((1..12).map(|at| f64::from(at) * 90.0))
            .collect();
        let rise = change(&rising).unwrap();
        assert_eq!(rise.at, 4);
        assert!(rise.rises() && !rise.has_returned());
        let falling: Vec<f64> = (0..20).map(|at| 100.0 - f64::from(at) * 5.0).collect();
        let fall = change(&falling).unwrap();
        assert!(!fall.rises() && fall.at <= 3, "{fall:?}");
    }

    #[test]
    fn a_peak_that_is_gone_has_returned() {
        let peak = [10.0, 10.0, 11.0, 10.0, 90.0, 95.0, 92.0, 90.0, 93.0, 11.0, 10.0, 10.0];
        assert!(change(&peak).is_none_or(|change| change.has_returned()));
        let dip = [50.0, 40.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0, 0.5, 50.0, 50.0, 50.0];
        assert!(
            change(&dip).is_none_or(|change| change.has_returned() || change.rises()),
            "{dip:?}"
        );
    }
}
