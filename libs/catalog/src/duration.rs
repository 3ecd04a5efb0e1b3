//! Durations as people write them: `30s`, `15m`, `1h30m`, `1.5h`, `500ms`, `7d`.

use std::time::Duration;

/// Go writes the small ones, too.
const UNITS: [(&str, f64); 9] = [
    ("ms", 1e-3),
    ("us", 1e-6),
    ("\u{b5}s", 1e-6),
    ("\u{3bc}s", 1e-6),
    ("ns", 1e-9),
    ("d", 86_400.0),
    ("h", 3_600.0),
    ("m", 60.0),
    ("s", 1.0),
];
const LONGEST_SECONDS: f64 = 3_650.0 * 86_400.0;

/// Reads a duration; `None` when the text is none.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(digits)?;
        let (unit, factor) = UNITS.iter().find(|(unit, _)| after.starts_with(unit))?;
        seconds += number.parse::<f64>().ok()? * factor;
        rest = after.get(unit.len()..)?.trim_start();
    }
    (seconds <= LONGEST_SECONDS).then(|| Duration::try_from_secs_f64(seconds).ok())?
}

/// Writes a duration with the largest unit that leaves a whole number.
pub(crate) fn show(duration: Duration) -> String {
    let millis = duration.as_millis();
    let units = [("h", 3_600_000), ("m", 60_000), ("s", 1_000)];
    let unit = units.into_iter().find(|(_, factor)| millis > 0 && millis.is_multiple_of(*factor));
    match unit {
        Some((unit, factor)) => format!("{}{unit}", millis / factor),
        None if millis == 0 => "0s".to_owned(),
        None => format!("{millis}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        let seconds = |text| parse(text).map(|duration| duration.as_secs_f64());
        assert_eq!(seconds("15m"), Some(900.0));
        assert_eq!(seconds("1h30m"), Some(5400.0));
        assert_eq!(seconds("1.5h"), Some(5400.0));
        assert_eq!(seconds("500ms"), Some(0.5));
        assert_eq!(seconds("1h 2m 3s"), Some(3723.0));
        assert_eq!(seconds("7d"), Some(604_800.0));
        assert_eq!(seconds("0s"), Some(0.0));
        assert_eq!(seconds("0"), Some(0.0));
        assert_eq!(seconds("1h0m0s"), Some(3600.0));
        assert_eq!(seconds("1500000us"), Some(1.5));
    }

    #[test]
    fn durations_are_shown_with_one_unit() {
        for text in ["12h", "15m", "90s", "500ms", "0s", "1m"] {
            assert_eq!(parse(text).map(show).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "15", "m", "15 minutes", "-5s", "1..5s", "5x", "99999999d", "s5"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
