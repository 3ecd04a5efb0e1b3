//! Nodes: readiness, pressure, the kubelet and the runtime.

use super::pattern::{Pattern, both, event};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::verdict::Category::Node;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Node,
        90.0,
        "the kubelet of the node no longer reports: the node or its kubelet is down",
        r"kubelet stopped posting node status|nodestatusunknown",
    ),
    event(
        Node,
        88.0,
        "the node is not ready",
        r"^nodenotready|node .{0,60}status is now: nodenotready|^rebooted",
    ),
    both(
        Node,
        88.0,
        "the network plugin of the node is not ready",
        r"network plugin is not ready|networkpluginnotready|container runtime network not ready|cni plugin not initialized|failed to (?:setup|set up) network for sandbox|failed to create pod sandbox.{0,120}(?:cni|network)",
    ),
    both(
        Node,
        87.0,
        "the container runtime of the node does not answer",
        r"pleg is not healthy|container runtime is down|rpc error.{0,80}containerd\.sock|failed to create pod sandbox|runtime service failed",
    ),
    both(
        Node,
        88.0,
        "the node was low on `${resource}`, and pods were evicted",
        r"the node was low on resource: (?P<resource>[\w-]+)",
    ),
    event(
        Node,
        86.0,
        "the node is under pressure, and pods are evicted",
        r"^evict|evictionthresholdmet|attempting to reclaim|^nodehas(?:disk|memory|pid)pressure|nodehasinsufficient",
    ),
    both(
        Node,
        84.0,
        "the kubelet of the node does not work",
        r"failed to (?:run|start) kubelet|kubelet\.service: (?:failed|main process exited)|kubelet .{0,40}(?:misconfigur|cgroup driver)|failed to load kubelet config",
    ),
    event(
        Node,
        74.0,
        "pods were removed because a node has a taint",
        r"tainteviction|taint manager|deleting pod .{1,80} taint",
    ),
];

/// Nodes that are not ready, cordoned or under pressure.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for node in facts.of_kind("node") {
        if let Some(field) = node.field("STATUS") {
            if field.value.contains("NotReady") {
                found.push(Signal::of_record(
                    (Node, 89.0),
                    "the node is not ready",
                    facts,
                    node,
                    field,
                ));
            } else if field.value.contains("SchedulingDisabled") {
                let cause = "the node is cordoned: it takes no new pods";
                found.push(Signal::of_record((Node, 58.0), cause, facts, node, field));
            }
        }
        conditions(facts, node, found);
    }
    for pod in facts.of_kind("pod") {
        let state = pod.field("STATUS").filter(|field| field.value == "Evicted");
        if let Some(field) = state {
            found.push(Signal::of_record((Node, 70.0), "the pod was evicted", facts, pod, field));
        }
    }
}

/// `MemoryPressure   True` of a description, and `status.conditions[2]` of a document.
fn conditions(facts: &Facts, node: &Record, found: &mut Vec<Signal>) {
    for field in
        node.fields.iter().filter(|field| field.path.to_ascii_lowercase().ends_with("status"))
    {
        let prefix = field.path.get(..field.path.len() - "status".len()).unwrap_or_default();
        let type_of = node.fields.iter().find(|other| {
            other.path.eq_ignore_ascii_case(&format!("{prefix}type"))
                && other.line.abs_diff(field.line) < 12
        });
        let Some(condition) = type_of.map(|field| field.value.as_str()) else { continue };
        let cause = match (condition, field.value.as_str()) {
            (pressure, "True") if pressure.ends_with("Pressure") => {
                format!("the node is under {pressure}")
            }
            ("NetworkUnavailable", "True") => "the network of the node is not available".to_owned(),
            ("Ready", "False" | "Unknown") => "the node is not ready".to_owned(),
            _ => continue,
        };
        found.push(Signal::of_record((Node, 90.0), cause, facts, node, field));
    }
}
