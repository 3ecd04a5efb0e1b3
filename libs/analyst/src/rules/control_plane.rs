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
