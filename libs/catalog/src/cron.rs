//! Cron expressions, and the times that they stand for.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;

/// Five fields, without seconds and years, as crontab and Kubernetes have them.
fn parse(expression: &str) -> Option<Cron> {
    let parser = CronParser::builder();
    let parser = parser.seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(expression.trim()).ok()
}

pub(crate) fn is_expression(text: &str) -> bool {
    parse(text).is_some()
}

pub(crate) fn is_time_zone(name: &str) -> bool {
    name.parse::<Tz>().is_ok()
}

/// A time that the clocks of the zone skip is the moment after the gap; one that they show twice counts once.
pub(crate) fn next_after(expression: &str, zone: &str, time: Timestamp) -> Option<Timestamp> {
    let (cron, zone) = (parse(expression)?, zone.parse::<Tz>().ok()?);
    let time = DateTime::<Utc>::from_timestamp(time.as_second(), 0)?;
    let next = cron.find_next_occurrence(&time.with_timezone(&zone), false).ok()?;
    Timestamp::from_second(next.timestamp()).ok()
}

/// The last time until this one, itself included.
pub(crate) fn last_until(expression: &str, zone: &str, time: Timestamp) -> Option<Timestamp> {
    let (cron, zone) = (parse(expression)?, zone.parse::<Tz>().ok()?);
    let time = DateTime::<Utc>::from_timestamp(time.as_second(), 0)?;
    let last = cron.find_previous_occurrence(&time.with_timezone(&zone), true).ok()?;
    Timestamp::from_second(last.timestamp()).ok()
}

pub(crate) fn describe(expression: &str) -> String {
    parse(expression).map(|cron| cron.describe()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(expression: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
        let mut time: Timestamp = after.parse().unwrap();
        let mut found = Vec::new();
        for _ in 0..count {
            let next = next_after(expression, zone, time).unwrap();
            assert!(next > time, "{expression}: {next} is not after {time}");
            time = next;
            found.push(time.to_string());
        }
        found
    }

    #[test]
    fn expressions_are_those_of_crontab() {
        for text in
            ["0 6 * * 1-5", "*/15 * * * *", "@daily", "0 0 1 jan *", "30 2 * * sun", "0 12 L * *"]
        {
            assert!(is_expression(text), "{text}");
        }
        for text in ["", "6", "0 6 * *", "0 0 6 * * *", "61 * * * *", "every day", "0 25 * * *"] {
            assert!(!is_expression(text), "{text}");
        }
    }

    #[test]
    fn times_are_those_of_the_zone() {
        let found = times("0 6 * * 1-5", "Europe/Berlin", "2026-07-03T05:00:00Z", 2);
        assert_eq!(found, ["2026-07-06T04:00:00Z", "2026-07-07T04:00:00Z"]);
    }

    #[test]
    fn a_time_that_the_clock_skips_runs_once_and_one_that_it_shows_twice_runs_once() {
        let spring = times("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2);
        assert_eq!(spring, ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
        let autumn = times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2);
        assert_eq!(autumn, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
    }

    #[test]
    fn the_hour_that_comes_twice_counts_once() {
        let found = times("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:59:00Z", 4);
        let expected =
            ["00:00", "00:30", "02:00", "02:30"].map(|at| format!("2026-10-25T{at}:00Z"));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_time_is_one_of_those_that_come_next() {
        for (expression, zone) in [
            ("*/30 * * * *", "Europe/Berlin"),
            ("30 2 * * *", "Europe/Berlin"),
            ("0 6 * * 1-5", "America/New_York"),
            ("@daily", "UTC"),
        ] {
            // Over the hour that comes twice.
            let mut time: Timestamp = "2026-10-24T20:00:00Z".parse().unwrap();
            for _ in 0..12 {
                let next = next_after(expression, zone, time).unwrap();
                let last = last_until(expression, zone, next).unwrap();
                assert_eq!(last, next, "{expression} in {zone}");
                time = next;
            }
        }
    }

    #[test]
    fn a_day_that_never_comes_is_none() {
        assert_eq!(next_after("0 0 30 2 *", "UTC", Timestamp::UNIX_EPOCH), None);
    }
}
