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

/// Reasons of a container that did not start.
const NOT_STARTED: &[&str] =
    &["RunContainerError", "StartError", "ContainerCannotRun", "CreateContainerError"];

/// Containers that wait to be started again, or ended with an error.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for pod in facts.of_kind("pod") {
        let containers = Container::states(pod);
        let waiting = containers.iter().filter_map(Container::waiting);
        let states: Vec<&Field> = pod.field("STATUS").into_iter().chain(waiting).collect();
        let is = |field: &&&Field, end: &str| field.value.ends_with(end);
        if let Some(field) = states.iter().find(|field| is(field, "CrashLoopBackOff")) {
            found.push(looping(facts, pod, field, &containers));
        } else if let Some(field) = containers.iter().find_map(between_starts) {
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
        if let Some(field) = states.iter().find(|field| is_start(&field.value)) {
            let cause = "a container cannot be started: its command or settings are wrong";
            found.push(Signal::of_record((Command, 80.0), cause, facts, pod, field));
        }
        restarted(facts, pod, found);
    }
}

/// Why a container ended that was restarted before, and will be again.
fn between_starts<'r>(container: &Container<'r>) -> Option<&'r Field> {
    let ended = container.ended_now().filter(|field| field.value != "Completed")?;
    let restarts = container.field(&["restartCount", "Restart Count"])?;
    let count: f64 = restarts.value.parse().ok()?;
    (count >= MANY_RESTARTS).then_some(ended)
}

fn looping(facts: &Facts, pod: &Record, field: &Field, containers: &[Container<'_>]) -> Signal {
    let exit = containers.iter().find_map(Container::exit_code);
    let reason = containers.iter().find_map(Container::ended);
    let is_not_started = reason.is_some_and(|reason| is_start(&reason.value));
    let by_signal = containers.iter().find_map(Container::signal).map(|one| one.value.as_str());
    let code = exit.map_or("", |exit| exit.value.as_str());
    let (category, weight, how) = match (code, by_signal) {
        ("127", _) => (Command, 82.0, ": its command is not in the image".to_owned()),
        ("126", _) => (Command, 82.0, ": its command cannot be executed".to_owned()),
        _ if is_not_started => {
            (Command, 80.0, ": it cannot be started, its command or settings are wrong".to_owned())
        }
        ("" | "137" | "139", Some(signal)) => {
            (Crash, 62.0, format!(": signal {signal} ends its process"))
        }
        ("" | "143", _) => (Crash, 60.0, String::new()),
        ("0", _) => (
            Crash,
            60.0,
            ": its command does not go on running, and ends with exit code 0".to_owned(),
        ),
        (code, _) => (Crash, 60.0, format!(" {}", of_code(code))),
    };
    let cause = format!("a container ends again and again{how}");
    let signal = Signal::of_record((category, weight), cause, facts, pod, field);
    match exit {
        Some(exit) => signal.with_quote(pod.quote(facts, exit)),
        None => signal,
    }
}

/// Whether a reason says that a container did not start.
fn is_start(reason: &str) -> bool {
    NOT_STARTED.iter().any(|state| reason.ends_with(state))
}

/// What an exit code says of how a process ended: from 128 on, of the signal that ended it.
fn of_code(code: &str) -> String {
    let how = match code {
        "132" => "it uses an instruction that the processor does not have",
        "134" => "it aborts itself",
        "135" | "139" => "it accesses memory that is not its own",
        "137" => "it is killed from outside, for its memory or by whoever stops it",
        _ => return format!("with exit code {code}"),
    };
    format!("with exit code {code}: {how}")
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
