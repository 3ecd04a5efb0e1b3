//! Names of labels that monitoring tools use for the same thing, the most usual first.

use std::collections::BTreeMap;

use crate::alert::Draft;

const SEVERITY: [&str; 3] = ["severity", "priority", "level"];
const SERVICE: [&str; 6] =
    ["service", "app_kubernetes_io_name", "app", "application", "ServiceName", "job"];
const NAMESPACE: [&str; 4] =
    ["namespace", "kubernetes_namespace", "kube_namespace", "k8s_namespace_name"];
const CLUSTER: [&str; 6] = [
    "cluster",
    "cluster_name",
    "kube_cluster_name",
    "k8s_cluster_name",
    "k8s_cluster",
    "ClusterName",
];

/// Fills in from its labels what an alert does not state.
pub(crate) fn fill_from_labels(draft: &mut Draft) {
    let labels = &draft.labels;
    draft.severity = draft.severity.take().or_else(|| first(labels, &SEVERITY));
    draft.service = draft.service.take().or_else(|| first(labels, &SERVICE));
    draft.namespace = draft.namespace.take().or_else(|| first(labels, &NAMESPACE));
    draft.cluster = draft.cluster.take().or_else(|| first(labels, &CLUSTER));
}

/// The value of the first of these names that has one.
pub(crate) fn first(values: &BTreeMap<String, String>, names: &[&str]) -> Option<String> {
    let mut found = names.iter().filter_map(|name| values.get(*name));
    found.find(|value| !value.trim().is_empty()).cloned()
}
