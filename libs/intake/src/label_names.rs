//! Names of labels that monitoring tools use for the same thing, the most usual first.

pub(crate) const SEVERITY: [&str; 3] = ["severity", "priority", "level"];
pub(crate) const SERVICE: [&str; 8] = [
    "service",
    "service_name",
    "app_kubernetes_io_name",
    "app",
    "application",
    "ServiceName",
    "service.name",
    "job",
];
pub(crate) const NAMESPACE: [&str; 6] = [
    "namespace",
    "kubernetes_namespace",
    "kube_namespace",
    "k8s_namespace_name",
    "k8s.namespace.name",
    "namespace_name",
];
pub(crate) const CLUSTER: [&str; 7] = [
    "cluster",
    "cluster_name",
    "kube_cluster_name",
    "k8s_cluster_name",
    "k8s_cluster",
    "k8s.cluster.name",
    "ClusterName",
];

/// The labels that name an alert, and where it is.
const OTHERS: [&str; 8] =
    ["alertname", "instance", "host", "hostname", "pod", "container", "node", "region"];

/// Whether monitoring tools and people know this label.
pub(crate) fn is_known(name: &str) -> bool {
    let all = [&SEVERITY[..], &SERVICE, &NAMESPACE, &CLUSTER, &OTHERS];
    all.into_iter().any(|names| names.contains(&name))
}
