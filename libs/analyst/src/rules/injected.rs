//! Faults that someone injects on purpose, as objects of Chaos Mesh.

use crate::facts::{Event, Facts, Record};
use crate::signal::Signal;
use crate::verdict::Category::{self, Clock, Crash, Disk, Dns, NetworkFault, Starvation};

const KINDS: &[(&str, Category, &str)] = &[
    ("networkchaos", NetworkFault, "an injected fault disturbs the network"),
    ("httpchaos", NetworkFault, "an injected fault disturbs HTTP requests"),
    ("podchaos", Crash, "an injected fault ends pods or containers"),
    ("stresschaos", Starvation, "an injected fault uses up CPU or memory"),
    ("jvmchaos", Starvation, "an injected fault disturbs the Java runtime"),
    ("iochaos", Disk, "an injected fault disturbs reads and writes"),
    ("timechaos", Clock, "an injected fault shifts the clock"),
    ("dnschaos", Dns, "an injected fault disturbs the resolution of names"),
];

/// The weight of an experiment that has ended.
const ENDED: f64 = 36.0;

/// Experiments that exist; what they select is the target. Those that only their events show.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for (kind, category, cause) in KINDS {
        for record in facts.of_kind(kind) {
            found.push(of_experiment(facts, record, (*category, cause)));
        }
        let started = facts.events.iter().filter(|event| {
            event.target.kind.eq_ignore_ascii_case(kind)
                && matches!(&*event.reason, "Applied" | "Started")
                && !has_ended(facts, event)
        });
        found
            .extend(started.map(|event| Signal::of_event((*category, 92.0), *cause, facts, event)));
    }
    for record in facts.of_kind("virtualservice") {
        let fault = record.fields.iter().find(|field| field.path.contains(".fault."));
        if let Some(field) = fault {
            let cause = "a rule of the service mesh injects delays or errors into requests";
            found.push(Signal::of_record((NetworkFault, 93.0), cause, facts, record, field));
        }
    }
    for record in facts.of_kind("schedule") {
        let kind = record.get("spec.type").map(str::to_ascii_lowercase);
        let known = KINDS.iter().find(|(known, ..)| kind.as_deref() == Some(known));
        found.extend(
            known.map(|(_, category, cause)| of_experiment(facts, record, (*category, cause))),
        );
    }
}

/// Whether an event reports that the experiment of another one has ended.
fn has_ended(facts: &Facts, started: &Event) -> bool {
    facts.events.iter().any(|event| {
        event.target == started.target
            && matches!(&*event.reason, "Recovered" | "TimeUp" | "Deleted")
            && event.age.zip(started.age).is_none_or(|(end, begin)| end <= begin)
    })
}

/// Whether an experiment itself reports that what it injected is gone.
fn is_gone(record: &Record) -> bool {
    let condition = |name: &str| {
        record.fields.iter().any(|field| {
            field.path.starts_with("status.conditions[")
                && field.path.ends_with("].type")
                && field.value == name
                && record.get(&field.path.replace("].type", "].status")) == Some("True")
        })
    };
    condition("AllRecovered") && !condition("AllInjected") || condition("Paused")
}

fn of_experiment(facts: &Facts, record: &Record, (category, cause): (Category, &str)) -> Signal {
    let action = record.field("spec.action").or_else(|| record.field("ACTION"));
    let selected = record
        .fields
        .iter()
        .find(|field| field.path.contains("labelSelectors") && !field.path.contains("target."));
    let mut text = cause.to_owned();
    if let Some(action) = action {
        text = format!("{text}: {}", action.value);
    }
    if let Some(selected) = selected {
        text = format!("{text} of the pods of `{}`", selected.value);
    }
    let mut signal = Signal {
        category,
        cause: text,
        target: record.target(),
        weight: if is_gone(record) { ENDED } else { 94.0 },
        is_event: false,
        age: record.get("AGE").and_then(crate::text::age_seconds),
        is_line: false,
        side: None,
        takes: None,
        detail: None,
        accused: None,
        quotes: vec![facts.quote(record.result, record.line, &record.name)],
    };
    for field in action.into_iter().chain(selected) {
        signal = signal.with_quote(record.quote(facts, field));
    }
    signal
}
