//! What is due of a schedule: a function of what is known of it.

use jiff::{SignedDuration, Timestamp};
use tarsy_catalog::{ConcurrencyPolicy, MissedRuns, Schedule};
use tarsy_domain::schedule::ScheduleRunOutcome;
use tarsy_store::ScheduleState;

/// A run that begins later than this is late.
const LATE: SignedDuration = SignedDuration::from_secs(60);

/// A time that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) at: Timestamp,
    pub(super) outcome: ScheduleRunOutcome,
}

/// The newest time that has come and has no row. Those before it are missed.
pub(super) fn due(schedule: &Schedule, state: &ScheduleState) -> Option<Due> {
    let at = schedule.last_until(state.now)?;
    let since = state.last_due.map_or(state.since, |last| last.max(state.since));
    if schedule.suspend || at <= since {
        return None;
    }
    let is_late = state.now.duration_since(at) > LATE;
    let outcome = if is_late && schedule.missed_runs == MissedRuns::Skip {
        ScheduleRunOutcome::Missed
    } else if state.is_running && schedule.concurrency_policy == ConcurrencyPolicy::Forbid {
        ScheduleRunOutcome::StillRunning
    } else {
        ScheduleRunOutcome::Started
    };
    Some(Due { at, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-07-01T{text}Z").parse().unwrap()
    }

    fn hourly() -> Schedule {
        Schedule { cron: "0 * * * *".to_owned(), ..Schedule::default() }
    }

    fn state(now: &str, since: &str, last_due: Option<&str>) -> ScheduleState {
        ScheduleState {
            name: "health".to_owned(),
            now: at(now),
            since: at(since),
            last_due: last_due.map(at),
            is_running: false,
        }
    }

    fn outcome(schedule: &Schedule, state: &ScheduleState) -> Option<ScheduleRunOutcome> {
        due(schedule, state).map(|due| due.outcome)
    }

    #[test]
    fn a_time_is_due_once_and_none_before_the_schedule_was_there() {
        let schedule = hourly();
        assert_eq!(due(&schedule, &state("09:59:59", "09:00:01", None)), None);
        let due_at_ten = Due { at: at("10:00:00"), outcome: ScheduleRunOutcome::Started };
        assert_eq!(due(&schedule, &state("10:00:02", "09:00:01", None)), Some(due_at_ten));
        assert_eq!(due(&schedule, &state("10:00:03", "09:00:01", Some("10:00:00"))), None);
    }

    #[test]
    fn of_times_that_were_missed_the_last_one_runs_or_none() {
        let late = state("13:30:00", "08:30:00", Some("09:00:00"));
        let due_at_one = Due { at: at("13:00:00"), outcome: ScheduleRunOutcome::Started };
        assert_eq!(due(&hourly(), &late), Some(due_at_one));
        let skips = Schedule { missed_runs: MissedRuns::Skip, ..hourly() };
        assert_eq!(outcome(&skips, &late), Some(ScheduleRunOutcome::Missed));
        let in_time = state("13:00:30", "08:30:00", Some("09:00:00"));
        assert_eq!(outcome(&skips, &in_time), Some(ScheduleRunOutcome::Started));
    }

    #[test]
    fn a_clock_that_is_set_back_begins_nothing_twice() {
        let back = state("09:15:00", "08:30:00", Some("10:00:00"));
        assert_eq!(due(&hourly(), &back), None);
    }

    #[test]
    fn a_run_waits_for_nothing_but_is_skipped_while_the_last_one_goes_on() {
        let running =
            ScheduleState { is_running: true, ..state("10:00:02", "09:00:01", Some("09:00:00")) };
        assert_eq!(outcome(&hourly(), &running), Some(ScheduleRunOutcome::StillRunning));
        let allows = Schedule { concurrency_policy: ConcurrencyPolicy::Allow, ..hourly() };
        assert_eq!(outcome(&allows, &running), Some(ScheduleRunOutcome::Started));
    }

    #[test]
    fn a_suspended_schedule_has_nothing_due() {
        let suspended = Schedule { suspend: true, ..hourly() };
        assert_eq!(due(&suspended, &state("10:00:02", "09:00:01", None)), None);
    }
}
