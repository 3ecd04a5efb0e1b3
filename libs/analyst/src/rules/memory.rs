//! Memory: containers and processes that are killed for it.

use super::container::{Container, restart_age};
use super::pattern::{Pattern, both};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::verdict::Category::OutOfMemory;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        OutOfMemory,
        88.0,
        "the kernel killed process `${process}` because memory ran out",
        r"(?:out of memory|oom).{0,60}kill(?:ed)? process \d+,? \(?(?P<process>[\w./:-]+)",
    ),
    both(
        OutOfMemory,
        86.0,
        "the kernel killed a process because memory ran out",
        r"out of memory: kill|oom-?kill|oomkilling|memory cgroup out of memory|invoked oom-killer|system oom",
    ),
    both(
        OutOfMemory,
        84.0,
        "the process ran out of memory",
        r"java\.lang\.outofmemoryerror|java heap space|gc overhead limit|javascript heap out of memory|fatal error: out of memory|std::bad_alloc|memoryerror|cannot allocate memory|runtime: out of memory",
    ),
];

/// Containers that were killed for their memory.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for pod in facts.of_kind("pod") {
        let containers = Container::states(pod);
        let ended = containers.iter().filter_map(|one| Some((one.ended()?, one.ended_age(facts))));
        let current = pod.field("STATUS").map(|field| (field, restart_age(facts, &pod.name)));
        let states = current.into_iter().chain(ended);
        for (field, age) in states.filter(|(field, _)| field.value == "OOMKilled") {
            let cause = "a container was killed because it used more memory than its limit";
            let mut signal = Signal::of_record((OutOfMemory, 92.0), cause, facts, pod, field);
            signal.age = age;
            let limit =
                pod.fields_ending("Limits.memory").chain(pod.fields_ending("limits.memory")).next();
            if let Some(limit) = limit {
                signal = signal.with_quote(pod.quote(facts, limit));
            }
            found.push(signal);
        }
    }
}
