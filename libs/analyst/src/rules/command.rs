//! Commands: a program that is not in the image, or that belongs to another service.

use super::container::specs;
use super::pattern::{Pattern, both, log};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::text::{bare_name, same_name};
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
        84.0,
        "a container cannot be started: its command or settings are wrong",
        r"runcontainererror|starterror|oci runtime create failed|containercannotrun|failed to create (?:containerd task|shim)",
    ),
    log(
        Command,
        82.0,
        "the program does not know an option that it is started with",
        r"(?:unknown|unrecognized|invalid) (?:flag|option|argument)s?\b|flag provided but not defined|unexpected argument",
    ),
    log(
        Command,
        80.0,
        "the program that the container starts is missing",
        r"command not found|(?:can't open file|cannot find module|module not found|could not find or load main class|unable to access jarfile)|modulenotfounderror|error while loading shared libraries",
    ),
];

/// Containers that start the program of another service.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
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

fn is_workload(kind: &str) -> bool {
    matches!(kind, "deployment" | "statefulset" | "daemonset")
}
