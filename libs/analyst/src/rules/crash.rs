//! Containers that end again and again.

use super::container::{Container, MANY_RESTARTS};
use super::pattern::{Pattern, event, log};
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::verdict::Category::{Command, Crash};

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        Crash,
        56.0,
        "a container ends again and again",
        r"back-?off restarting failed container",
    ),
    log(
        Crash,
        70.0,
        "the process ends with a panic",
        r"\bpanic(?:ked)?\b[ :(]|fatal error:|segmentation fault|segfault|core dumped|sigsegv|stack overflow|thread '.{1,40}' panicked",
    ),
    log(
        Crash,
        62.0,
        "the process ends with a fatal error",
        r"\bfatal\b|exiting due to|terminating due to|application run failed|failed to start (?:application|server)|unrecoverable error",
    ),
    event(
        Crash,
        58.0,
        "a job has failed as often as it may",
        r"backofflimitexceeded|job has reached the specified backoff limit|deadlineexceeded: job",
    ),
];

/// Containers that wait to be started again, or ended with an error.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for pod in facts.of_kind("pod") {
        let containers = Container::states(pod);
        let waiting = containers.iter().filter_map(Container::waiting);
        let states: Vec<&Field> = pod.field("STATUS").into_iter().chain(waiting).collect();
        let is = |field: &&&Field, end: &str| field.value.ends_with(end);
        if let Some(field) = states.iter().find(|field| is(field, "CrashLoopBackOff")) {
            found.push(looping(facts, pod, field, &containers));
        } else if let Some(field) = states.iter().find(|field| is(field, "Error")) {
            found.push(Signal::of_record(
                (Crash, 54.0),
                "a container ended with an error",
                facts,
                pod,
                field,
            ));
        }
        if let Some(field) = states.iter().find(|field| {
            ["RunContainerError", "StartError", "ContainerCannotRun", "CreateContainerError"]
                .iter()
                .any(|state| field.value.ends_with(state))
        }) {
            let cause = "a container cannot be started: its command or settings are wrong";
            found.push(Signal::of_record((Command, 80.0), cause, facts, pod, field));
        }
        restarted(facts, pod, found);
    }
}

fn looping(facts: &Facts, pod: &Record, field: &Field, containers: &[Container<'_>]) -> Signal {
    let exit = containers.iter().find_map(Container::exit_code);
    let cause = match exit.map(|field| field.value.as_str()) {
        Some("127") => "a container ends again and again: its command is not in the image",
        Some("126") => "a container ends again and again: its command cannot be executed",
        _ => "a container ends again and again",
    };
    let kind = if cause.contains("command") { (Command, 82.0) } else { (Crash, 60.0) };
    let signal = Signal::of_record(kind, cause, facts, pod, field);
    match exit {
        Some(exit) => signal.with_quote(pod.quote(facts, exit)),
        None => signal,
    }
}

fn restarted(facts: &Facts, pod: &Record, found: &mut Vec<Signal>) {
    let restarts = pod.field("RESTARTS");
    let Some(field) = restarts else { return };
    let count: f64 =
        field.value.split_whitespace().next().and_then(|one| one.parse().ok()).unwrap_or(0.0);
    let age = pod.get("last restarts age").and_then(crate::text::age_seconds);
    if count >= MANY_RESTARTS {
        let weight = if age.is_some_and(|age| age < 3_600.0) { 50.0 } else { 32.0 };
        let cause = "its containers were restarted several times";
        let mut signal = Signal::of_record((Crash, weight), cause, facts, pod, field);
        signal.age = age;
        found.push(signal);
    }
}
