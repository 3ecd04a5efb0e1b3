//! Which events of a Kubernetes cluster become alerts, and which changes of its objects are recorded.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::rule::{As, AtLeast, Each, NotBlank, Positive};

/// Which warning events tarsy-kubernetes-watcher sends.
#[derive(Clone, Debug, PartialEq, Eq, SmartDefault, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KubernetesEvents {
    /// The cluster's name on its alerts
    #[serde(with = "As::<NotBlank>")]
    pub cluster: Option<String>,
    /// Only these namespaces; empty for all, and for objects of the cluster
    #[serde(with = "Each::<NotBlank>")]
    pub namespaces: Vec<String>,
    /// Not these namespaces
    #[serde(with = "Each::<NotBlank>")]
    pub exclude_namespaces: Vec<String>,
    /// How often an event must be seen
    #[default = 1]
    #[serde(with = "As::<AtLeast<1>>")]
    pub min_count: u32,
    /// Older events are not sent
    #[default(Duration::from_mins(10))]
    #[serde(with = "As::<Positive>")]
    pub max_age: Duration,
}

/// Objects whose changes are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangedKind {
    Deployments,
    Statefulsets,
    Daemonsets,
    /// Horizontal pod autoscalers.
    Hpas,
    /// Their versions, never what is in them.
    Configmaps,
    /// Their versions, never what is in them; releases of Helm, by the labels of their secrets.
    Secrets,
    Nodes,
}

/// Which changes of objects tarsy-kubernetes-watcher sends.
#[derive(Clone, Debug, PartialEq, Eq, SmartDefault, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KubernetesChanges {
    /// Objects that the watcher's role lists and watches
    #[default(vec![
        ChangedKind::Deployments,
        ChangedKind::Statefulsets,
        ChangedKind::Daemonsets,
        ChangedKind::Hpas,
        ChangedKind::Configmaps,
        ChangedKind::Secrets,
        ChangedKind::Nodes,
    ])]
    #[schemars(extend("x-default" = "all"))]
    pub kinds: Vec<ChangedKind>,
    /// Only these namespaces; empty for all
    #[serde(with = "Each::<NotBlank>")]
    pub namespaces: Vec<String>,
    /// Not these namespaces
    #[default(vec!["kube-system".to_owned()])]
    #[serde(with = "Each::<NotBlank>")]
    pub exclude_namespaces: Vec<String>,
}

/// What tarsy-kubernetes-watcher reads of the dependencies of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, SmartDefault, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KubernetesTopology {
    /// How often; less than `system.retention.dependency_retention_days`
    #[default(Duration::from_mins(10))]
    #[serde(with = "As::<Positive>")]
    pub every: Duration,
    /// Only these namespaces; empty for all
    #[serde(with = "Each::<NotBlank>")]
    pub namespaces: Vec<String>,
    /// Not these namespaces
    #[default(vec!["kube-system".to_owned()])]
    #[serde(with = "Each::<NotBlank>")]
    pub exclude_namespaces: Vec<String>,
}
