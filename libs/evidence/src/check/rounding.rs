//! Where the value of a number lies that is written rounded, and in what units it may be meant.

use std::ops::RangeInclusive;

use crate::quantity::{Dimension, Precision, Quantity, Unit};

/// What a number without a unit may be in: seconds, minutes, hours, and sizes.
const UNSPELLED: [(Dimension, f64); 6] = [
    (Dimension::Seconds, 1.0),
    (Dimension::Seconds, 60.0),
    (Dimension::Seconds, 3_600.0),
    (Dimension::Bytes, 1_048_576.0),
    (Dimension::Bytes, 1_073_741_824.0),
    (Dimension::Percent, 1.0),
];
/// How far off a computed number may be that is called approximate, and how far beyond one `more than` reaches.
const ABOUT: f64 = 0.15;
const BEYOND: f64 = 0.25;

/// Whether something holds of the number in one of the units that it may have.
pub(super) fn any(
    claimed: &Quantity,
    precision: Precision,
    holds: impl Fn(Dimension, &RangeInclusive<f64>) -> bool,
) -> bool {
    let range = range(claimed, precision);
    // Its unit may stand further behind: `12.6 of the last 30 seconds`.
    let spelled: &[(Dimension, f64)] =
        if claimed.unit == Unit::NONE && claimed.step < 1.0 { &UNSPELLED } else { &[] };
    claimed
        .dimensions()
        .iter()
        .chain(spelled)
        .any(|(dimension, size)| holds(*dimension, &(range.start() * size..=range.end() * size)))
}

/// Where the value of a number lies that is rounded as it is written; zeros at its end may be rounded, too.
fn range(claimed: &Quantity, precision: Precision) -> RangeInclusive<f64> {
    let mut step = claimed.step;
    while step >= 1.0
        && claimed.number >= step * 10.0
        && (claimed.number / (step * 10.0)).fract() < 1e-9
    {
        step *= 10.0;
    }
    let step = step.min(claimed.number * 0.1).max(claimed.step);
    let (low, high) = (claimed.number - step, claimed.number + step);
    match precision {
        Precision::AsWritten => low..=high,
        Precision::About => {
            low.min(claimed.number * (1.0 - ABOUT))..=high.max(claimed.number * (1.0 + ABOUT))
        }
        Precision::AtLeast => low..=high.max(claimed.number * (1.0 + BEYOND)),
        Precision::AtMost => low.min(claimed.number * (1.0 - BEYOND))..=high,
    }
}
