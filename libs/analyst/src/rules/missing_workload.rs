//! Workloads that are scaled to zero or do not exist.

use super::pattern::{Pattern, event, log};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::text::{owner_name, same_name};
use crate::verdict::Category::MissingWorkload;

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        MissingWorkload,
        80.0,
        "it was scaled down to zero",
        r"scaled down replica ?set \S+ (?:from \d+ )?to 0\b",
    ),
    log(
        MissingWorkload,
        60.0,
        "an object that is asked for does not exist",
        r#"error from server \(notfound\): (?P<object>[\w.]+ "[\w.-]+") not found"#,
    ),
];

/// Workloads without replicas, and services that nothing stands behind.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for kind in ["deployment", "statefulset"] {
        for record in facts.of_kind(kind) {
            zero(facts, record, found);
        }
    }
    for event in &facts.events {
        let to_zero = event.reason == "ScalingReplicaSet" && event.message.contains(" to 0");
        let replaced =
            facts.of_kind("pod").any(|pod| same_name(owner_name(&pod.name), &event.target.name));
        if to_zero && !event.is_warning && !replaced {
            let cause = "it was scaled down to zero";
            found.push(Signal::of_event((MissingWorkload, 78.0), cause, facts, event));
        }
    }
    without_pods(facts, found);
}

fn zero(facts: &Facts, record: &Record, found: &mut Vec<Signal>) {
    let field = record
        .field("READY")
        .filter(|field| field.value == "0/0")
        .or_else(|| {
            record.fields.iter().find(|field| field.path == "spec.replicas" && field.value == "0")
        })
        .or_else(|| {
            record
                .fields
                .iter()
                .find(|field| field.path == "Replicas" && field.value.starts_with("0 desired"))
        });
    if let Some(field) = field {
        let cause = "it is scaled to zero: none of its pods should run, and none does";
        found.push(Signal::of_record((MissingWorkload, 90.0), cause, facts, record, field));
    }
}

/// Services of a namespace whose pods were listed, and none of them belongs to the service.
fn without_pods(facts: &Facts, found: &mut Vec<Signal>) {
    let listed: Vec<&Record> = facts.latest("pod");
    for service in facts.latest("service") {
        let selects = service.get("SELECTOR").is_some()
            || service.get("Selector").is_some()
            || service.fields.iter().any(|field| field.path.starts_with("spec.selector."));
        let in_namespace = listed.iter().filter(|pod| pod.namespace == service.namespace).count();
        let owned = listed.iter().any(|pod| {
            same_name(owner_name(&pod.name), &service.name) || pod.name.starts_with(&*service.name)
        });
        if !selects
            || owned
            || in_namespace < 3
            || facts.find_workload(&service.name, &service.namespace).is_some()
        {
            continue;
        }
        let quote = facts.quote(service.result, service.line, &service.name);
        found.push(Signal {
            category: MissingWorkload,
            cause: "no pod or workload of this name was found behind the service".to_owned(),
            target: service.target(),
            weight: 52.0,
            is_event: false,
            age: None,
            detail: None,
            accused: None,
            quotes: vec![quote],
        });
    }
}
