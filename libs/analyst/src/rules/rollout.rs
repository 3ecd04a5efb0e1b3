//! Rollouts and drains that cannot go on: budgets that allow no eviction, strategies that allow no step, and pauses.

use super::pattern::{Pattern, both};
use crate::assertion::wording;
use crate::facts::{Facts, Field, Record};
use crate::signal::Signal;
use crate::verdict::Category::{Configuration, Scheduling};

pub(super) const PATTERNS: &[Pattern] = &[both(
    Configuration,
    90.0,
    "the rollout may neither add nor remove a pod: `maxSurge` and `maxUnavailable` are both 0",
    r"maxunavailable.{0,200}(?:may not|cannot|must not) be 0 when .{0,3}maxsurge",
)];

/// Words of alerts about pods that are to be moved.
const MOVES: &[&str] =
    &["evict", "drain", "disruption", "pdb", "upgrade", "node pool", "nodepool", "scale down"];
/// Words of alerts about a release.
const RELEASES: &[&str] = &["rollout", "release", "deploy", "update", "version", "progress"];

pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let wording = wording(&facts.focus);
    let is_about = |words: &[&str]| words.iter().any(|word| wording.contains(word));
    if is_about(MOVES) {
        for budget in facts.latest("poddisruptionbudget") {
            if let Some(field) = allowed(budget).filter(|field| field.value == "0") {
                let cause = "its pods may not be evicted: a disruption budget does not allow it";
                let kind = (Scheduling, 84.0);
                found.push(Signal::of_record(kind, cause, facts, budget, field));
            }
        }
    }
    if is_about(RELEASES) {
        for workload in facts.latest("deployment") {
            if let Some(field) = paused(workload) {
                let cause = "the rollout is paused: its pods stay as they are";
                let kind = (Configuration, 84.0);
                found.push(Signal::of_record(kind, cause, facts, workload, field));
            }
        }
        for kind in ["statefulset", "daemonset"] {
            for workload in facts.latest(kind) {
                held_back(facts, workload, found);
            }
        }
    }
}

/// Pods of a set that keep the old version because its strategy replaces none of them.
fn held_back(facts: &Facts, set: &Record, found: &mut Vec<Signal>) {
    if !has_old_pods(set) {
        return;
    }
    let strategy = set.field("updateStrategy.type").or_else(|| set.field("Update Strategy"));
    let partition = set.field("rollingUpdate.partition").or_else(|| set.field("Partition"));
    let (cause, field) = match (strategy, partition) {
        (Some(field), _) if field.value == "OnDelete" => (
            "its pods keep the old version: the update strategy `OnDelete` replaces only pods that somebody deletes",
            field,
        ),
        (_, Some(field)) if field.value.parse::<u32>().is_ok_and(|first| first > 0) => (
            "its pods keep the old version: the `partition` of its update strategy holds them back",
            field,
        ),
        _ => return,
    };
    let mut signal = Signal::of_record((Configuration, 84.0), cause, facts, set, field);
    if let Some(updated) = updated(set) {
        signal = signal.with_quote(set.quote(facts, updated));
    }
    found.push(signal);
}

fn updated(set: &Record) -> Option<&Field> {
    let names = ["status.updatedReplicas", "status.updatedNumberScheduled", "UP-TO-DATE"];
    names.into_iter().find_map(|name| set.field(name))
}

/// Whether fewer pods have the new version than there are. A status leaves a number out that is 0.
fn has_old_pods(set: &Record) -> bool {
    let number = |name: &&str| set.get(name)?.parse::<u32>().ok();
    let wanted = ["status.replicas", "spec.replicas", "status.desiredNumberScheduled", "DESIRED"];
    let Some(wanted) = wanted.iter().find_map(number) else { return false };
    let revision = |name: &str| set.get(name).filter(|revision| !revision.is_empty());
    let is_between = match (revision("status.currentRevision"), revision("status.updateRevision")) {
        (Some(current), Some(update)) => current != update,
        _ => false,
    };
    match updated(set).and_then(|field| field.value.parse::<u32>().ok()) {
        Some(updated) => updated < wanted,
        None => is_between,
    }
}

/// How many pods may be evicted now, as a table, a document or a description has it.
fn allowed(budget: &Record) -> Option<&Field> {
    let named = |field: &&Field| {
        let name = field.path.rsplit('.').next().unwrap_or_default().to_lowercase();
        matches!(name.as_str(), "allowed" | "allowed disruptions" | "disruptionsallowed")
    };
    budget.fields.iter().find(named)
}

fn paused(workload: &Record) -> Option<&Field> {
    let is_paused = |field: &&Field| {
        field.path == "spec.paused" && field.value == "true" || field.value == "DeploymentPaused"
    };
    workload.fields.iter().find(is_paused)
}
