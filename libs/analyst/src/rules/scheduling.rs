//! Scheduling: pods that no node can take.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern::{Pattern, both, event};
use crate::facts::{Event, Facts, Field, Record};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::{self, Node, Scheduling, Volume};

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        Scheduling,
        70.0,
        "no node can take the pod",
        r"failedscheduling: .*(?:\d+/\d+ nodes are available|no nodes available)",
    ),
    event(
        Scheduling,
        82.0,
        "the pod was removed for one with a higher priority",
        r"preempted|preempting",
    ),
    both(
        Scheduling,
        84.0,
        "its pods may not be evicted: a disruption budget does not allow it",
        r"violate the pod's disruption budget|not enough pod disruption budget|(?:pdb|poddisruptionbudget|disruption budget) .{0,80}(?:prevents|blocks|does not allow) .{0,20}evict|evict\w* .{0,40}blocked by .{0,20}(?:pdb|disruption)",
    ),
    event(
        Scheduling,
        88.0,
        "the pod's priority class does not exist",
        r"no priorityclass with name",
    ),
    both(
        Scheduling,
        92.0,
        "its pods may not be evicted: more than one disruption budget covers them",
        r"more than one poddisruptionbudget|pod disruption budgets? .{0,40}multiple pdbs",
    ),
];

/// Why nodes do not take a pod, as the scheduler words it: category, weight, cause, expression. The first that fits counts.
const REASONS: &[(Category, f64, &str, &str)] = &[
    (
        Volume,
        91.0,
        "the claim `${name}` does not exist",
        r#"persistentvolumeclaim "(?P<name>[\w.-]+)" not found"#,
    ),
    (
        Volume,
        76.0,
        "the pod waits for a claim that is not bound to a volume",
        "unbound immediate persistentvolumeclaims",
    ),
    (
        Volume,
        88.0,
        "the volume is on another node or zone than the pod may run on",
        "volume node affinity conflict",
    ),
    (
        Volume,
        87.0,
        "no volume that fits the claim of the pod can be found or made",
        "didn't find available persistent volumes|did not have enough free storage",
    ),
    (
        Node,
        88.0,
        "no node fits: nodes are not ready",
        r"taint \{node\.kubernetes\.io/(?:not-ready|unreachable)\b",
    ),
    (
        Node,
        88.0,
        "no node fits: nodes are under pressure (`${name}`)",
        r"taint \{node\.kubernetes\.io/(?P<name>(?:disk|memory|pid)-pressure)",
    ),
    (
        Scheduling,
        90.0,
        "no node fits: the nodes are cordoned",
        r"were unschedulable|taint \{node\.kubernetes\.io/unschedulable",
    ),
    (
        Scheduling,
        90.0,
        "no node fits: the pod does not tolerate the taint `${name}`",
        r"taint \{(?P<name>[^}]*)\}",
    ),
    (
        Scheduling,
        91.0,
        "no node fits: the node selector or affinity of the pod matches none",
        "didn't match (?:pod's node affinity|node selector|node affinity)",
    ),
    (
        Scheduling,
        90.0,
        "no node has the ${name} that the pod requests",
        r"insufficient (?P<name>[\w-]+(?:[./][\w-]+)*)",
    ),
    (
        Scheduling,
        89.0,
        "no node fits: the rules of affinity between pods exclude them",
        "anti-?affinity|pod affinity",
    ),
    (
        Scheduling,
        89.0,
        "no node fits: pods may not be spread more unevenly than their template allows (topology)",
        "topology spread",
    ),
    (
        Scheduling,
        88.0,
        "no node has the port of the host that the pod asks for",
        "free ports|hostport",
    ),
    (Scheduling, 88.0, "no node may take another pod", "too many pods"),
    (
        Scheduling,
        91.0,
        "no node takes another volume: the limit of volumes of a node is reached",
        "exceed max volume count|max volume count exceeded",
    ),
    (
        Volume,
        90.0,
        "no node fits: the volume of the pod is in another zone",
        "no available volume zone|volume zone conflict",
    ),
];

static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let each = REASONS.iter().map(|reason| crate::text::compile(&format!("(?i){}", reason.3)));
    each.collect()
});

/// What the scheduler states of the nodes: the reason that most of them have decides. Control planes never take pods, which
/// says nothing.
fn of_event(facts: &Facts, event: &Event) -> Option<Signal> {
    static REASON: LazyLock<Regex> = regex!(r"^(?P<count>\d+) (?P<text>.+)$");
    static OF_CONTROL_PLANE: LazyLock<Regex> =
        regex!(r"taint \{node-role\.kubernetes\.io/(?:control-plane|master)");
    let is_of_daemons = is_of_daemon_set(&event.target.name);
    let (nodes, _) = event.message.split_once("preemption:").unwrap_or((&event.message, ""));
    let (_, listed) = nodes.split_once("available: ")?;
    let mut best: Option<(u32, &str, usize)> = None;
    for part in listed.trim_end_matches(['.', ' ']).split(", ") {
        let found = REASON.captures(part.trim());
        let group = |name| found.as_ref().and_then(|one| one.name(name)).map(|one| one.as_str());
        // What concerns the pod itself has no number: it holds for every node.
        let count = group("count").map_or(u32::MAX, |count| count.parse().unwrap_or(0));
        let text = group("text").unwrap_or(part);
        let Some(at) = COMPILED.iter().position(|one| one.is_match(text)) else { continue };
        // A pod of a daemon set is made for one node: that the others do not match says nothing.
        let is_of_others = is_of_daemons && text.contains("node affinity");
        let is_usual = OF_CONTROL_PLANE.is_match(text) || is_of_others;
        let count = if is_usual { 0 } else { count };
        if best.is_none_or(|(most, ..)| count > most) {
            best = Some((count, text, at));
        }
    }
    let (_, text, at) = best?;
    let (category, weight, template, _) = REASONS.get(at)?;
    let mut cause = String::new();
    COMPILED.get(at)?.captures(text)?.expand(template, &mut cause);
    let mut signal = Signal::of_event((*category, *weight), cause, facts, event);
    signal.quotes = vec![facts.quote(event.result, event.line, text)];
    Some(signal)
}

/// Whether a pod has a name as daemon sets give them: without the hash that a deployment adds.
fn is_of_daemon_set(name: &str) -> bool {
    static OF_SET: LazyLock<Regex> = regex!(r"^.*[a-z]-[bcdfghjklmnpqrstvwxz2456789]{5}$");
    static OF_DEPLOYMENT: LazyLock<Regex> = regex!(r"-[bcdfghjklmnpqrstvwxz2456789]{8,10}-\w{5}$");
    OF_SET.is_match(name) && !OF_DEPLOYMENT.is_match(name)
}

/// Pods that wait for a node, and selectors of nodes.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let waiting = facts.events.iter().filter(|event| event.reason == "FailedScheduling");
    found.extend(waiting.filter_map(|event| of_event(facts, event)));
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
    missing_nodes(facts, found);
}

/// What asks for a node that is not in the list of nodes; of pods, those that wait.
fn missing_nodes(facts: &Facts, found: &mut Vec<Signal>) {
    let nodes = listed_nodes(facts);
    if nodes.is_empty() {
        return;
    }
    let waits = |record: &Record| {
        record.kind != "pod"
            || ["STATUS", "status.phase", "Status"]
                .iter()
                .any(|path| record.get(path) == Some("Pending"))
    };
    let may_ask = |one: &&Record| {
        matches!(&*one.kind, "pod" | "deployment" | "statefulset" | "daemonset") && waits(one)
    };
    for record in facts.records.iter().filter(may_ask) {
        let asks = |field: &&Field| {
            field.path.ends_with("nodeSelector.kubernetes.io/hostname")
                || field.path.ends_with("spec.nodeName")
                || record.kind == "pod" && matches!(&*field.path, "NODE" | "Node")
        };
        for field in record.fields.iter().filter(asks) {
            let name = field.value.split('/').next().unwrap_or_default();
            if name.is_empty() || name == "<none>" || nodes.contains(&name) {
                continue;
            }
            let cause = format!("it asks for node `{name}`, which does not exist");
            found.push(Signal::of_record((Scheduling, 92.0), cause, facts, record, field));
        }
    }
}

/// The nodes, if they were listed: one that was looked at alone says nothing of the others.
fn listed_nodes(facts: &Facts) -> Vec<&str> {
    let nodes = facts.latest("node");
    let is_row = nodes.iter().any(|node| node.get("VERSION").is_some());
    if is_row || facts.is_listed("node", "") {
        nodes.iter().map(|node| &*node.name).collect()
    } else {
        Vec::new()
    }
}
