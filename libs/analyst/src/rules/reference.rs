//! What workloads refer to: config maps, secrets, accounts and claims that are not in the list of them, and keys that they lack.

use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::text::{owner_name, same_name};
use crate::verdict::Category::{self, Access, Configuration, Volume};

/// An end of a path that names an object: of which kind, and what a missing one is.
const REFERENCES: &[(&str, &str, Category, &str)] = &[
    ("configMapRef.name", "configmap", Configuration, "config map"),
    ("configMapKeyRef.name", "configmap", Configuration, "config map"),
    ("configMap.name", "configmap", Configuration, "config map"),
    ("secretRef.name", "secret", Configuration, "secret"),
    ("secretKeyRef.name", "secret", Configuration, "secret"),
    ("secret.secretName", "secret", Configuration, "secret"),
    ("serviceAccountName", "serviceaccount", Access, "service account"),
    ("persistentVolumeClaim.claimName", "persistentvolumeclaim", Volume, "claim"),
];
/// Objects that each namespace has: with one of them, a list is whole.
const ALWAYS: &[(&str, &str)] = &[("configmap", "kube-root-ca.crt"), ("serviceaccount", "default")];

/// References of workloads whose pods are not all ready to what does not exist.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let refers =
        |one: &&Record| matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "daemonset");
    for record in facts.records.iter().filter(refers) {
        for field in &record.fields {
            let Some((end, kind, category, shown)) =
                REFERENCES.iter().find(|(end, ..)| field.path.ends_with(end))
            else {
                continue;
            };
            let head = field.path.strip_suffix(end).unwrap_or_default();
            let parent = end.split('.').next().unwrap_or_default();
            let is_optional = record.fields.iter().any(|other| {
                other.path == format!("{head}{parent}.optional") && other.value == "true"
            });
            if is_optional || !is_needed(facts, record) {
                continue;
            }
            if is_missing(facts, record, kind, &field.value) {
                let cause = format!("the {shown} `{}` that it needs does not exist", field.value);
                found.push(Signal::of_record((*category, 92.0), cause, facts, record, field));
            } else if let Some(key) = missing_key(facts, record, field, end, kind) {
                let cause = format!(
                    "the key `{}` that it needs is missing in the {shown} `{}`",
                    key.value, field.value
                );
                found.push(Signal::of_record((*category, 92.0), cause, facts, record, key));
            }
        }
    }
}

/// Whether pods of a record were seen that are not ready, or none was seen where some should be.
fn is_needed(facts: &Facts, record: &Record) -> bool {
    let owner = owner_name(&record.name);
    let own = |pod: &&Record| {
        pod.namespace == record.namespace && same_name(owner_name(&pod.name), owner)
    };
    let mut pods = facts.latest("pod").into_iter().filter(own).peekable();
    if pods.peek().is_none() {
        let workload = facts.find_workload(owner, &record.namespace);
        let ready =
            workload.and_then(|one| one.get("READY")).and_then(|ready| ready.split_once('/'));
        return ready.is_some_and(|(ready, all)| ready != all);
    }
    pods.any(|pod| !super::container::is_ready(facts, &pod.namespace, &pod.name))
}

/// Whether the objects of a kind were listed, and this one is not among them.
fn is_missing(facts: &Facts, record: &Record, kind: &str, name: &str) -> bool {
    let listed: Vec<&Record> =
        facts.latest(kind).into_iter().filter(|one| one.namespace == record.namespace).collect();
    let is_whole = match ALWAYS.iter().find(|(known, _)| *known == kind) {
        Some((_, always)) => listed.iter().any(|one| one.name == *always),
        None => facts.is_listed(kind, &record.namespace),
    };
    is_whole && listed.iter().all(|one| one.name != name)
}

/// The field with a key that a config map or secret which was read whole does not have.
fn missing_key<'r>(
    facts: &Facts,
    record: &'r Record,
    field: &Field,
    end: &str,
    kind: &str,
) -> Option<&'r Field> {
    end.strip_suffix("KeyRef.name")?;
    let path = format!("{}key", field.path.strip_suffix("name")?);
    let key = record.fields.iter().find(|other| other.path == path)?;
    let whole = facts.of_kind(kind).filter(|one| {
        one.name == field.value
            && one.namespace == record.namespace
            && one.map("data").next().is_some()
    });
    let last = whole.last()?;
    last.map("data").all(|(name, _)| name != key.value).then_some(key)
}
