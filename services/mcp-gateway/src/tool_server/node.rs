//! Which node of a cluster a served host inspector runs on, for the inspector that chooses among them.

use std::collections::BTreeMap;

use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;

/// Where it is asked for, with the same token as the server itself.
const PATH: &str = "/node";
/// The variables with the node's name and its address.
const NAME: &str = "HOST_INSPECTOR_NODE_NAME";
const ADDRESS: &str = "HOST_INSPECTOR_NODE_ADDRESS";

#[derive(Clone, Debug, Serialize)]
pub(super) struct NodeIdentity {
    node: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl NodeIdentity {
    /// The node that the environment names; none if it names none.
    pub(super) fn of(variables: &BTreeMap<String, String>) -> Option<Self> {
        let variable = |name| {
            let value = variables.get(name).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        Some(Self { node: variable(NAME)?, address: variable(ADDRESS) })
    }

    pub(super) fn serve(self, router: Router) -> Router {
        router.route(PATH, get(move || async move { Json(self) }))
    }
}
