//! Values over time.

use jiff::Timestamp;

/// Series of one result; a bound on time and memory.
pub(super) const MOST_SERIES: usize = 500;
/// Fewer points show no change.
pub(super) const LEAST_POINTS: usize = 6;

/// The values of one metric of one object, in the order of time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    /// The query where a result names no metric; empty without both.
    pub(crate) name: String,
    /// Without its port; empty if the result names none.
    pub(crate) object: String,
    /// The machine or instance that its labels name, without its port.
    pub(crate) machine: String,
    /// As the result writes it; empty if it writes none.
    pub(crate) unit: String,
    pub(crate) points: Vec<Point>,
    /// Where its name stands, or what has its points.
    pub(crate) line: usize,
    /// The index of the result.
    pub(crate) result: usize,
}

/// A value at a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) at: Timestamp,
    pub(crate) value: f64,
    /// As the result writes it.
    pub(crate) text: String,
    pub(crate) line: usize,
    /// Where its time stands.
    pub(crate) time_line: usize,
}

/// A point of two texts with their lines; none if they are no time and no finite number.
pub(super) fn point(time: (&str, usize), value: (&str, usize)) -> Option<Point> {
    let number = value.0.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let (at, text) = (time_of(time.0)?, value.0.to_owned());
    Some(Point { at, value: number, text, line: value.1, time_line: time.1 })
}

/// A time with date and zone, without a zone in UTC; or the seconds, milliseconds, microseconds or nanoseconds since 1970.
pub(super) fn time_of(text: &str) -> Option<Timestamp> {
    if let Ok(number) = text.parse::<f64>() {
        // From 1980 on; each unit is a thousand times the one before.
        let mut seconds = Some(number).filter(|seconds| *seconds >= 3.0e8)?;
        while seconds >= 3.0e10 {
            seconds /= 1_000.0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "less than 3.0e13")]
        return Timestamp::from_millisecond((seconds * 1_000.0).round() as i64).ok();
    }
    let text = text.strip_suffix(" UTC").unwrap_or(text);
    let civil = || text.parse::<jiff::civil::DateTime>().ok();
    let in_utc = || civil()?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|time| time.timestamp());
    text.parse().ok().or_else(in_utc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_unit() {
        let expected: Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
        for text in [
            "2026-03-01T10:00:00Z",
            "2026-03-01T11:00:00+01:00",
            "2026-03-01 10:00:00",
            "2026-03-01 10:00:00 UTC",
            "2026-03-01 10:00:00.000000+00",
            "1772359200",
            "1772359200.000",
            "1772359200000",
            "1772359200000000",
            "1772359200000000000",
            "1.7723592e12",
        ] {
            assert_eq!(time_of(text), Some(expected), "{text}");
        }
        for text in ["12", "0", "-5", "NaN", "web-1", "2026"] {
            assert_eq!(time_of(text), None, "{text}");
        }
    }
}
