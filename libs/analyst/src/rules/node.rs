//! Nodes: readiness, pressure, the kubelet and the runtime.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Compiled, Pattern, both, cause_of, event};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::{ControlPlane, ImagePull, Node};
use crate::verdict::Target;

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
        93.0,
        "the node has no address left for pods: its address range is used up",
        r"no (?:ip addresses available|available (?:ip(?:v[46])? )?addresses)|failed to allocate for range|no (?:more |free |available )?(?:ip(?:v[46])? )?addresses (?:left|available|in (?:the )?(?:pool|range|subnet))|(?:ip|address) pools? .{0,40}exhausted|failed to assign an ip address|insufficientfreeaddressesinsubnet",
    ),
    both(
        Node,
        88.0,
        "the network plugin of the node is not ready",
        r"network plugin is not ready|networkpluginnotready|container runtime network not ready|cni plugin not initialized|failed to (?:setup|set up) network for sandbox|failed to create pod sandbox.{0,120}(?:cni|network)",
    )
    .leads("the network of pods cannot be set up"),
    both(
        Node,
        87.0,
        "the container runtime of the node does not answer",
        r"pleg is not healthy|container runtime is down|rpc error.{0,80}containerd\.sock|from runtime service failed.{0,160}(?:unavailable|deadline|connection refused|no such file)",
    )
    .leads("the container runtime of the node does not answer"),
    both(
        Node,
        82.0,
        "the sandbox of a pod cannot be created on the node",
        r"failed to create pod sandbox",
    )
    .leads("the sandbox of a pod cannot be created"),
    both(
        ImagePull,
        93.0,
        "the image of the sandbox (pause), which every pod of the node needs, cannot be pulled",
        r"failed to get sandbox image",
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
    both(
        Node,
        93.0,
        "flannel has not written its subnet to the node: it does not run there",
        r"/run/flannel/subnet\.env: no such file|loadflannelsubnetenv failed",
    ),
    both(
        Node,
        93.0,
        "a program of the network plugin is missing on the node",
        r"failed to find plugin \S+ in path",
    ),
    both(
        Node,
        92.0,
        "the network plugin has no configuration on the node",
        r"no (?:valid )?networks found in /etc/cni|cni config uninitialized|cni plugin not initialized",
    ),
    both(
        Node,
        92.0,
        "the agent of the network plugin does not run on the node",
        r"(?:cilium|calico|ovn|multus)\S*\.sock.{0,60}(?:no such file|connection refused)|unable to connect to cilium|is the agent running\?|timed out waiting for multus",
    ),
    both(
        Node,
        92.0,
        "the bridge of the network plugin has an address of another subnet",
        r"already has an ip address different from",
    ),
    both(
        Node,
        91.0,
        "the network plugin has no connection to its peers (BGP)",
        r"bgp not established with|bird is not ready|bgp (?:session|peer) .{0,60}(?:down|idle|not established)",
    ),
    both(
        Node,
        92.0,
        "the runtime of containers that a pod asks for is not on the node",
        r"no runtime for \S+ is configured|runtime handler \S+ not supported|runtimehandler .{0,40}not (?:supported|found)|failed to get sandbox runtime",
    ),
    both(
        Node,
        90.0,
        "the node refused the pod after it was assigned to it",
        r"unexpectedadmissionerror|topology ?affinity ?error|outof(?:cpu|memory|pods|ephemeral-storage)\b",
    ),
    both(
        Node,
        88.0,
        "the kubelet cannot remove images, and the disk of the node fills",
        r"failed to garbage collect required amount of images|imagegcfailed.{0,120}(?:wanted to free|eligible to free|no space)",
    ),
    both(
        Node,
        90.0,
        "the runtime of containers has not released the name of a container",
        r"failed to reserve (?:container|sandbox) name",
    ),
    both(
        Node,
        97.0,
        "the kubelet does not start: swap is on",
        r"running with swap on is not supported",
    ),
    both(
        Node,
        97.0,
        "the kubelet does not start: it and the runtime of containers use different drivers of cgroups",
        r"kubelet cgroup driver: .{1,40} is different from",
    ),
    both(
        Node,
        96.0,
        "the kubelet does not start: it cannot read its configuration",
        r"failed to load kubelet config file|failed to run kubelet: .{0,80}(?:unable to load bootstrap kubeconfig|failed to construct kubelet dependencies)",
    ),
];

/// Seconds after which an evicted pod is what is left of another day.
const DAY: f64 = 86_400.0;
/// The weight of a cordoned node: someone wanted it, and it explains only pods that wait.
const CORDONED: f64 = 30.0;

/// Nodes that are not ready, cordoned or under pressure, and programs of nodes that do not run.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    programs(facts, found);
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
                let weight = if waits_for_cordoned(facts) { 72.0 } else { CORDONED };
                found.push(Signal::of_record((Node, weight), cause, facts, node, field));
            }
        }
    }
    for pod in facts.of_kind("pod") {
        let state = pod.field("STATUS").filter(|field| field.value == "Evicted");
        if let Some(field) = state {
            let is_old = pod.age(facts).is_some_and(|age| age > DAY);
            let weight = if is_old { CORDONED } else { 70.0 };
            found.push(Signal::of_record((Node, weight), "the pod was evicted", facts, pod, field));
        }
    }
}

/// Whether pods wait for a node, no event says why, and every node for them is cordoned.
fn waits_for_cordoned(facts: &Facts) -> bool {
    let is_worker =
        |node: &&&Record| !node.get("ROLES").is_some_and(|roles| roles.contains("control-plane"));
    let is_cordoned = |node: &Record| {
        node.get("STATUS").is_some_and(|status| status.contains("SchedulingDisabled"))
    };
    let nodes = facts.latest("node");
    let waits = facts.latest("pod").iter().any(|pod| pod.get("STATUS") == Some("Pending"));
    let is_known = facts.events.iter().any(|event| event.reason == "FailedScheduling");
    waits && !is_known && nodes.iter().filter(is_worker).all(|node| is_cordoned(node))
}

/// Programs of a node, as a tool for them shows them: stopped or failed.
fn programs(facts: &Facts, found: &mut Vec<Signal>) {
    static STOPPED: LazyLock<Regex> = regex!(
        r#"(?i)^\s*active: (?:inactive|failed|deactivating)|["']?(?:status|state|active)["']?\s*[:=]\s*["']?(?:inactive|failed|dead|stopped|not running)|^\s*(?:inactive|failed|dead|stopped)\s*$|\b(?:is|service) (?:inactive|not running|stopped|dead|failed)\b"#
    );
    for (at, examined) in facts.results.iter().enumerate() {
        let Some((node, program)) = &examined.program else { continue };
        let stopped = examined.lines.iter().position(|line| STOPPED.is_match(line));
        let Some(line) = stopped else { continue };
        let category = if program.contains("proxy") { ControlPlane } else { Node };
        let text = examined.lines.get(line).map_or("", |line| line.trim());
        found.push(Signal {
            category,
            cause: format!("`{program}` of the node does not run"),
            target: Target::new("Node", node, ""),
            weight: 96.0,
            is_event: false,
            age: None,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes: vec![facts.quote(at, line + 1, text)],
        });
    }
}

/// Conditions of nodes, with the words of the kubelet about why.
pub(super) fn states(facts: &Facts, compiled: &Compiled, found: &mut Vec<Signal>) {
    for node in facts.of_kind("node") {
        conditions(facts, node, compiled, found);
    }
}

/// `MemoryPressure   True` of a description, and `status.conditions[2]` of a document.
fn conditions(facts: &Facts, node: &Record, compiled: &Compiled, found: &mut Vec<Signal>) {
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
        let message = node.fields.iter().find(|other| {
            other.path.eq_ignore_ascii_case(&format!("{prefix}message"))
                && other.line.abs_diff(field.line) < 12
        });
        let why = message.and_then(|one| cause_of(&one.value, compiled));
        let cause = match why.filter(|why| condition == "Ready" && why.0 == Node) {
            Some((.., why)) => format!("{cause}: {why}"),
            None => cause,
        };
        found.push(Signal::of_record((Node, 90.0), cause, facts, node, field));
    }
}
