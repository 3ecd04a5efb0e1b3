//! What values must be to mean a fault.

use crate::facts::{Cell, Row};
use crate::text::quantity;
use crate::verdict::Category;

/// An autoscaler changes nothing below this multiple of its target.
const TOLERATED: f64 = 1.1;

/// Values that together mean a fault.
pub(super) struct State {
    /// Each of them must be so; the first ones are quoted.
    pub(super) when: &'static [(&'static str, Is)],
    pub(super) category: Category,
    /// As [`Signal::weight`].
    pub(super) weight: f64,
    pub(super) cause: &'static str,
    /// The kind of the object, and the values that name it.
    pub(super) object: (&'static str, &'static [&'static str]),
}

/// What a value must be.
#[derive(Clone, Copy)]
pub(super) enum Is {
    There,
    /// One of these words, whatever the case of its letters.
    Word(&'static [&'static str]),
    /// It contains this, in small letters.
    Has(&'static str),
    AtLeast(f64),
    /// At least this part of another value.
    Share(&'static str, f64),
    /// A time later than another value, or one without the other.
    After(&'static str),
    /// More than it should be, beyond what an autoscaler tolerates: `cpu: 310%/80%`, `12500m/10`.
    AboveTarget,
    /// An interval of at least this many seconds: `05:12:41.1`, `463.1 seconds`, `1 day 02:00:00`.
    Seconds(f64),
}

impl Is {
    pub(super) fn fits(self, row: &Row, cell: &Cell) -> bool {
        let text = cell.text.trim();
        match self {
            Self::There => !text.is_empty(),
            Self::Word(words) => words.iter().any(|word| text.eq_ignore_ascii_case(word)),
            Self::Has(part) => text.to_lowercase().contains(part),
            Self::AtLeast(least) => cell.number().is_some_and(|number| number >= least),
            Self::Share(whole, part) => {
                let whole = row.get(whole).and_then(Cell::number).filter(|whole| *whole > 0.0);
                let number = cell.number().zip(whole);
                number.is_some_and(|(number, whole)| number >= whole * part)
            }
            Self::After(other) => {
                let is_time = text.starts_with(|c: char| c.is_ascii_digit());
                is_time && row.text(other).trim() < text
            }
            Self::AboveTarget => text.split(',').any(is_above_target),
            Self::Seconds(least) => seconds(text).is_some_and(|seconds| seconds >= least),
        }
    }
}

/// Whether a metric of an autoscaler, as `kubectl get hpa` writes it, asks for more replicas.
fn is_above_target(metric: &str) -> bool {
    let values = metric.rsplit_once(": ").map_or(metric, |(_, values)| values);
    let Some((is, should)) = values.trim().split_once('/') else { return false };
    let number = |text: &str| quantity(text.trim_end_matches(" (avg)").trim_end_matches('%'));
    let numbers = number(is).zip(number(should));
    numbers.is_some_and(|(is, should)| should > 0.0 && is > should * TOLERATED)
}

/// The seconds of an interval as databases and `chronyc` write it.
fn seconds(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.windows(2) {
        let [number, unit] = pair else { continue };
        let factor = match unit.trim_end_matches('s') {
            "day" => 86_400.0,
            "second" => 1.0,
            _ => continue,
        };
        total += number.parse::<f64>().ok()? * factor;
    }
    let Some(clock) = words.iter().find(|word| word.matches(':').count() == 2) else {
        return (total > 0.0).then_some(total);
    };
    let parts: Vec<f64> = clock.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [hours, minutes, rest] = parts.as_slice() else { return None };
    Some(total + hours * 3_600.0 + minutes * 60.0 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_of_autoscalers_are_read_as_kubectl_writes_them() {
        for above in ["310%/80%", "cpu: 310%/80%", "12500m/10", "1610612736/1Gi (avg)"] {
            assert!(is_above_target(above), "{above}");
        }
        for other in ["85%/80%", "cpu: <unknown>/70%", "9500m/10", "<unknown>", "900Mi/1Gi"] {
            assert!(!is_above_target(other), "{other}");
        }
    }

    #[test]
    fn intervals_are_read_as_databases_write_them() {
        assert_eq!(seconds("05:12:41.5"), Some(18_761.5));
        assert_eq!(seconds("1 day 00:00:10"), Some(86_410.0));
        assert_eq!(seconds("463.1 seconds fast of NTP time"), Some(463.1));
        assert_eq!(seconds("2026-05-01"), None);
    }
}
