//! Services that start again with the configuration as it is now, as the API has them.

use serde::{Deserialize, Serialize};

/// What the services were asked to start with.
#[derive(Debug, Deserialize)]
pub(crate) struct Reloading {
    pub(crate) config_hash: String,
    pub(crate) warnings: Vec<String>,
}

/// The services that run.
#[derive(Debug, Deserialize)]
pub(crate) struct Running {
    pub(crate) services: Vec<Instance>,
}

/// A service that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Instance {
    #[serde(rename = "service")]
    pub(crate) name: String,
    #[serde(rename = "instance")]
    pub(crate) id: String,
    /// Of the configuration that it runs with; empty if it reads none.
    pub(crate) config_hash: String,
}
