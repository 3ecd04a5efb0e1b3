//! Cron expressions, and the times that they stand for.

use chrono::{DateTime, LocalResult, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::Timestamp;

const HOURS: usize = 24;
/// What the crate marks a number of a field with that is meant on every day.
const ALL_BIT: u8 = 1;
/// The longest gap that is looked over: of a zone that skipped a day.
const MINUTES: i64 = 26 * 60;

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

/// The times of an expression in its zone.
///
/// They are looked for on a clock without changes, and each stands for one moment: one that the clocks of the zone skip for the
/// end of the gap, one that they show twice for the first of both.
struct Times {
    cron: Cron,
    zone: Tz,
    /// Whether it comes every hour: then nothing is missing if an hour is.
    is_hourly: bool,
}

impl Times {
    fn read(expression: &str, zone: &str) -> Option<Self> {
        let cron = parse(expression)?;
        let hours = cron.pattern.hours.get_set_values(ALL_BIT);
        Some(Self { cron, zone: zone.parse().ok()?, is_hourly: hours.len() == HOURS })
    }

    /// What the clocks of the zone show.
    fn shown(&self, time: DateTime<Utc>) -> DateTime<Utc> {
        time.with_timezone(&self.zone).naive_local().and_utc()
    }

    /// The moment that a time of the clock stands for; none of one that is left out.
    fn moment(&self, shown: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let of = |minutes| self.zone.from_local_datetime(&later(shown, minutes).naive_utc());
        let end_of_gap = || (1..MINUTES).find_map(|minutes| of(minutes).earliest());
        let found = of(0).earliest().or_else(|| end_of_gap().filter(|_| !self.is_hourly));
        found.map(|time| time.with_timezone(&Utc))
    }

    fn next_after(&self, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let next = |shown: &DateTime<Utc>| self.cron.find_next_occurrence(shown, false).ok();
        let mut shown = std::iter::successors(next(&self.shown(time)), next);
        shown.find_map(|shown| self.moment(shown).filter(|moment| *moment > time))
    }

    fn last_until(&self, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let before = |inclusive| {
            move |shown: &DateTime<Utc>| self.cron.find_previous_occurrence(shown, inclusive).ok()
        };
        let mut shown =
            std::iter::successors(before(true)(&self.latest_shown(time)), before(false));
        shown.find_map(|shown| self.moment(shown).filter(|moment| *moment <= time))
    }

    /// The latest that the clocks have shown until then: in an hour that comes again, the end of it.
    fn latest_shown(&self, time: DateTime<Utc>) -> DateTime<Utc> {
        let shown = self.shown(time);
        match self.zone.from_local_datetime(&shown.naive_utc()) {
            LocalResult::Ambiguous(first, second) if time >= second => shown + (second - first),
            _ => shown,
        }
    }
}

fn later(time: DateTime<Utc>, minutes: i64) -> DateTime<Utc> {
    time.checked_add_signed(TimeDelta::minutes(minutes)).unwrap_or(time)
}

/// The first time after `time`.
pub(crate) fn next_after(expression: &str, zone: &str, time: Timestamp) -> Option<Timestamp> {
    let next = Times::read(expression, zone)?.next_after(read(time)?)?;
    Timestamp::from_second(next.timestamp()).ok()
}

/// The last time until this one, itself included.
pub(crate) fn last_until(expression: &str, zone: &str, time: Timestamp) -> Option<Timestamp> {
    let last = Times::read(expression, zone)?.last_until(read(time)?)?;
    Timestamp::from_second(last.timestamp()).ok()
}

fn read(time: Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(time.as_second(), 0)
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
    fn one_of_several_times_of_a_day_that_the_clock_skips_runs_after_it() {
        let twice = times("10 2,14 * * *", "Europe/Berlin", "2026-03-28T22:00:00Z", 3);
        assert_eq!(twice, ["2026-03-29T01:00:00Z", "2026-03-29T12:10:00Z", "2026-03-30T00:10:00Z"]);
        let within = times("*/20 2 * * *", "Europe/Berlin", "2026-03-28T22:00:00Z", 2);
        assert_eq!(within, ["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"], "once");
        let hourly = times("10 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 3);
        assert_eq!(hourly, ["00:10", "01:10", "02:10"].map(|at| format!("2026-03-29T{at}:00Z")));
    }

    #[test]
    fn a_day_whose_midnight_the_clock_skips_is_not_left_out() {
        // The Sunday begins at one.
        for expression in ["@weekly", "0 0 6 9 *", "0 0 * * *"] {
            let found = times(expression, "America/Santiago", "2026-09-05T12:00:00Z", 1);
            assert_eq!(found, ["2026-09-06T04:00:00Z"], "{expression}");
            let noon = "2026-09-06T15:00:00Z".parse().unwrap();
            let last = last_until(expression, "America/Santiago", noon).unwrap();
            assert_eq!(last.to_string(), "2026-09-06T04:00:00Z", "{expression}");
        }
    }

    #[test]
    fn the_hour_that_comes_twice_counts_once() {
        let found = times("*/30 * * * *", "Europe/Berlin", "2026-10-24T23:59:00Z", 4);
        let expected =
            ["00:00", "00:30", "02:00", "02:30"].map(|at| format!("2026-10-25T{at}:00Z"));
        assert_eq!(found, expected);
        for expression in ["*/30 * * * *", "30 2 * * *"] {
            // A quarter past two for the second time: the last one is half past two for the first time.
            let time: Timestamp = "2026-10-25T01:15:00Z".parse().unwrap();
            let last = last_until(expression, "Europe/Berlin", time).unwrap();
            assert_eq!(last.to_string(), "2026-10-25T00:30:00Z", "{expression}");
            let next = next_after(expression, "Europe/Berlin", time).unwrap();
            assert!(next > time, "{expression}: {next}");
        }
    }

    fn last_is_next(expression: &str, zone: &str, begin: &str) {
        let second = jiff::SignedDuration::from_secs(1);
        let mut time: Timestamp = begin.parse().unwrap();
        for _ in 0..12 {
            let next = next_after(expression, zone, time).unwrap();
            let last = |until| last_until(expression, zone, until).unwrap();
            assert_eq!((last(next), last(next + second)), (next, next), "{expression} in {zone}");
            time = next;
        }
    }

    #[test]
    fn the_last_time_is_one_of_those_that_come_next() {
        for (expression, zone) in [
            ("*/30 * * * *", "Europe/Berlin"),
            ("30 2 * * *", "Europe/Berlin"),
            ("0 1-4 * * *", "Europe/Berlin"),
            ("0 6 * * 1-5", "America/New_York"),
            ("@daily", "America/Santiago"),
            ("@daily", "UTC"),
        ] {
            // Over the hours that come twice, and over those that are skipped.
            for begin in ["2026-10-24T20:00:00Z", "2026-03-28T20:00:00Z", "2026-09-05T20:00:00Z"] {
                last_is_next(expression, zone, begin);
            }
        }
    }

    #[test]
    fn a_day_that_never_comes_is_none() {
        assert_eq!(next_after("0 0 30 2 *", "UTC", Timestamp::UNIX_EPOCH), None);
    }
}
