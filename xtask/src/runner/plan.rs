//! What runs beside what, as a function of values.

use std::collections::VecDeque;
use std::thread::available_parallelism;

use super::job::Job;

/// Programs that take longest: they begin first, so that nothing long is left for the end.
const FIRST: [&str; 9] = [
    "tests browser",
    "tests packet_loss",
    "make test-dashboard",
    "tests guarantees",
    "services/api-gateway it",
    "tests pages",
    "tests gateways",
    "make test-python",
    "tests command_line",
];
/// Programs whose tests keep a core busy, as a browser does: they take two places, and run as many tests at a time. More would
/// only make each of them slower.
const HEAVY: [&str; 2] = ["tests browser", "tests pages"];
/// Programs that measure what people feel: nothing runs beside them, and they come last.
const ALONE: [&str; 1] = ["tests measured"];

/// How many programs run at a time. They wait about a third of their time: one more than there are cores leaves no core idle,
/// and two more only make each of them slower.
pub(super) fn default_jobs() -> u8 {
    let cores = available_parallelism().map_or(2, usize::from);
    u8::try_from(cores + 1).unwrap_or(u8::MAX).min(64)
}

/// The order in which jobs begin.
pub(super) fn in_order(mut jobs: Vec<Job>) -> VecDeque<Job> {
    jobs.sort_by_key(|job| rank(&job.name));
    jobs.into()
}

/// Long ones, then whole products, services, libraries, and at last those that need the machine.
fn rank(name: &str) -> usize {
    if let Some(place) = FIRST.iter().position(|first| *first == name) {
        return place;
    }
    let kinds = ["make ", "tests ", "services/", ""];
    let kind = kinds.iter().position(|kind| name.starts_with(kind)).unwrap_or_default();
    let alone = if is_alone(name) { kinds.len() } else { 0 };
    FIRST.len() + kind + alone
}

fn is_alone(name: &str) -> bool {
    ALONE.contains(&name)
}

/// How many tests of a program run at a time, where that is not what libtest does.
pub(super) fn threads(name: &str) -> Option<u8> {
    HEAVY.contains(&name).then_some(2)
}

/// The places for jobs that run at the same time.
#[derive(Debug)]
pub(super) struct Capacity {
    size: u8,
    taken: u8,
}

impl Capacity {
    pub(super) fn new(size: u8) -> Self {
        Self { size, taken: 0 }
    }

    /// Takes the next job that there is capacity for.
    pub(super) fn next(&mut self, waiting: &mut VecDeque<Job>) -> Option<Job> {
        let needed = self.needed(waiting.front()?);
        if self.taken + needed > self.size {
            return None;
        }
        self.taken += needed;
        waiting.pop_front()
    }

    /// Gives the places of an ended job back.
    pub(super) fn free(&mut self, job: &Job) {
        self.taken -= self.needed(job);
    }

    fn needed(&self, job: &Job) -> u8 {
        let name = job.name.as_str();
        match (is_alone(name), HEAVY.contains(&name)) {
            (true, _) => self.size,
            (false, true) => self.size.min(2),
            (false, false) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(names: &[&str]) -> Vec<Job> {
        names.iter().map(|name| Job::named(name)).collect()
    }

    #[test]
    fn long_programs_begin_first_and_those_that_need_the_machine_last() {
        let order = in_order(jobs(&[
            "libs/store it",
            "tests measured",
            "services/notifier it",
            "tests browser",
            "tests chat",
        ]));
        let names: Vec<&str> = order.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "tests browser",
                "tests chat",
                "services/notifier it",
                "libs/store it",
                "tests measured"
            ]
        );
    }

    #[test]
    fn a_heavy_program_takes_two_places_and_has_capacity_where_there_is_one() {
        let mut waiting = in_order(jobs(&["tests browser", "libs/a it", "libs/b it"]));
        let mut capacity = Capacity::new(3);
        let names: Vec<_> =
            std::iter::from_fn(|| capacity.next(&mut waiting)).map(|job| job.name).collect();
        assert_eq!(names, ["tests browser", "libs/a it"]);
        assert!(Capacity::new(1).next(&mut in_order(jobs(&["tests browser"]))).is_some());
    }

    #[test]
    fn a_heavy_program_runs_two_tests_at_a_time() {
        assert_eq!(threads("tests pages"), Some(2));
        assert_eq!(threads("libs/store it"), None);
    }

    #[test]
    fn as_many_run_as_there_are_places_and_one_that_needs_the_machine_runs_alone() {
        let mut waiting =
            in_order(jobs(&["libs/a it", "libs/b it", "libs/c it", "tests measured"]));
        let mut capacity = Capacity::new(2);
        let first = capacity.next(&mut waiting).unwrap();
        let second = capacity.next(&mut waiting).unwrap();
        assert!(capacity.next(&mut waiting).is_none(), "both places are taken");
        capacity.free(&first);
        let third = capacity.next(&mut waiting).unwrap();
        capacity.free(&second);
        assert!(capacity.next(&mut waiting).is_none(), "something still runs");
        capacity.free(&third);
        let alone = capacity.next(&mut waiting).unwrap();
        assert_eq!(alone.name, "tests measured");
        capacity.free(&alone);
    }
}
