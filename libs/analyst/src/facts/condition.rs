//! What objects say of themselves: the messages of their conditions and of the states of their containers, read as events.

use super::model::{Event, Facts, Field, Record};

/// Kinds whose messages are those of events.
const KINDS: &[&str] =
    &["pod", "deployment", "replicaset", "statefulset", "daemonset", "job", "node"];
/// Conditions that are bad if they hold; others are bad if they do not.
const BAD: &[&str] = &["ReplicaFailure", "Failed", "Stalled"];
/// Where the state of a container has the time at which it ended.
const ENDED: &str = "finishedAt";

/// Adds an event for each message of the objects that were read.
pub(super) fn add(facts: &mut Facts) {
    let mut events = Vec::new();
    for record in facts.records.iter().filter(|one| KINDS.contains(&&*one.kind)) {
        for field in &record.fields {
            events.extend(event(record, field));
        }
    }
    facts.events.append(&mut events);
}

fn event(record: &Record, field: &Field) -> Option<Event> {
    let head = field.path.strip_suffix("essage").and_then(|head| head.strip_suffix(['m', 'M']))?;
    let beside = |name: &str| {
        let path = format!("{head}{name}");
        record.fields.iter().find(|one| one.path.eq_ignore_ascii_case(&path))
    };
    let is_state = head.contains("ontainerStatuses[") || head.ends_with("State.");
    let is_condition = head.starts_with("status.conditions[");
    if !(is_state || is_condition && is_bad(beside("type")?, beside("status")?)) {
        return None;
    }
    let reason = beside("reason").map_or("", |field| &field.value);
    let reason = if reason == "Unschedulable" { "FailedScheduling" } else { reason };
    let time = beside("lastTransitionTime").or_else(|| beside(ENDED));
    Some(Event {
        target: record.target(),
        reason: reason.to_owned(),
        message: field.value.clone(),
        is_warning: true,
        age: None,
        last: time.and_then(|field| field.value.parse().ok()),
        seen: time.map(|field| field.value.clone()).unwrap_or_default(),
        result: record.result,
        line: field.line,
    })
}

fn is_bad(kind: &Field, status: &Field) -> bool {
    status.value == if BAD.contains(&&*kind.value) { "True" } else { "False" }
}
