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
    /// The first text that the session was given and that addresses a model.
    #[serde(default)]
    pub(crate) injected: Option<Injected>,
    #[serde(flatten)]
    pub(crate) alert: AlertOfCall,
}

/// A line that addresses a model.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Injected {
    /// The call whose result has it; none if the alert has it.
    #[serde(default)]
    pub(crate) call: Option<i64>,
    pub(crate) text: String,
}

/// What the alert of the session is about.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AlertOfCall {
    pub(crate) title: Option<String>,
    pub(crate) alert_type: Option<String>,
    pub(crate) severity: Option<String>,
    pub(crate) service: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) cluster: Option<String>,
}

impl AlertOfCall {
    /// Its title, severity and place, as far as they are known.
    pub(crate) fn facts(&self) -> Vec<String> {
        let title = self.title.as_ref().or(self.alert_type.as_ref());
        let place = [("namespace ", &self.namespace), ("cluster ", &self.cluster)];
        let place = place
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}{}", value.as_ref()?)));
        let known = [title, self.severity.as_ref(), self.service.as_ref()].into_iter().flatten();
        known.cloned().chain(place).collect()
    }
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
