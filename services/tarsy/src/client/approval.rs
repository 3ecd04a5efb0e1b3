//! Tool calls that wait for a decision, as the API has them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_contracts::action::{ActionPlan, DryRun};

/// A tool call that waits for a decision.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Approval {
    pub(crate) id: String,
    pub(crate) session_id: String,
    pub(crate) server_name: String,
    pub(crate) tool_name: String,
    pub(crate) arguments: Value,
    /// Why a person has to decide.
    pub(crate) reason: String,
    pub(crate) expires_at: String,
    /// What the call is meant to do.
    #[serde(default)]
    pub(crate) action: Option<ActionPlan>,
    #[serde(default)]
    pub(crate) dry_run: Option<DryRun>,
}

impl Approval {
    /// The server and the tool.
    pub(crate) fn tool(&self) -> String {
        format!("{}.{}", self.server_name, self.tool_name)
    }
}

/// What a person decides about a tool call.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Approve,
    Deny,
}
