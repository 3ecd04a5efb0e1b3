//! What to do next, by the family of the fault: the safest step first.

use crate::verdict::Category;

/// A step that only looks, then one that changes something.
const STEPS: &[(Category, [&str; 2])] = &[
    (
        Category::ImagePull,
        [
            "Check that the registry has the image under exactly this name and tag, and that the pull secret is valid.",
            "Correct the image of the workload, or roll back to its last revision.",
        ],
    ),
    (
        Category::Crash,
        [
            "Read the last lines of the previous container, and compare image and settings with the last good revision.",
            "Roll back to the last good revision.",
        ],
    ),
    (
        Category::OutOfMemory,
        [
            "Compare the memory limit with the use over time, and look for a leak or a larger load.",
            "Raise the memory limit, or reduce what the process holds.",
        ],
    ),
    (
        Category::Probe,
        [
            "Call the probed path and port by hand from inside of the pod, and compare the time with the probe's timeout.",
            "Correct path, port or times of the probe.",
        ],
    ),
    (
        Category::Scheduling,
        [
            "Compare what the pod requests, selects and tolerates with what the nodes have.",
            "Correct the selector, toleration or requests of the workload, or add a node.",
        ],
    ),
    (
        Category::Quota,
        [
            "Compare the use of the namespace with its quota and limits.",
            "Raise the quota, or lower the requests of the workload.",
        ],
    ),
    (
        Category::Volume,
        [
            "Check claim, storage class and volume, and where the volume is attached.",
            "Create or correct the claim or its storage class.",
        ],
    ),
    (
        Category::ServiceRouting,
        [
            "Compare selector and target port of the service with labels and ports of its pods.",
            "Correct the selector or target port of the service.",
        ],
    ),
    (
        Category::Dns,
        [
            "Resolve the same name from another pod, and read the log of the DNS server.",
            "Restore the DNS server or its configuration.",
        ],
    ),
    (
        Category::NetworkPolicy,
        [
            "Check which pods the policy selects and which traffic it allows.",
            "Allow the traffic in the policy, or remove the policy.",
        ],
    ),
    (
        Category::NetworkFault,
        [
            "Measure latency and loss between the caller and the accused service.",
            "Remove what disturbs the network, or move the pod to another node.",
        ],
    ),
    (
        Category::Configuration,
        [
            "Compare the setting with the object that it refers to, and with the last good revision.",
            "Correct the setting, or create the missing secret, config map or key.",
        ],
    ),
    (
        Category::Node,
        [
            "Check conditions, kubelet and runtime of the node.",
            "Drain the node after its pods can run elsewhere, then repair or replace it.",
        ],
    ),
    (
        Category::ControlPlane,
        [
            "Read the log of the component and its static manifest on the control plane.",
            "Restore the component.",
        ],
    ),
    (
        Category::Database,
        [
            "Look at sessions, locks and limits of the database, and at who holds them.",
            "End the sessions that block, or raise the limit after the cause is known.",
        ],
    ),
    (
        Category::Starvation,
        [
            "Compare use with requests and limits, and look for a change in load.",
            "Add replicas, or raise the limit.",
        ],
    ),
    (
        Category::Disk,
        [
            "Find what grew: the largest folders, logs without rotation, deleted files that are still open.",
            "Free or add space.",
        ],
    ),
    (
        Category::Clock,
        [
            "Compare the clocks of the machines, and check their time service.",
            "Start the time service again, and let it correct the clock.",
        ],
    ),
    (
        Category::Certificate,
        [
            "Check dates, names and issuer of the certificate, and whether renewal ran.",
            "Renew the certificate, or install the missing authority.",
        ],
    ),
    (
        Category::HostService,
        [
            "Read the log of the unit around its last exit, and check what it needs.",
            "Correct what it lacks, and start the unit again.",
        ],
    ),
    (
        Category::MissingWorkload,
        [
            "Find who changed the number of replicas, and why.",
            "Scale the workload up again, or deploy it.",
        ],
    ),
    (
        Category::Command,
        [
            "Compare the command of the container with the programs of its image.",
            "Correct the command, or roll back to the last revision.",
        ],
    ),
    (
        Category::Access,
        [
            "Check which identity is used, and whether its rights or its password changed.",
            "Restore the user, its password or its rights.",
        ],
    ),
    (Category::FeatureFlag, ["Check which flags are on, and since when.", "Switch the flag off."]),
    (
        Category::Redeployment,
        [
            "Find what changes the workload: two controllers, a pipeline, a person.",
            "Stop the one that should not.",
        ],
    ),
    (
        Category::Application,
        [
            "Find the first of these errors, and what happened just before it.",
            "If the errors started with a release, roll it back.",
        ],
    ),
];

/// Steps for a process of a host, which has no requests, limits or replicas.
const OF_A_PROCESS: [&str; 2] = [
    "See what the process does, since when, and whether it is expected: a build, a backup, a job.",
    "If it is not, stop it or lower its priority (`renice`); if it is, give it a limit or another machine.",
];

/// What to do about a fault of this family, on an object of this kind.
pub(crate) fn next_steps(category: Category, kind: &str) -> Vec<String> {
    if category == Category::Starvation && kind == "process" {
        return OF_A_PROCESS.map(str::to_owned).to_vec();
    }
    let found = STEPS.iter().find(|(known, _)| *known == category);
    found.map(|(_, steps)| steps.map(str::to_owned).to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator as _;

    use super::*;

    #[test]
    fn every_family_has_steps() {
        for category in Category::iter().filter(|category| *category != Category::Other) {
            assert_eq!(next_steps(category, "").len(), 2, "{category}");
        }
    }
}
