//! Confidence intervals of shares.

use serde::{Deserialize, Serialize};

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A 95 % confidence interval of a share, from 0 to 1.
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

#[cfg(test)]
mod tests {
    use super::*;

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
