//! Memory: containers and processes that are killed for it.

use std::sync::LazyLock;

use regex::Regex;

use super::container::{Container, restart_age};
use super::pattern::{Pattern, both};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::OutOfMemory;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        OutOfMemory,
        90.0,
        "the kernel killed a process of unit `${unit}` because memory ran out",
        r"(?P<unit>[\w@.-]+\.service): (?:a process of this unit has been killed by the oom killer|failed with result 'oom-kill')",
    ),
    both(
        OutOfMemory,
        88.0,
        "systemd killed `${group}` because the host has too little memory",
        r"killed (?P<group>/\S+) due to (?:memory|swap)",
    ),
    both(
        OutOfMemory,
        90.0,
        "a container was killed because it used more memory than its limit",
        r"container killed due to memory usage",
    ),
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
        concat!(
            // Names of errors in Java, .NET, Python, Ruby; not of settings such as `ExitOnOutOfMemoryError`.
            r"(?:^|[^a-z+])_?(?:outof(?:direct)?|insufficient|no|array)?memory(?:error|exception)\b",
            r"|java heap space|gc overhead limit exceeded|insufficient memory for the java runtime|native memory allocation \(\w+\) failed|could not reserve enough space for object heap|gc heap initialization failed",
            r"|heap out of memory|reached heap limit|near heap limit|invalid (?:array|string) length allocation failed|array buffer allocation failed",
            r"|std::bad_alloc|memory allocation of \d+ bytes failed|(?:cannot|failed to|unable to|couldn't|could not) allocate (?:memory|[\d.]+ ?(?:[kmgt]i?b|bytes?|byte\(s\)))|m(?:map|alloc)\(\d+(?: bytes)?\) failed|\berrno[: =]+12\b|\benomem\b",
            r"|allowed memory size of \d+ bytes exhausted|(?:runtime|fatal error|error): +out of memory|cuda out of memory|out of memory \((?:needed|allocated|tried)|failed on request of size \d+ in memory context|exceeding (?:physical |virtual )?memory limits",
        ),
    ),
];

/// Containers that were killed for their memory, and functions that used all of it.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    functions(facts, found);
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

/// Functions of a cloud that ended with an error after they had used all of their memory.
fn functions(facts: &Facts, found: &mut Vec<Signal>) {
    static REPORT: LazyLock<Regex> = regex!(
        r"(?i)memory size: (?P<size>\d+) mb\s+max memory used: (?P<used>\d+) mb(?P<rest>.*)"
    );
    for message in facts.messages.iter().filter(|message| message.is_log) {
        let Some(report) = REPORT.captures(&message.text) else { continue };
        let part = |name| report.name(name).map_or("", |part| part.as_str());
        if part("size") == part("used") && part("rest").to_lowercase().contains("error") {
            let cause = "the function used all of its memory and was ended";
            found.push(Signal::of_message((OutOfMemory, 90.0), cause, facts, message));
        }
    }
}
