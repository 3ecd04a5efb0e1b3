//! Commands: a program that is not in the image, or that belongs to another service.

use std::sync::LazyLock;

use regex::Regex;

use super::container::specs;
use super::pattern::{Pattern, both, log};
use crate::facts::{Facts, Field};
use crate::signal::Signal;
use crate::text::{bare_name, regex, same_name};
use crate::verdict::Category::Command;

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Command,
        56.0,
        "a program or file that it needs does not exist",
        r"\[errno 2\]|\benoent\b|no such file or directory",
    ),
    both(
        Command,
        91.0,
        "the command `${command}` is not in the image",
        r#"exec: \\?"?(?P<command>[^\s"\\]+)\\?"?: (?:executable file not found|stat .{1,60}: no such file|no such file)"#,
    ),
    both(
        Command,
        88.0,
        "the command `${command}` cannot be executed",
        r#"exec: \\?"?(?P<command>[^\s"\\]+)\\?"?: permission denied"#,
    ),
    both(
        Command,
        90.0,
        "the program is built for another architecture than the node's",
        r"exec format error",
    ),
    both(
        Command,
        80.0,
        "a container cannot be started: its command or settings are wrong",
        r"runcontainererror|starterror|oci runtime create failed|containercannotrun|failed to create (?:containerd task|shim)",
    )
    .leads("a container cannot be started"),
    log(
        Command,
        82.0,
        "the program does not know an option that it is started with",
        r"(?:unknown|unrecognized|invalid) (?:flag|option|argument)s?\b|flag provided but not defined|unexpected argument",
    )
    .beside(&["start", "crash", "restart", "fail", "down", "backoff"]),
    log(
        Command,
        80.0,
        "the program that the container starts is missing",
        r"command not found|(?:can't open file|cannot find module|module not found|could not find or load main class|unable to access jarfile)|modulenotfounderror|error while loading shared libraries",
    ),
    both(
        Command,
        90.0,
        "the program that a script names at its beginning is not there, or its lines end as on Windows",
        r"exec user process caused.{0,6}no such file|^exec \S+: no such file or directory|/usr/bin/env: .{1,20}\\r.{0,3}: no such file",
    ),
    log(
        Command,
        82.0,
        "the program that the container starts is missing",
        r"\bsh: (?:line )?(?:\d+: )?\S+: not found$",
    ),
];

/// Containers that start the program of another service, commands that only end, and init containers that do not.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    only_ends(facts, found);
    never_ends(facts, found);
    of_another(facts, found);
}

/// Commands of containers that end again and again because that is all that they do.
fn only_ends(facts: &Facts, found: &mut Vec<Signal>) {
    static ENDS: LazyLock<Regex> =
        regex!(r"(?i)(?:^|[;&\s])exit [1-9]\d{0,2}\s*;?$|^(?:/usr)?(?:/bin/)?false$");
    for record in facts.records.iter().filter(|one| is_workload(&one.kind) || one.kind == "pod") {
        let is_command =
            |field: &&Field| field.path.contains("ommand[") || field.path.contains("args[");
        let ends = |field: &&Field| is_command(field) && ENDS.is_match(field.value.trim());
        if let Some(field) = record.fields.iter().find(ends) {
            let cause = "a container's command does nothing but end with an error";
            found.push(Signal::of_record((Command, 90.0), cause, facts, record, field));
        }
    }
}

/// Pods whose init container has run for long.
fn never_ends(facts: &Facts, found: &mut Vec<Signal>) {
    static INIT: LazyLock<Regex> = regex!(r"^Init:\d+/\d+$");
    for pod in facts.latest("pod") {
        let is_old = pod.age(facts).is_some_and(|age| age > LONG_INIT);
        let shown = facts.of_kind("pod").filter(|one| one.name == pod.name);
        let state = shown
            .filter_map(|one| {
                Some((one, one.field("STATUS").filter(|field| INIT.is_match(&field.value))?))
            })
            .last();
        if let Some((row, field)) = state.filter(|_| is_old) {
            let cause = "an init container does not end, and the pod waits for it";
            found.push(Signal::of_record((Command, 74.0), cause, facts, row, field));
        }
    }
}

/// Containers that start the program of another service.
fn of_another(facts: &Facts, found: &mut Vec<Signal>) {
    let workloads: Vec<&str> =
        facts.records.iter().filter(|one| is_workload(&one.kind)).map(|one| &*one.name).collect();
    for record in facts.records.iter().filter(|one| is_workload(&one.kind)) {
        for prefix in specs(record) {
            let path = format!("{prefix}.command[0]");
            let Some(field) = record.fields.iter().find(|field| field.path == path) else {
                continue;
            };
            let program = field.value.rsplit('/').next().unwrap_or(&field.value);
            let own = bare_name(&record.name).contains(&bare_name(program));
            let other =
                workloads.iter().find(|name| same_name(name, program) && **name != record.name);
            if let Some(other) = other.filter(|_| !own) {
                let cause =
                    format!("it starts the program `{program}`, which is that of `{other}`");
                found.push(Signal::of_record((Command, 90.0), cause, facts, record, field));
            }
        }
    }
}

/// Seconds from which on an init container has run for too long.
const LONG_INIT: f64 = 300.0;

fn is_workload(kind: &str) -> bool {
    matches!(kind, "deployment" | "statefulset" | "daemonset")
}
