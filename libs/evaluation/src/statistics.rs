//! Confidence intervals of shares and means.

use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A 95 % confidence interval: of a share from 0 to 1, of a mean in its unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Wilson's score interval of `hits` of `total`; from 0 to 1 without observations.
pub fn wilson(hits: u32, total: u32) -> Interval {
    if total == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, share) = (f64::from(total), f64::from(hits) / f64::from(total));
    let spread = Z * Z / n;
    let center = (share + spread / 2.0) / (1.0 + spread);
    let half = Z / (1.0 + spread) * (share * (1.0 - share) / n + spread / (4.0 * n)).sqrt();
    Interval { low: (center - half).max(0.0), high: (center + half).min(1.0) }
}

/// Quantiles of Student's distribution for 95 %, by degrees of freedom from 1; beyond, the normal one is used.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// Student's interval of the mean of these values; none of fewer than two.
pub fn mean(values: &[f64]) -> Option<Interval> {
    let free = values.len().checked_sub(1).filter(|free| *free > 0)?;
    let n = f64::from(u32::try_from(values.len()).ok()?);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let quantile = T.get(free - 1).copied().unwrap_or(Z);
    let half = quantile * (squares / (n - 1.0) / n).sqrt();
    Some(Interval { low: mean - half, high: mean + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_that_of_student() {
        // Mean 3, standard deviation 1.5811, t = 2.776 of 4 degrees of freedom.
        let found = mean(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((found.low - 1.037).abs() < 1e-3 && (found.high - 4.963).abs() < 1e-3, "{found:?}");
        assert_eq!(mean(&[7.0]), None);
        let same = mean(&[2.0; 40]).unwrap();
        assert_eq!((same.low, same.high), (2.0, 2.0));
    }

    #[test]
    fn the_interval_is_that_of_the_literature() {
        // Newcombe 1998, table I: 81 of 263 and 15 of 148.
        let one = wilson(81, 263);
        assert!((one.low - 0.2553).abs() < 5e-5 && (one.high - 0.3662).abs() < 5e-5, "{one:?}");
        let other = wilson(15, 148);
        assert!(
            (other.low - 0.0624).abs() < 5e-5 && (other.high - 0.1605).abs() < 5e-5,
            "{other:?}"
        );
    }

    #[test]
    fn the_interval_of_nothing_is_everything_and_of_all_ends_at_one() {
        assert_eq!(wilson(0, 0), Interval { low: 0.0, high: 1.0 });
        let all = wilson(10, 10);
        assert!(all.high >= 1.0 - 1e-9 && all.low > 0.7, "{all:?}");
        let none = wilson(0, 10);
        assert!(none.low <= 1e-9 && none.high < 0.3, "{none:?}");
    }
}
