//! Parsers of the files under `/proc`: pure functions from text to values.
//!
//! The crate `procfs` (0.18) serves worse here. It rejects a whole file when one field or line is missing or
//! unknown, as in containers with a reduced `/proc`; it requires most fields of `meminfo`; it reads load and
//! pressure as `f32`; and it leaves the octal escapes of mount points as they are.

pub(crate) mod cpu;
pub(crate) mod kmsg;
pub(crate) mod load;
pub(crate) mod memory;
pub(crate) mod mounts;
pub(crate) mod network;
pub(crate) mod process;

/// A part of a whole in percent, to one decimal; zero of nothing is zero.
#[expect(clippy::cast_precision_loss, reason = "a percentage needs no more than 53 bits")]
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { round1(part as f64 * 100.0 / whole as f64) }
}

/// Rounds to one decimal.
pub(crate) fn round1(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the values are rounded to one decimal")]
    fn a_percentage_has_one_decimal_and_survives_an_empty_whole() {
        assert_eq!(percent(1, 3), 33.3);
        assert_eq!(percent(5, 0), 0.0);
    }
}
