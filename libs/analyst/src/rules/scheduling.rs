//! Scheduling: pods that no node can take.

use super::pattern::{Pattern, event};
use crate::facts::Facts;
use crate::signal::Signal;
use crate::verdict::Category::Scheduling;

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        Scheduling,
        90.0,
        "no node fits: the node selector or affinity of the pod matches none",
        r"failedscheduling: .*(?:didn't match pod's node affinity/selector|didn't match node selector|node\(s\) didn't match pod's node affinity)",
    ),
    event(
        Scheduling,
        88.0,
        "no node fits: the pod does not tolerate the taint `${taint}`",
        r"failedscheduling: .*(?:untolerated taint|had taint) \{(?P<taint>[^}]*)\}",
    ),
    event(
        Scheduling,
        87.0,
        "no node has the ${resource} that the pod requests",
        r"failedscheduling: .*insufficient (?P<resource>[\w./-]+)",
    ),
    event(
        Scheduling,
        86.0,
        "no node fits: the rules of affinity between pods exclude them",
        r"failedscheduling: .*(?:anti-?affinity|pod affinity|topology spread)",
    ),
    event(
        Scheduling,
        85.0,
        "no node fits: the nodes are cordoned",
        r"failedscheduling: .*unschedulable",
    ),
    event(
        Scheduling,
        84.0,
        "no node has the port of the host that the pod asks for",
        r"failedscheduling: .*(?:free ports|hostport)",
    ),
    event(Scheduling, 84.0, "no node may take another pod", r"failedscheduling: .*too many pods"),
    event(
        Scheduling,
        78.0,
        "no node can take the pod",
        r"failedscheduling: .*(?:\d+/\d+ nodes are available|no nodes available)",
    ),
    event(
        Scheduling,
        82.0,
        "the pod was removed for one with a higher priority",
        r"preempted|preempting",
    ),
    event(
        Scheduling,
        88.0,
        "the pod's priority class does not exist",
        r"no priorityclass with name",
    ),
];

/// Pods that wait for a node, and selectors of nodes.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let nodes: Vec<&str> = facts.of_kind("node").map(|node| &*node.name).collect();
    for pod in facts.of_kind("pod") {
        if let Some(field) = pod.field("STATUS").filter(|field| field.value == "Pending") {
            found.push(Signal::of_record(
                (Scheduling, 46.0),
                "the pod waits for a node",
                facts,
                pod,
                field,
            ));
        }
    }
    for record in facts
        .records
        .iter()
        .filter(|one| matches!(&*one.kind, "pod" | "deployment" | "statefulset"))
    {
        let selectors = record.fields.iter().filter(|field| {
            field.path.ends_with("nodeSelector.kubernetes.io/hostname")
                || field.path.ends_with("spec.nodeName")
        });
        for field in
            selectors.filter(|field| !nodes.is_empty() && !nodes.contains(&field.value.as_str()))
        {
            let cause = format!("it asks for node `{}`, which does not exist", field.value);
            found.push(Signal::of_record((Scheduling, 92.0), cause, facts, record, field));
        }
    }
}
