//! Investigations that begin by the calendar.

use serde_json::Value;

use super::Client;

impl Client {
    /// The schedules of the configuration.
    pub(crate) async fn schedules(&self) -> anyhow::Result<Value> {
        self.ask(self.http.get(self.at("/api/v1/schedules")?)).await
    }

    /// Begins an investigation of a schedule now.
    pub(crate) async fn run_schedule(&self, name: &str) -> anyhow::Result<Value> {
        let mut url = self.at("/api/v1/schedules")?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.extend([name, "runs"]);
        }
        self.ask(self.http.post(url)).await
    }
}
