//! Scores of sessions.

use serde_json::Value;

use super::Client;

impl Client {
    /// The scores of a session, the last first.
    pub(crate) async fn find_scores(&self, id: &str) -> anyhow::Result<Value> {
        self.ask(self.http.get(self.at(&format!("/api/v1/sessions/{id}/score"))?)).await
    }

    /// Has a session scored.
    pub(crate) async fn score(&self, id: &str) -> anyhow::Result<Value> {
        self.ask(self.http.post(self.at(&format!("/api/v1/sessions/{id}/score"))?)).await
    }
}
