//! Calls that changed something.

use serde_json::Value;
use tarsy_contracts::action::Action;

use super::Client;

impl Client {
    /// Has an action taken back, which approves the call that does.
    pub(crate) async fn roll_back(&self, session: &str, action: &Action) -> anyhow::Result<Value> {
        let path = format!("/api/v1/sessions/{session}/actions/{}/rollback", action.id);
        self.ask(self.http.post(self.at(&path)?)).await
    }
}
