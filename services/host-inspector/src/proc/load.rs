//! `/proc/loadavg`, `/proc/uptime` and `/proc/pressure/*`.

use serde::Serialize;

/// The load averages and the run queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Load {
    #[serde(rename = "1m")]
    pub(crate) one: f64,
    #[serde(rename = "5m")]
    pub(crate) five: f64,
    #[serde(rename = "15m")]
    pub(crate) fifteen: f64,
    pub(crate) runnable: u64,
    pub(crate) tasks: u64,
}

/// Reads `/proc/loadavg`.
pub(crate) fn load(text: &str) -> Option<Load> {
    let mut parts = text.split_ascii_whitespace();
    let mut number = || parts.next()?.parse::<f64>().ok();
    let (one, five, fifteen) = (number()?, number()?, number()?);
    let (runnable, tasks) = parts.next()?.split_once('/')?;
    Some(Load { one, five, fifteen, runnable: runnable.parse().ok()?, tasks: tasks.parse().ok()? })
}

/// Reads the seconds since boot from `/proc/uptime`.
pub(crate) fn uptime_seconds(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().next()?.split('.').next()?.parse().ok()
}

/// Writes a duration as days, hours and minutes.
pub(crate) fn human_duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}m {}s", seconds % 60),
        (0, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h {minutes}m"),
    }
}

/// One line of a pressure file: the share of time tasks waited, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Pressure {
    pub(crate) avg10: f64,
    pub(crate) avg60: f64,
    pub(crate) avg300: f64,
}

/// Reads a pressure file: `some` (at least one task waited) and `full` (all did).
pub(crate) fn pressure(text: &str) -> (Option<Pressure>, Option<Pressure>) {
    let line = |name: &str| text.lines().find_map(|line| pressure_line(line.strip_prefix(name)?));
    (line("some "), line("full "))
}

fn pressure_line(rest: &str) -> Option<Pressure> {
    let field = |name: &str| {
        rest.split_ascii_whitespace().find_map(|part| part.strip_prefix(name)?.parse::<f64>().ok())
    };
    Some(Pressure { avg10: field("avg10=")?, avg60: field("avg60=")?, avg300: field("avg300=")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_has_three_averages_and_the_run_queue() {
        let found = load("2.08 1.05 0.43 4/102 14915\n").expect("readable");
        assert_eq!(found, Load { one: 2.08, five: 1.05, fifteen: 0.43, runnable: 4, tasks: 102 });
    }

    #[test]
    fn a_broken_load_is_none() {
        for text in ["", "1.0 2.0", "a b c d/e", "1 2 3 4"] {
            assert_eq!(load(text), None, "{text}");
        }
    }

    #[test]
    fn uptime_is_whole_seconds_and_is_formatted_for_people() {
        assert_eq!(uptime_seconds("93784.55 150000.00\n"), Some(93_784));
        assert_eq!(human_duration(93_784), "1d 2h 3m");
        assert_eq!(human_duration(3_660), "1h 1m");
        assert_eq!(human_duration(61), "1m 1s");
    }

    #[test]
    fn pressure_has_some_and_sometimes_full() {
        let text = "some avg10=1.50 avg60=0.20 avg300=0.00 total=12\nfull avg10=0.10 avg60=0.00 avg300=0.00 total=1\n";
        let (some, full) = pressure(text);
        assert_eq!(some, Some(Pressure { avg10: 1.5, avg60: 0.2, avg300: 0.0 }));
        assert!(full.is_some());
        assert_eq!(pressure("some avg10=x"), (None, None));
    }
}
