//! Quotas and limit ranges.

use super::pattern::{Pattern, both, event};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::verdict::Category::{Configuration, ControlPlane, MissingWorkload, Quota};

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        Quota,
        93.0,
        "pods cannot be created: the resource quota `${quota}` is exceeded",
        r"exceeded quota: (?P<quota>[\w.-]+)",
    ),
    event(
        Quota,
        91.0,
        "pods cannot be created: the quota demands requests or limits that they lack",
        r"failed quota: |must specify (?:limits|requests)",
    ),
    event(
        Quota,
        90.0,
        "pods cannot be created: they are outside of the limit range of the namespace",
        r"(?:maximum|minimum) (?:cpu|memory|\S+) usage per (?:container|pod)|(?:max|min)imum .{0,40} per container is",
    ),
    both(
        ControlPlane,
        90.0,
        "objects cannot be created: the admission webhook `${name}` denies them",
        r#"admission webhook "?(?P<name>[\w.-]+)"? denied"#,
    ),
    event(
        ControlPlane,
        90.0,
        "objects cannot be created: the admission webhook `${name}` does not answer",
        r#"failed (?:calling|to call) webhook "?(?P<name>[\w.-]+)"?"#,
    )
    .leads("objects cannot be created, because calls of the admission webhook `${name}` fail"),
    event(
        Configuration,
        91.0,
        "pods cannot be created: their field `${field}` is invalid",
        r#"(?:error creating|failed error): pod "[^"]+" is invalid: \[?(?P<field>[\w.\[\]-]+): (?:invalid|required|unsupported|forbidden|duplicate)"#,
    ),
    event(
        MissingWorkload,
        92.0,
        "nothing can be created: the namespace `${name}` is being removed",
        r"unable to create new content in namespace (?P<name>[\w.-]+) because it is being terminated",
    ),
];

/// Quotas that are used up, in descriptions (`cpu  4  4`).
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for message in &facts.messages {
        if message.text.contains("exceeded quota: ") {
            let cause = "pods cannot be created: a resource quota is exceeded";
            found.push(Signal::of_message((Quota, 88.0), cause, facts, message));
        }
    }
    for record in
        facts.records.iter().filter(|one| matches!(&*one.kind, "replicaset" | "deployment" | "job"))
    {
        for field in
            record.fields_ending("message").filter(|field| field.value.contains("exceeded quota: "))
        {
            let cause = "its pods cannot be created: a resource quota is exceeded";
            found.push(Signal::of_record((Quota, 92.0), cause, facts, record, field));
        }
    }
    for record in facts.of_kind("resourcequota") {
        for (hard, limit) in record.map("status.hard") {
            let used = record.map("status.used").find(|(name, _)| *name == hard);
            if let Some((_, used)) =
                used.filter(|(_, used)| used.value == limit.value && used.value != "0")
            {
                let cause = format!("the quota for {hard} is used up");
                let signal = Signal::of_record((Quota, 66.0), cause, facts, record, used);
                found.push(signal.with_quote(record.quote(facts, limit)));
            }
        }
    }
}
