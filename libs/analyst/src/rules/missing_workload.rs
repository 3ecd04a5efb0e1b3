//! Workloads that are scaled to zero or do not exist.

use super::pattern::{Pattern, event, log};
use crate::facts::{Facts, Message, Record};
use crate::signal::Signal;
use crate::text::{owner_name, same_name};
use crate::verdict::Category::MissingWorkload;
use crate::verdict::{Quote, Target};

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

/// Seconds after which what has no pods was so before the alert, if nothing suffers from it.
const OLD: f64 = 604_800.0;
/// The weight that it then has.
const UNUSED: f64 = 54.0;

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
    for job in facts.of_kind("cronjob") {
        suspended(facts, job, found);
    }
    without_pods(facts, found);
    for namespace in facts.of_kind("namespace") {
        let state = namespace.field("STATUS").or_else(|| namespace.field("status.phase"));
        if let Some(field) = state.filter(|field| field.value == "Terminating") {
            let cause = "the namespace is being removed, and does not take new objects";
            let target = Target::new("Namespace", &namespace.name, &namespace.name);
            let signal = Signal::of_record((MissingWorkload, 80.0), cause, facts, namespace, field);
            found.push(signal.at(target));
        }
    }
}

/// A job by time that was switched off. Many are on purpose: it counts if the alert is about the job.
fn suspended(facts: &Facts, job: &Record, found: &mut Vec<Signal>) {
    let field = job.field("SUSPEND").or_else(|| job.field("spec.suspend"));
    let is_named = facts.focus.names(&job.name) || facts.focus.mentions(&job.name);
    if let Some(field) = field.filter(|field| is_named && field.value.eq_ignore_ascii_case("true"))
    {
        let cause = "the job is suspended: it is not started any more";
        found.push(Signal::of_record((MissingWorkload, 91.0), cause, facts, job, field));
    }
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
        let weight = if is_unused(facts, record) { UNUSED } else { 90.0 };
        found.push(Signal::of_record((MissingWorkload, weight), cause, facts, record, field));
    }
}

/// Whether an old workload without replicas has no service, while others of its namespace have one: someone switched it off.
fn is_unused(facts: &Facts, record: &Record) -> bool {
    let services = facts.latest("service");
    let mut own = services.iter().filter(|one| one.namespace == record.namespace);
    let is_old = record.age(facts).is_some_and(|age| age > OLD);
    is_old && own.all(|one| !same_name(&one.name, &record.name))
}

/// Services of a namespace whose pods were listed, and none of them belongs to the service.
fn without_pods(facts: &Facts, found: &mut Vec<Signal>) {
    let listed: Vec<&Record> = facts.latest("pod");
    for service in facts.latest("service") {
        let selects = service.get("SELECTOR").is_some()
            || service.get("Selector").is_some()
            || service.fields.iter().any(|field| field.path.starts_with("spec.selector."));
        let failing = failing_call(facts, service);
        let in_namespace = listed.iter().filter(|pod| pod.namespace == service.namespace).count();
        let owned = listed.iter().any(|pod| {
            same_name(owner_name(&pod.name), &service.name) || pod.name.starts_with(&*service.name)
        });
        if !selects && failing.is_none()
            || owned
            || in_namespace < 3
            || facts.find_workload(&service.name, &service.namespace).is_some()
        {
            continue;
        }
        let quote = facts.quote(service.result, service.line, &service.name);
        let is_new = service.age(facts).is_some_and(|age| age < OLD);
        let weight = match () {
            () if failing.is_some() => 86.0,
            () if is_new && super::endpoints::is_empty_of(facts, service) => 77.0,
            () => 52.0,
        };
        let quotes = std::iter::once(quote).chain(failing).collect();
        found.push(Signal {
            category: MissingWorkload,
            cause: "no pod or workload of this name was found behind the service".to_owned(),
            target: service.target(),
            weight,
            is_event: false,
            age: None,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes,
        });
    }
}

/// A line of a log about a call of a service that fails.
fn failing_call(facts: &Facts, service: &Record) -> Option<Quote> {
    let names = |message: &&Message| super::dependency::is_failing_call(message, &service.name);
    let message = facts.messages.iter().find(names)?;
    Some(facts.quote(message.result, message.line, &service.name))
}
