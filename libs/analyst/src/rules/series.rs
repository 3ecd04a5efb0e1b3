//! Values over time that are beyond what they may be and stay so: which one, since when, and what moved before it.

mod connections;
mod evidence;
mod meaning;
mod statement;

use crate::assertion::is_other_machine;
use crate::facts::Facts;
use crate::signal::Signal;
use crate::verdict::Category;

use evidence::{base, moved, quotes};
use meaning::{Driver, MEANINGS, Meaning, Seen};

/// Points by which what brings something about may be seen later than that: values are averages of a period.
const LATE: usize = 2;
/// Metrics that are stated as what brings another one about.
const MOST_DRIVERS: usize = 2;
/// How much less a message about a full disk weighs once there is space again.
const RECOVERED: f64 = 60.0;

/// Metrics that are alarming at the end of what was measured, each with what moved no later.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let seen: Vec<Seen<'_>> = facts.series.iter().map(Seen::of).collect();
    let is_meant = |one: &&Seen<'_>| {
        !is_other_machine(&facts.focus, &[&one.series.machine])
            || facts.focus.mentions(&one.series.object)
    };
    for one in seen.iter().filter(is_meant) {
        let fits = |meaning: &&Meaning| one.has(meaning.words, meaning.others);
        let meaning = MEANINGS.iter().find(fits).filter(|meaning| (meaning.is_alarming)(one));
        found.extend(meaning.map(|meaning| signal(facts, one, meaning, &seen)));
    }
    found.extend(seen.iter().filter(is_meant).filter_map(|one| connections::of(facts, one, &seen)));
    recovered(&seen, found);
}

/// Messages about space that ran out count little once values show that there is space again.
fn recovered(seen: &[Seen<'_>], found: &mut [Signal]) {
    let again = |signal: &&mut Signal| {
        signal.category == Category::Disk
            && seen
                .iter()
                .any(|one| one.has_space_again() && one.series.object == signal.target.name)
    };
    for signal in found.iter_mut().filter(again) {
        signal.weight -= RECOVERED;
    }
}

fn signal(facts: &Facts, one: &Seen<'_>, meaning: &Meaning, seen: &[Seen<'_>]) -> Signal {
    let mut signal = base(facts, one, (meaning.category, meaning.weight), meaning.cause);
    let mut drivers =
        meaning.drivers.iter().map(|driver| (driver, moved_before(one, driver, seen)));
    if let Some((driver, others)) = drivers.find(|(_, others)| !others.is_empty()) {
        let moves: Vec<String> = others.iter().map(|other| moved(other)).collect();
        signal.cause = format!("{}, {}: {}", signal.cause, driver.because, moves.join(", "));
        signal.weight += driver.more;
        signal.quotes.extend(others.iter().flat_map(|other| quotes(facts, other)));
    }
    statement::add(facts, &mut signal, meaning.work);
    signal
}

/// The metrics that rose and stayed up, no later than another one changed; the first ones first.
fn moved_before<'s, 'f>(
    one: &Seen<'f>,
    driver: &Driver,
    seen: &'s [Seen<'f>],
) -> Vec<&'s Seen<'f>> {
    let Some(until) = one.change.and_then(|change| one.series.points.get(change.at + LATE)) else {
        return Vec::new();
    };
    let began = |other: &Seen<'_>| {
        let change = other.change.filter(|_| other.stays_up())?;
        other.series.points.get(change.at).map(|point| point.at)
    };
    let is_other = |other: &&Seen<'_>| !std::ptr::eq(other.series, one.series);
    let mut found: Vec<&Seen<'_>> = seen
        .iter()
        .filter(is_other)
        .filter(|other| other.has(driver.words, driver.others))
        .filter(|other| began(other).is_some_and(|at| at <= until.at))
        .collect();
    found.sort_by_key(|other| began(other));
    found.truncate(MOST_DRIVERS);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::alert::Focus;
    use crate::transcript::{CallRecord, Transcript};

    /// A matrix of Prometheus: name, object, values.
    fn matrix(metrics: &[(&str, &str, &[f64])]) -> String {
        let of = |(name, object, values): &(&str, &str, &[f64])| {
            let pairs: Vec<String> = (0..)
                .zip(*values)
                .map(|(at, value)| format!("[{}, \"{value}\"]", 1_772_359_200 + at * 60))
                .collect();
            format!(
                r#"{{"metric": {{"__name__": "{name}", "instance": "{object}"}}, "values": [{}]}}"#,
                pairs.join(", ")
            )
        };
        let all: Vec<String> = metrics.iter().map(of).collect();
        format!(r#"{{"resultType": "matrix", "result": [{}]}}"#, all.join(",\n"))
    }

    fn found(metrics: &[(&str, &str, &[f64])]) -> Vec<Signal> {
        let call = CallRecord {
            number: 1,
            tool: "prometheus.query_range".to_owned(),
            arguments: json!({}),
            text: matrix(metrics),
            failed: false,
        };
        let transcript = Transcript { calls: vec![call], ..Transcript::default() };
        let facts = crate::facts::read(&transcript, &Focus::default());
        let mut found = Vec::new();
        find(&facts, &mut found);
        found
    }

    const LAG: &[f64] = &[1.0, 2.0, 1.0, 1.0, 60.0, 130.0, 190.0, 260.0, 330.0, 400.0];

    #[test]
    fn what_rose_before_is_stated_as_what_brings_it_about() {
        let writes = [40.0, 42.0, 41.0, 400.0, 410.0, 405.0, 400.0, 402.0, 404.0, 401.0];
        let late = [40.0, 42.0, 41.0, 40.0, 41.0, 42.0, 40.0, 41.0, 400.0, 410.0];
        let lag = ("mysql_slave_status_seconds_behind_master", "db-2:9104", LAG);
        let signals = found(&[lag, ("binlog_bytes_written", "db-1:9104", &writes)]);
        let [signal] = signals.as_slice() else { panic!("{signals:?}") };
        assert_eq!(signal.target.name, "db-2");
        assert!(signal.cause.contains("write-heavy workload"), "{}", signal.cause);
        assert!(signal.cause.contains("`binlog_bytes_written` rose"), "{}", signal.cause);
        let signals = found(&[lag, ("binlog_bytes_written", "db-1:9104", &late)]);
        let [signal] = signals.as_slice() else { panic!("{signals:?}") };
        assert!(!signal.cause.contains("write-heavy"), "it rose later: {}", signal.cause);
    }

    #[test]
    fn what_has_returned_small_or_in_range_is_nothing() {
        let over = [1.0, 1.0, 90.0, 200.0, 300.0, 200.0, 90.0, 1.0, 1.0, 1.0];
        let small = [0.1, 0.1, 0.2, 0.1, 4.0, 4.5, 4.2, 4.4, 4.1, 4.3];
        let cpu = [20.0, 22.0, 21.0, 23.0, 55.0, 57.0, 54.0, 56.0, 55.0, 56.0];
        let free = [90.0, 88.0, 89.0, 87.0, 70.0, 69.0, 68.0, 70.0, 69.0, 68.0];
        let signals = found(&[
            ("pg_replication_lag_seconds", "a", &over),
            ("pg_replication_lag_seconds", "b", &small),
            ("cpu_percent", "a", &cpu),
            ("free_disk_space_percent", "a", &free),
        ]);
        assert!(signals.is_empty(), "{signals:?}");
    }

    #[test]
    fn space_that_runs_out_and_credits_that_are_used_up_are_causes() {
        let falling = [100.0, 98.0, 80.0, 61.0, 40.0, 22.0, 12.0, 6.0, 3.0, 1.0];
        for (name, words) in [
            ("FreeStorageSpace", "free storage space"),
            ("CPUCreditBalance", "throttled to its baseline"),
        ] {
            let signals = found(&[(name, "db-1", &falling)]);
            let [signal] = signals.as_slice() else { panic!("{signals:?}") };
            assert!(signal.cause.contains(words), "{}", signal.cause);
        }
    }
}
