//! The services that run, as the API has them.

use serde::Deserialize;
use tarsy_contracts::status::Instance;

/// What the services were asked to start again with.
#[derive(Debug, Deserialize)]
pub(crate) struct Reloading {
    pub(crate) config_hash: String,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Services {
    pub(super) services: Vec<Instance>,
}
