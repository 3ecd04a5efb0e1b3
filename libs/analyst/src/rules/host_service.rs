//! Services of a host: units of systemd.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Pattern, both};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::HostService;
use crate::verdict::Target;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        HostService,
        91.0,
        "the program of unit `${unit}` is missing, or cannot be executed",
        r"(?P<unit>[\w@.-]+\.service): (?:unable to locate executable|failed at step exec|(?:main|control) process exited, code=exited, status=203/exec)",
    ),
    both(
        HostService,
        90.0,
        "the program of a unit is missing, or cannot be executed",
        r"\(code=exited, status=203/exec\)",
    ),
    both(
        HostService,
        91.0,
        "the user that unit `${unit}` runs as does not exist",
        r"(?P<unit>[\w@.-]+\.service): (?:failed to determine user credentials|failed at step user|(?:main|control) process exited, code=exited, status=217/user)",
    ),
    both(
        HostService,
        88.0,
        "unit `${unit}` did not report in time, and was ended by its watchdog",
        r"(?P<unit>[\w@.-]+\.service): (?:watchdog timeout|failed with result 'watchdog')",
    ),
    both(
        HostService,
        90.0,
        "unit `${unit}` was not started: units wait for each other in a circle",
        r"(?P<unit>[\w@.-]+\.\w+): found ordering cycle",
    ),
    both(
        HostService,
        88.0,
        "the memory of the machine has errors that its hardware cannot correct",
        r"edac mc\d+: \d+ ue\b|uncorrected (?:hardware )?(?:memory )?error",
    ),
    both(
        HostService,
        70.0,
        "unit `${unit}` was not started: a unit that it needs failed",
        r"dependency failed for (?P<unit>[\w@.-]+\.(?:service|mount|socket|target))",
    ),
    both(
        HostService,
        86.0,
        "unit `${unit}` failed",
        r"(?P<unit>[\w@.-]+\.(?:service|socket|mount)): (?:failed with result|main process exited|start request repeated too quickly|failed to start|start-limit)",
    )
    .beside(&["unit", "service", "systemd", "fail", "down", "start", "restart"]),
    both(
        HostService,
        84.0,
        "a unit of the host cannot be started",
        r"(?:^|\]: |failed )failed to start \S.{2,80}|entered failed state|start request repeated too quickly",
    )
    .beside(&["unit", "service", "systemd", "fail", "down", "start", "restart"]),
    both(
        HostService,
        82.0,
        "a unit of the host has failed",
        r"active: failed|loaded failed failed|\bfailed\s+failed\b",
    )
    .beside(&["unit", "service", "systemd", "fail", "down", "start", "restart"]),
    both(
        HostService,
        84.0,
        "a port that a service needs is taken",
        r"address already in use|eaddrinuse|bind: .{0,40}in use",
    ),
    both(
        HostService,
        82.0,
        "the process has no file handle left",
        r"too many open files|\bemfile\b|file descriptors? .{0,30}(?:exhaust|limit (?:is |was )?(?:reached|exceeded))|file-max limit \d+ reached",
    ),
    both(
        HostService,
        88.0,
        "no thread or process can be started",
        r"unable to create (?:new )?(?:native )?thread|\[errno 11\] resource temporarily unavailable|resource temporarily unavailable.{0,40}fork|fork: (?:retry|cannot|resource temporarily)|can't fork|pids? limit.{0,30}(?:reach|exceed|hit)|cgroup: fork rejected",
    ),
    both(
        HostService,
        93.0,
        "the hardware of the machine reports faults (machine check)",
        r"\bmce: \[hardware error\]|machine check exception|fatal machine check",
    ),
    both(
        HostService,
        91.0,
        "the kernel of the machine stopped or met an error of its own",
        r"kernel panic - not syncing|bug: unable to handle|general protection fault.{0,40}\[#|\boops: \d|watchdog detected hard lockup",
    ),
    both(
        HostService,
        93.0,
        "a graphics processor has failed",
        r"gpu has fallen off the bus|nvrm: xid|unable to determine the device handle for gpu|nvml: (?:gpu is lost|driver/library version mismatch)|failed to initialize nvml",
    ),
    both(
        HostService,
        92.0,
        "the limit of watched files (inotify) is reached",
        r"failed to (?:create|add|initialize) (?:fs)?(?:notify )?watch(?:er)?\b.{0,60}(?:too many|no space)|inotify\S* .{0,60}(?:too many open files|limit)|system limit for number of file watchers reached|inotify (?:instances|watches) .{0,60}(?:reach|exhaust|exceed|too (?:few|low))|(?:limit|exceed|too many|out of).{0,40}inotify (?:instances|watches)",
    ),
    both(
        HostService,
        92.0,
        "the limit of processes is reached",
        r"fork rejected by pids controller|spawn \S+ eagain|fork/exec \S+ resource temporarily unavailable",
    ),
    both(
        HostService,
        86.0,
        "the processors are slowed down because they are too hot",
        r"cpu clock throttled|package temperature above threshold|critical temperature reached",
    )
    .beside(&["slow", "temperature", "thermal", "hot", "throttl", "cpu", "processor", "load", "latency"]),
    both(
        HostService,
        88.0,
        "the machine cannot find memory that hangs together",
        r"page allocation failure: order",
    )
    .beside(&["memory", "alloc", "network", "slow", "drop", "kernel"]),
    both(
        HostService,
        91.0,
        "the folder that unit `${unit}` is to run in is missing",
        r"(?P<unit>[\w@.-]+\.service): (?:changing to the requested working directory failed|failed at step chdir|(?:main|control) process exited, code=exited, status=200/chdir)",
    ),
    both(
        HostService,
        91.0,
        "a file of settings that unit `${unit}` names is missing",
        r"(?P<unit>[\w@.-]+\.service): failed to load environment files",
    ),
    both(
        HostService,
        87.0,
        "unit `${unit}` did not become ready in time, and was ended",
        r"(?P<unit>[\w@.-]+\.service): (?:start operation timed out|failed with result .timeout.)",
    ),
];

/// Units that systemd shows as failed, in a list or alone.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    static FAILED: LazyLock<Regex> = regex!(
        r"^[●*×\s]*(?P<unit>[\w@.-]+\.(?:service|socket|mount|timer))\s+\S+\s+failed\s+failed"
    );
    statuses(facts, found);
    for message in &facts.messages {
        let Some(captures) = FAILED.captures(&message.text) else { continue };
        let unit = captures.name("unit").map_or("", |unit| unit.as_str());
        let cause = format!("unit `{unit}` has failed");
        let target = Target::new("unit", unit, "");
        found.push(Signal::of_message((HostService, 86.0), cause, facts, message).at(target));
    }
}

/// Units whose status is shown and that have failed: the heading names them.
fn statuses(facts: &Facts, found: &mut Vec<Signal>) {
    static HEADING: LazyLock<Regex> =
        regex!(r"^[●*×○↻\s]*(?P<unit>[\w@.-]+\.(?:service|socket|mount|timer))(?: - |$)");
    for (result, examined) in facts.results.iter().enumerate() {
        let mut unit = "";
        for (at, line) in examined.lines.iter().enumerate() {
            if let Some(heading) = HEADING.captures(line).and_then(|found| found.name("unit")) {
                unit = heading.as_str();
            } else if !unit.is_empty() && line.trim_start().starts_with("Active: failed") {
                let cause = format!("unit `{unit}` has failed");
                let quotes = vec![facts.quote(result, at + 1, "Active")];
                let target = Target::new("unit", unit, "");
                found.push(Signal::of_values((HostService, 86.0), cause, target, quotes));
            } else if is_stopped(facts, unit, line) && !is_started_by_another(&examined.lines) {
                let cause = format!("unit `{unit}` is stopped");
                let quotes = vec![facts.quote(result, at + 1, "Active")];
                let target = Target::new("unit", unit, "");
                found.push(Signal::of_values((HostService, 74.0), cause, target, quotes));
            }
        }
    }
}

/// Whether a line shows that a unit does not run which the alert names: most of a machine's units do not run all the time.
fn is_stopped(facts: &Facts, unit: &str, line: &str) -> bool {
    let (name, _) = unit.rsplit_once('.').unwrap_or((unit, ""));
    let is_named = facts.focus.names(name) || facts.focus.mentions(name);
    !name.is_empty() && is_named && line.trim_start().starts_with("Active: inactive (dead)")
}

/// Whether a status says that a timer, a socket or a path starts the unit when there is something to do.
fn is_started_by_another(lines: &[String]) -> bool {
    lines.iter().any(|line| line.trim_start().starts_with("TriggeredBy:"))
}
