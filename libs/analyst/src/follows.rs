//! Which causes follow from which others.

use crate::signal::Signal;
use crate::verdict::Category;

/// Whether a family is about calls, or about what follows from other causes.
pub(crate) fn is_of_calls(category: Category) -> bool {
    matches!(
        category,
        Category::Crash
            | Category::Probe
            | Category::Application
            | Category::ServiceRouting
            | Category::NetworkFault
    )
}

/// What a cause of one family leaves behind in another: a volume that fills because nothing takes its archive, a volume that a
/// dead node holds, pods of the DNS server that end because it asks itself.
const FOLLOWS: &[(Category, &str, &str)] = &[
    (Category::Disk, "", "is not archived"),
    (Category::Disk, "storage space", "piles up on disk"),
    (Category::Database, "is red", "above the watermark"),
    (Category::Command, "init container does not end", "does not exist"),
    (Category::Command, "init container does not end", "resolve"),
    (Category::HostService, "failed", "ran out"),
    (Category::ServiceRouting, "refuses connections", "ends again and again"),
    (Category::Starvation, "the processor is used up", "the replica falls behind"),
    (Category::Node, "the node is not ready", "still attached to another node"),
    (Category::Dns, "does not run", "asks itself"),
    (Category::Dns, "no ready pod", "asks itself"),
    (Category::Crash, "", "asks itself"),
    (Category::Node, "the node is not ready", "of the node does not run"),
    (Category::Node, "the node is not ready", "removed a route"),
    (Category::Node, "", "the kubelet does not start"),
    (Category::HostService, "failed", "the kubelet does not start"),
    (Category::Configuration, "a setting is missing", "the kubelet does not start"),
    (Category::Dns, "names cannot be resolved", "lets nothing out to the DNS server"),
    (Category::Dns, "does not run", "configuration of the DNS server"),
    (Category::Dns, "no ready pod", "configuration of the DNS server"),
    (Category::Crash, "", "configuration of the DNS server"),
    (Category::Database, "nobody reads it", "the message broker refuses"),
    (Category::Database, "nobody reads it", "the message broker does not let"),
    (Category::Database, "has no member", "the message broker refuses"),
    (Category::Database, "has no member", "the message broker does not let"),
    (Category::Starvation, "cannot compute the number of replicas", "autoscaler has no metric"),
    (
        Category::Starvation,
        "cannot compute the number of replicas",
        "certificate is for other names",
    ),
    (Category::ControlPlane, "autoscaler has no metric", "certificate is for other names"),
    (Category::NetworkFault, "has no route to a network", "default route"),
    (Category::ServiceRouting, "sidecar gets no configuration", "scaled to zero"),
    (Category::Configuration, "secret", "has no right to `secretsmanager:"),
    (Category::Configuration, "secret", "has no right to `secretmanager."),
    (Category::Configuration, "secret", "store of secrets does not give"),
    (Category::Node, "no node fits: nodes are not ready", "the node is not ready"),
];

/// Whether a signal follows from one of the causes.
pub(crate) fn follows(signal: &Signal, causes: &[String]) -> bool {
    let fits = |(category, words, cause): &&(Category, &str, &str)| {
        *category == signal.category
            && signal.cause.contains(words)
            && !signal.cause.contains(cause)
            && causes.iter().any(|one| one.contains(cause))
    };
    FOLLOWS.iter().any(|one| fits(&one))
}
