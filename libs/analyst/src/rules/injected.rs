//! Faults that someone injects on purpose, as objects of Chaos Mesh.

use crate::facts::{Facts, Record};
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

/// Experiments that exist; what they select is the target.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for (kind, category, cause) in KINDS {
        for record in facts.of_kind(kind) {
            found.push(of_experiment(facts, record, (*category, cause)));
        }
    }
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
        weight: 94.0,
        is_event: false,
        age: record.get("AGE").and_then(crate::text::age_seconds),
        detail: None,
        accused: None,
        quotes: vec![facts.quote(record.result, record.line, &record.name)],
    };
    for field in action.into_iter().chain(selected) {
        signal = signal.with_quote(record.quote(facts, field));
    }
    signal
}
