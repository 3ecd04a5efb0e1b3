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
        86.0,
        "unit `${unit}` failed",
        r"(?P<unit>[\w@.-]+\.(?:service|socket|mount)): (?:failed with result|main process exited|start request repeated too quickly|failed to start|start-limit)",
    ),
    both(
        HostService,
        84.0,
        "a unit of the host cannot be started",
        r"failed to start \S.{2,80}|entered failed state|start request repeated too quickly",
    ),
    both(
        HostService,
        82.0,
        "a unit of the host has failed",
        r"active: failed|loaded failed failed|\bfailed\s+failed\b",
    ),
    both(HostService, 74.0, "a unit of the host is stopped", r"active: inactive \(dead\)"),
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
        r"too many open files|emfile|file descriptors? .{0,30}(?:exhaust|limit)",
    ),
    both(
        HostService,
        82.0,
        "no thread or process can be started",
        r"unable to create (?:new )?(?:native )?thread|\[errno 11\] resource temporarily unavailable|resource temporarily unavailable.{0,40}fork|fork: (?:retry|cannot)|pids? limit|cgroup: fork rejected",
    ),
];

/// Units that a list of systemd shows as failed, and processes of a host that are gone.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    static FAILED: LazyLock<Regex> = regex!(
        r"^[●*×\s]*(?P<unit>[\w@.-]+\.(?:service|socket|mount|timer))\s+\S+\s+failed\s+failed"
    );
    for message in &facts.messages {
        let Some(captures) = FAILED.captures(&message.text) else { continue };
        let unit = captures.name("unit").map_or("", |unit| unit.as_str());
        let cause = format!("unit `{unit}` has failed");
        let target = Target::new("unit", unit, "");
        found.push(Signal::of_message((HostService, 86.0), cause, facts, message).at(target));
    }
}
