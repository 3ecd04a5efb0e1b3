//! What is learned of incidents: reviews, postmortems, and what would prevent them.

use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_contracts::prevention::Prevention;
use tarsy_evaluation::Reviewed;

use super::send::send;
use super::{Client, NewReview, refusal};
use crate::unreachable::unreachable;

#[derive(Debug, Deserialize)]
struct Reviews {
    review: Option<Reviewed>,
}

impl Client {
    /// The postmortem of the incident that sessions are about.
    pub(crate) async fn postmortem(&self, id: &str, with: &[String]) -> anyhow::Result<Value> {
        let url = self.at(&format!("/api/v1/sessions/{id}/postmortem"))?;
        self.ask(self.http.get(url).query(&[("with", with.join(","))])).await
    }

    /// The same as Markdown.
    pub(crate) async fn postmortem_text(
        &self,
        id: &str,
        with: &[String],
    ) -> anyhow::Result<String> {
        let url = self.at(&format!("/api/v1/sessions/{id}/postmortem"))?;
        let query = [("with", with.join(",")), ("format", "markdown".to_owned())];
        let response = send(self.http.get(url).query(&query))
            .await
            .map_err(|error| unreachable(&self.base, &error))?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(response.text().await?)
    }

    /// Has a model write the prose of a postmortem.
    pub(crate) async fn request_prose(&self, id: &str, replace: bool) -> anyhow::Result<()> {
        let url = self.at(&format!("/api/v1/sessions/{id}/postmortem/prose"))?;
        let request = self.http.post(url).json(&json!({ "replace": replace }));
        let response = send(request).await.map_err(|error| unreachable(&self.base, &error))?;
        if response.status().is_success() { Ok(()) } else { Err(refusal(response).await) }
    }

    /// What came again and again in a week; the last seven days without one.
    pub(crate) async fn prevention(&self, week: &str) -> anyhow::Result<Prevention> {
        self.ask(self.http.get(self.at("/api/v1/prevention")?).query(&[("week", week)])).await
    }

    /// Reviews a finished session.
    pub(crate) async fn review(&self, id: &str, review: &NewReview) -> anyhow::Result<Value> {
        let url = self.at(&format!("/api/v1/sessions/{id}/review"))?;
        self.ask(self.http.put(url).json(review)).await
    }

    /// The review of a session that counts; none before somebody reviewed it.
    pub(crate) async fn find_review(&self, id: &str) -> anyhow::Result<Option<Reviewed>> {
        let url = self.at(&format!("/api/v1/sessions/{id}/review"))?;
        let found: Reviews = self.ask(self.http.get(url)).await?;
        Ok(found.review)
    }
}
