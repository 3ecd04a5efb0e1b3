//! Which events of a Kubernetes cluster become alerts.

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
    /// Only events of objects in these namespaces; empty for all, and for objects of the cluster
    #[serde(with = "Each::<NotBlank>")]
    pub namespaces: Vec<String>,
    /// No events of objects in these namespaces
    #[serde(with = "Each::<NotBlank>")]
    pub exclude_namespaces: Vec<String>,
    /// An event is sent once it was seen this often
    #[default = 1]
    #[serde(with = "As::<AtLeast<1>>")]
    pub min_count: u32,
    /// Events that were last seen longer ago are not sent, such as old ones when the watcher starts
    #[default(Duration::from_mins(10))]
    #[serde(with = "As::<Positive>")]
    pub max_age: Duration,
}
