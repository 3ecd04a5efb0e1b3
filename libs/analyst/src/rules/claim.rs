//! Claims that are not bound: compared with the volumes and storage classes that results show.

use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::quantity;
use crate::verdict::Category::{Configuration, Volume};

/// Modes as tables shorten them.
const MODES: &[(&str, &str)] = &[
    ("ReadWriteOncePod", "RWOP"),
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
];
/// How an absent class is written.
const NO_CLASS: &[&str] = &["", "<unset>", "<none>"];

/// Claims that wait, each with the most that is known about why.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for claim in facts.of_kind("persistentvolumeclaim") {
        let state =
            claim.field("STATUS").or_else(|| claim.field("status.phase")).or(claim.field("Status"));
        if let Some(field) = state.filter(|field| matches!(&*field.value, "Pending" | "Lost")) {
            found.push(of_claim(facts, claim, field));
        }
    }
}

fn of_claim(facts: &Facts, claim: &Record, state: &Field) -> Signal {
    let class = class_of(claim);
    let volumes: Vec<&Record> = facts
        .latest("persistentvolume")
        .into_iter()
        .filter(|volume| class.is_some_and(|class| class_of(volume) == Some(class)))
        .collect();
    let free: Vec<&Record> = volumes.iter().copied().filter(|one| is_available(one)).collect();
    let mismatch = free.first().and_then(|volume| mismatch(facts, claim, volume));
    let taken = !volumes.is_empty() && free.is_empty();
    let (weight, cause) = match class {
        _ if mismatch.is_some() => (94.0, mismatch.unwrap_or_default()),
        Some(class) if taken => {
            (88.0, format!("every volume of its storage class `{class}` is taken"))
        }
        Some(class) if volumes.is_empty() && is_missing(facts, class) => {
            (92.0, format!("its storage class `{class}` does not exist"))
        }
        _ if waits_for_a_pod(facts, claim) => {
            (40.0, "the claim waits for a pod that uses it".to_owned())
        }
        None if has_no_default(facts) => {
            (91.0, "it names no storage class, and the cluster has no default one".to_owned())
        }
        _ => (78.0, "the claim is not bound to a volume".to_owned()),
    };
    let signal = Signal::of_record((Volume, weight), cause, facts, claim, state);
    let signal = match class.and_then(|class| setter(facts, claim, class)) {
        Some((setter, field)) if cause_is_class(&signal) => {
            let signal = Signal { category: Configuration, ..signal };
            signal.with_quote(setter.quote(facts, field)).at(setter.target())
        }
        _ => signal,
    };
    match free.first() {
        Some(volume) => signal.with_quote(facts.quote(volume.result, volume.line, &volume.name)),
        None => signal,
    }
}

/// Whether a claim is made into a volume only when a pod uses it.
fn waits_for_a_pod(facts: &Facts, claim: &Record) -> bool {
    facts.events.iter().any(|event| {
        event.target.name == claim.name
            && event.target.namespace == claim.namespace
            && event.reason == "WaitForFirstConsumer"
    })
}

/// Whether a claim is not bound because of the class that it names.
fn cause_is_class(signal: &Signal) -> bool {
    signal.cause.contains("storage class") && signal.cause.contains("does not exist")
}

/// The custom resource that sets the class of a claim: an operator made the claim for it.
fn setter<'f>(facts: &'f Facts, claim: &Record, class: &str) -> Option<(&'f Record, &'f Field)> {
    let made = facts.records.iter().filter(|one| {
        one.namespace == claim.namespace
            && super::custom_resource::is_custom(one)
            && claim.name.contains(&*one.name)
    });
    let sets = |field: &&Field| {
        field.path.to_ascii_lowercase().contains("storageclass") && field.value == class
    };
    made.filter_map(|one| Some((one, one.fields.iter().find(sets)?))).next_back()
}

/// The class that a claim or volume names; none if it leaves it to the default.
fn class_of(record: &Record) -> Option<&str> {
    let fields = ["spec.storageClassName", "STORAGECLASS", "StorageClass"];
    let class = fields.iter().find_map(|path| record.get(path))?;
    (!NO_CLASS.contains(&class)).then_some(class)
}

fn is_available(volume: &Record) -> bool {
    let state = volume.get("STATUS").or_else(|| volume.get("status.phase"));
    state.is_some_and(|state| state == "Available")
}

fn is_missing(facts: &Facts, class: &str) -> bool {
    let classes = facts.latest("storageclass");
    // A list marks the default one: `standard (default)`.
    let name = |known: &Record| known.name.split(' ').next().unwrap_or_default().to_owned();
    !classes.is_empty() && classes.iter().all(|known| name(known) != class)
}

/// Whether classes were listed, and none of them is the default.
fn has_no_default(facts: &Facts) -> bool {
    let mut classes = facts.latest("storageclass").into_iter().peekable();
    let is_default = |class: &Record| {
        let examined = facts.results.get(class.result);
        let row = examined.and_then(|one| one.lines.get(class.line.saturating_sub(1)));
        row.is_some_and(|row| row.contains("(default)"))
            || class
                .fields
                .iter()
                .any(|field| field.path.contains("is-default-class") && field.value == "true")
    };
    classes.peek().is_some() && !classes.any(is_default)
}

/// What keeps a claim and a free volume of its class apart.
fn mismatch(facts: &Facts, claim: &Record, volume: &Record) -> Option<String> {
    let same = |one: &&Record| one.name == claim.name && one.namespace == claim.namespace;
    // What is asked for stands in the whole object, not in a row of a list.
    let whole: Vec<&Record> = facts.of_kind("persistentvolumeclaim").filter(same).collect();
    let asked = |path: &str| {
        whole.iter().find_map(|one| {
            one.fields.iter().find(|field| field.path.contains(path)).map(|field| &*field.value)
        })
    };
    let offered = volume.get("ACCESS MODES").or_else(|| volume.get("spec.accessModes[0]"));
    if let (Some(mode), Some(offered)) = (asked("spec.accessModes["), offered)
        && !offers(offered, mode)
    {
        return Some(format!(
            "it asks for the access mode {mode}, and volume `{}` offers {offered}",
            volume.name
        ));
    }
    let capacity = volume.get("CAPACITY").or_else(|| volume.get("spec.capacity.storage"));
    let (size, capacity) = (asked("requests.storage")?, capacity?);
    (quantity(size)? > quantity(capacity)?).then(|| {
        format!("it asks for {size}, which is larger than volume `{}` with {capacity}", volume.name)
    })
}

fn offers(offered: &str, mode: &str) -> bool {
    let short = MODES.iter().find(|(long, _)| *long == mode).map_or(mode, |(_, short)| short);
    offered.split(',').any(|one| one == short || one == mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_compared_in_any_spelling() {
        assert!(offers("RWO,RWX", "ReadWriteMany") && !offers("RWO", "ReadWriteMany"));
    }
}
