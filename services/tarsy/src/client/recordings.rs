//! Requests about records of sessions.

use reqwest::StatusCode;
use tarsy_contracts::recording::Recording;

use super::send::send;
use super::{Accepted, Client, refusal};
use crate::unreachable::unreachable;

impl Client {
    /// The record of a session.
    pub(crate) async fn recording(&self, id: &str) -> anyhow::Result<Recording> {
        self.ask(self.http.get(self.at(&format!("/api/v1/sessions/{id}/recording"))?)).await
    }

    /// Stores a record as a finished session; returns its id.
    pub(crate) async fn bring_in(&self, recording: &Recording) -> anyhow::Result<String> {
        let request = self.http.post(self.at("/api/v1/recordings")?).json(recording);
        Ok(self.ask::<Accepted>(request).await?.id)
    }

    /// Stores a record as a finished session unless its alert was brought in before; answers whether it was.
    pub(crate) async fn bring_in_once(&self, recording: &Recording) -> anyhow::Result<bool> {
        let url = self.at("/api/v1/recordings")?;
        let request = self.http.post(url).query(&[("once", "true")]).json(recording);
        let response = send(request).await.map_err(|error| unreachable(&self.base, &error))?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(response.status() == StatusCode::OK)
    }
}
