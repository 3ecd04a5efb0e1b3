//! What changed, and what depends on what.

use serde_json::Value;

use super::Client;

impl Client {
    /// Changes that fit, the newest first; empty values filter nothing.
    pub(crate) async fn changes(&self, query: &[(&str, String)]) -> anyhow::Result<Value> {
        let given = query.iter().filter(|(_, value)| !value.is_empty());
        let query: Vec<_> = given.collect();
        self.ask(self.http.get(self.at("/api/v1/changes")?).query(&query)).await
    }

    /// What an object depends on, and what depends on it; empty values filter nothing.
    pub(crate) async fn dependencies(&self, query: &[(&str, String)]) -> anyhow::Result<Value> {
        let given = query.iter().filter(|(_, value)| !value.is_empty());
        let query: Vec<_> = given.collect();
        self.ask(self.http.get(self.at("/api/v1/dependencies")?).query(&query)).await
    }

    pub(crate) async fn record_change(&self, change: &Value) -> anyhow::Result<Value> {
        self.ask(self.http.post(self.at("/api/v1/changes")?).json(change)).await
    }
}
