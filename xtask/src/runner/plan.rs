//! What runs beside what, as a function of values.

use std::collections::VecDeque;
use std::thread::available_parallelism;

use super::job::Job;

/// Programs that take longest: they begin first, so that nothing long is left for the end.
const FIRST: [&str; 17] = [
    "tests packet_loss",
    "tests gateways",
    "tests chaos",
    "make test-deploy",
    "tests browser",
    "make test-dashboard",
    "services/api-gateway it",
    "tests guarantees",
    "tests pages",
    "make test-python",
    "tests command_line",
    "services/orchestrator it",
    "services/mcp-gateway it",
    "libs/store it",
    "services/notifier it",
    "bench parts",
    "libs/analyst it",
];
/// Programs whose tests keep a core busy, as a browser does: they take two places, and run as many tests at a time. More would
/// only make each of them slower.
const HEAVY: [&str; 2] = ["tests browser", "tests pages"];
/// Programs that wait for limits of time and leave most of a core to others: they take no place.
const WAITING: [&str; 5] =
    ["tests packet_loss", "tests gateways", "tests chaos", "tests clocks", "libs/tools it"];
/// How many programs run at a time, whatever the processors do: one more than there are cores.
pub(super) fn default_jobs() -> u8 {
    let cores = available_parallelism().map_or(2, usize::from);
    u8::try_from(cores + 1).unwrap_or(u8::MAX).min(64)
}

/// The order in which jobs begin.
pub(super) fn in_order(mut jobs: Vec<Job>) -> VecDeque<Job> {
    jobs.sort_by_key(|job| rank(&job.name));
    jobs.into()
}

/// Long ones, then whole products, services and libraries.
fn rank(name: &str) -> usize {
    if let Some(place) = FIRST.iter().position(|first| *first == name) {
        return place;
    }
    let kinds = ["make ", "tests ", "services/", ""];
    let kind = kinds.iter().position(|kind| name.starts_with(kind)).unwrap_or_default();
    FIRST.len() + kind
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

/// How many times the places may be taken while the machine has nothing to do: a program that waits for a browser takes a
/// place, and no core. More would only make each test of them slower.
const MOST: u8 = 2;
/// The part of all processors that is idle while another program would not slow the others down.
const IDLE: f64 = 0.15;
/// Memory that a program with its servers may take, in bytes.
const NEEDED: u64 = 3 << 30;

/// What the machine has left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spare {
    /// The part of all processors that was idle since the last look, 0 to 1.
    pub(super) idle: f64,
    /// Memory that programs can take, in bytes.
    pub(super) memory: u64,
}

impl Spare {
    fn has_enough(self) -> bool {
        self.idle >= IDLE && self.memory >= NEEDED
    }
}

impl Capacity {
    pub(super) fn new(size: u8) -> Self {
        Self { size, taken: 0 }
    }

    /// Takes the next job that there is capacity for.
    pub(super) fn next(&mut self, waiting: &mut VecDeque<Job>) -> Option<Job> {
        self.take(waiting, self.size)
    }

    /// Takes one more if the machine has enough left.
    pub(super) fn one_more(&mut self, waiting: &mut VecDeque<Job>, spare: Spare) -> Option<Job> {
        if !spare.has_enough() {
            return None;
        }
        self.take(waiting, self.size.saturating_mul(MOST))
    }

    fn take(&mut self, waiting: &mut VecDeque<Job>, places: u8) -> Option<Job> {
        let job = waiting.front()?;
        let needed = self.needed(job);
        if self.taken + needed > places {
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
        match job.name.as_str() {
            name if HEAVY.contains(&name) => self.size.min(2),
            name if WAITING.contains(&name) => 0,
            _ => 1,
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
    fn long_programs_begin_first_and_libraries_last() {
        let order = in_order(jobs(&[
            "libs/bus it",
            "services/summarizer it",
            "tests browser",
            "tests chat",
        ]));
        let names: Vec<&str> = order.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["tests browser", "tests chat", "services/summarizer it", "libs/bus it"]);
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
    fn a_program_that_waits_takes_no_place() {
        let mut waiting = in_order(jobs(&["tests packet_loss", "tests gateways", "libs/a it"]));
        let mut capacity = Capacity::new(1);
        let begun: Vec<_> =
            std::iter::from_fn(|| capacity.next(&mut waiting)).map(|job| job.name).collect();
        assert_eq!(begun, ["tests packet_loss", "tests gateways", "libs/a it"]);
    }

    #[test]
    fn a_heavy_program_runs_two_tests_at_a_time() {
        assert_eq!(threads("tests pages"), Some(2));
        assert_eq!(threads("libs/store it"), None);
    }

    #[test]
    fn more_run_while_the_machine_is_idle_and_has_memory() {
        let idle = Spare { idle: 0.5, memory: 8 << 30 };
        let mut waiting = in_order(jobs(&["libs/a it", "libs/b it", "libs/c it", "libs/d it"]));
        let mut capacity = Capacity::new(1);
        capacity.next(&mut waiting).unwrap();
        assert!(capacity.next(&mut waiting).is_none());
        assert!(capacity.one_more(&mut waiting, Spare { idle: 0.1, ..idle }).is_none());
        assert!(capacity.one_more(&mut waiting, Spare { memory: 1 << 30, ..idle }).is_none());
        capacity.one_more(&mut waiting, idle).unwrap();
        assert!(capacity.one_more(&mut waiting, idle).is_none(), "twice the places are taken");
    }

    #[test]
    fn as_many_run_as_there_are_places() {
        let mut waiting = in_order(jobs(&["libs/a it", "libs/b it", "libs/c it"]));
        let mut capacity = Capacity::new(2);
        let first = capacity.next(&mut waiting).unwrap();
        capacity.next(&mut waiting).unwrap();
        assert!(capacity.next(&mut waiting).is_none(), "both places are taken");
        capacity.free(&first);
        assert_eq!(capacity.next(&mut waiting).unwrap().name, "libs/c it");
    }
}
