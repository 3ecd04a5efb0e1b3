//! The control plane: API server, scheduler, controllers, etcd, kube-proxy.

use super::container::Container;
use super::pattern::{Pattern, both, log};
use crate::facts::{Facts, Record};
use crate::signal::Signal;
use crate::text::owner_name;
use crate::verdict::Category::ControlPlane;

const COMPONENTS: &[(&str, &str)] = &[
    ("kube-scheduler", "the scheduler does not run: new pods get no node"),
    (
        "kube-controller-manager",
        "the controller manager does not run: workloads are not reconciled",
    ),
    ("kube-apiserver", "the API server does not run"),
    ("etcd", "etcd, the store of the API server, does not run"),
    ("kube-proxy", "kube-proxy does not run: services are not reachable from its node"),
    ("calico", "the network plugin does not run"),
    ("kube-flannel", "the network plugin does not run"),
    ("cilium", "the network plugin does not run"),
    ("kindnet", "the network plugin does not run"),
];

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        ControlPlane,
        88.0,
        "etcd is out of space",
        r"mvcc: database space exceeded|etcdserver: no space",
    ),
    both(
        ControlPlane,
        86.0,
        "etcd does not answer in time or has no leader",
        r"etcdserver: (?:request timed out|leader changed|no leader)|failed to send out heartbeat on time|apply request took too long|lost leader",
    )
    .beside(&["etcd", "apiserver", "api server", "control", "leader", "slow", "latency", "timeout"]),
    both(
        ControlPlane,
        86.0,
        "a component of the control plane lost its leadership",
        r"leaderelection lost|failed to renew lease kube-system|lost lease",
    )
    .beside(&["leader", "control", "scheduler", "controller", "restart", "down", "apiserver"]),
    both(
        ControlPlane,
        84.0,
        "the API server does not answer",
        r"the connection to the server .{1,80} was refused|unable to connect to the server|apiserver .{0,40}(?:not ready|unhealthy|timeout)",
    ),
    log(
        ControlPlane,
        84.0,
        "kube-proxy cannot write its rules",
        r"failed to (?:execute|ensure|sync) .{0,40}(?:iptables|ipvs)|iptables-restore.{0,20}failed|can't set sysctl",
    ),
    both(
        ControlPlane,
        91.0,
        "the disk under etcd is too slow for it",
        r"slow fdatasync|overloaded likely from slow disk|wal: sync duration of \d+(?:\.\d+)?s",
    )
    .beside(&["etcd", "apiserver", "api server", "control", "leader", "slow", "latency", "timeout", "disk", "kube-"]),
    both(
        ControlPlane,
        92.0,
        "the data of a member of etcd are damaged, or belong to another cluster",
        r"tocommit\(\d+\) is out of range|walpb: crc mismatch|member \w+ has already been bootstrapped|cluster id mismatch|failed to recover v3 backend|snap(?:shot)? file .{0,40}(?:broken|crc mismatch)",
    ),
    both(
        ControlPlane,
        93.0,
        "a job by time missed so many starts that it is not started any more",
        r"too many missed start times?|cannot determine if job needs to be started|toomanymissedtimes",
    ),
    both(
        ControlPlane,
        87.0,
        "the API server cannot be reached at its address inside of the cluster",
        r"(?:https?://|dial tcp )10\.(?:96|43|100|152|233|0)\.(?:0|183)\.1(?::443)?\S*:? .{0,80}(?:i/o timeout|no route to host|connection refused|deadline exceeded)",
    )
    .beside(&["apiserver", "api server", "control", "kube", "node", "network", "cni", "operator", "cluster", "reach", "connect", "ready", "restart", "crash"]),
    both(
        ControlPlane,
        91.0,
        "a kind of object is asked for that the cluster does not know: its definition (CRD) is missing",
        r"no matches for kind|unable to recognize \S+: no matches|resource mapping not found for name",
    ),
];

/// Components that do not run, or that are not among the pods of the control plane.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    let system = |one: &&Record| {
        one.namespace == "kube-system"
            || COMPONENTS.iter().any(|(name, _)| one.name.starts_with(name))
    };
    for pod in facts.of_kind("pod").filter(system) {
        let Some((_, cause)) = COMPONENTS.iter().find(|(name, _)| pod.name.starts_with(name))
        else {
            continue;
        };
        let is_bad = |value: &str| value != "Running" && value != "Completed";
        let row = pod.field("STATUS").filter(|field| is_bad(&field.value));
        let waiting = || Container::states(pod).into_iter().find_map(|one| one.waiting());
        if let Some(field) = row.or_else(waiting) {
            found.push(Signal::of_record((ControlPlane, 92.0), *cause, facts, pod, field));
        }
    }
    for workload in facts.of_kind("daemonset").filter(system) {
        let desired = workload.field("DESIRED");
        let ready = workload
            .field("READY")
            .filter(|field| desired.is_some_and(|all| all.value != field.value));
        let component = COMPONENTS.iter().find(|(name, _)| workload.name.starts_with(name));
        if let (Some((_, cause)), Some(field)) = (component, ready) {
            found.push(Signal::of_record((ControlPlane, 88.0), *cause, facts, workload, field));
        }
    }
    unscheduled(facts, found);
}

/// Pods that wait without any word from the scheduler.
fn unscheduled(facts: &Facts, found: &mut Vec<Signal>) {
    let from_scheduler = |name: &str| {
        facts.events.iter().any(|event| {
            event.target.name == name && matches!(&*event.reason, "FailedScheduling" | "Scheduled")
        })
    };
    let static_pods: Vec<&str> = facts
        .of_kind("pod")
        .filter(|pod| pod.namespace == "kube-system")
        .map(|pod| owner_name(&pod.name))
        .collect();
    let shows_control_plane = static_pods.iter().any(|name| name.starts_with("kube-apiserver"));
    let has_scheduler = static_pods.iter().any(|name| name.starts_with("kube-scheduler"));
    for pod in facts.latest("pod").into_iter().filter(|pod| pod.get("STATUS") == Some("Pending")) {
        let Some(field) = pod.field("STATUS").filter(|_| !from_scheduler(&pod.name)) else {
            continue;
        };
        if shows_control_plane && !has_scheduler {
            let cause =
                "the scheduler is not among the pods of the control plane: new pods get no node";
            let target = crate::verdict::Target::new("Pod", "kube-scheduler", "kube-system");
            found
                .push(Signal::of_record((ControlPlane, 86.0), cause, facts, pod, field).at(target));
        }
    }
}
