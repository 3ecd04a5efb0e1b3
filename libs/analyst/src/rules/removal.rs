//! Objects that were deleted and stay, because a finalizer of theirs is not done.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::{age_seconds, code, regex};
use crate::verdict::Category::{ControlPlane, Volume};
use crate::verdict::{Category, Target};

/// Seconds after which a finalizer should be done.
const LONG: f64 = 600.0;
/// What Kubernetes itself puts on claims and volumes: something still uses them.
const IN_USE: &[&str] = &["kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"];

/// What the condition of a namespace says of each finalizer that remains.
static REMAINING: LazyLock<Regex> =
    regex!(r"has finalizers remaining: (?P<name>[\w./-]+) in \d+ resource");
/// `Terminating (lasts 3h12m)`, in descriptions.
static LASTS: LazyLock<Regex> = regex!(r"^Terminating \(lasts (?P<time>\w+)\)");

/// Namespaces that name the finalizers they wait for, and other objects that do so for long.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for record in &facts.records {
        found.extend(of_namespace(facts, record));
        found.extend(of_object(facts, record));
    }
}

fn of_namespace(facts: &Facts, record: &Record) -> Option<Signal> {
    let is_namespace = record.kind == "namespace";
    let mut fields = record.fields.iter().filter(|_| is_namespace);
    let (field, name) = fields.find_map(|field| {
        let found = REMAINING.captures(&field.value)?;
        Some((field, found.name("name")?.as_str()))
    })?;
    let cause = format!(
        "the namespace cannot be removed: the finalizer {} of objects in it is not done",
        code(name)
    );
    let target = Target::new("Namespace", &record.name, &record.name);
    let signal = Signal::of_record((ControlPlane, 90.0), cause, facts, record, field);
    Some(signal.at(target))
}

fn of_object(facts: &Facts, record: &Record) -> Option<Signal> {
    let waits = deleted_for(facts, record).filter(|seconds| *seconds >= LONG);
    let finalizer = waits.and_then(|_| finalizer(record))?;
    let name = finalizer.value.trim_matches(['[', ']']);
    let (category, cause): (Category, String) = if IN_USE.contains(&name) {
        (Volume, "it was deleted and stays: something still uses it".to_owned())
    } else {
        let cause = "it was deleted and stays: its finalizer";
        (ControlPlane, format!("{cause} {} is not done", code(name)))
    };
    Some(Signal::of_record((category, 82.0), cause, facts, record, finalizer))
}

/// Seconds since an object was deleted, by its document or its description.
fn deleted_for(facts: &Facts, record: &Record) -> Option<f64> {
    let of_document = || facts.seconds_since(record.get("metadata.deletionTimestamp")?);
    let status = record.get("Status").and_then(|status| LASTS.captures(status));
    let of_description = status.and_then(|found| age_seconds(found.name("time")?.as_str()));
    of_description.or_else(of_document)
}

fn finalizer(record: &Record) -> Option<&Field> {
    record.fields.iter().find(|field| {
        let is_one = field.path.starts_with("metadata.finalizers[") || field.path == "Finalizers";
        is_one && field.value != "[]"
    })
}
