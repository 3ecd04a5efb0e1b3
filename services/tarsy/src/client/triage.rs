//! The state of work on sessions.

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{Client, Sessions};

/// A change of the state of work, a note, or both.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TriageChange {
    /// Sent again with it, the change is made once.
    pub(crate) id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) triage: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) assignee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    pub(crate) take_over: bool,
}

impl TriageChange {
    pub(crate) fn new(triage: Option<&'static str>) -> Self {
        Self { id: Uuid::now_v7(), triage, assignee: None, note: None, take_over: false }
    }

    /// The same of another session.
    pub(crate) fn for_another(&self) -> Self {
        Self { id: Uuid::now_v7(), ..self.clone() }
    }
}

/// Which sessions are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionFilter<'a> {
    pub(crate) status: Option<&'a str>,
    pub(crate) triage: Option<&'a str>,
    pub(crate) is_mine: bool,
    pub(crate) min_score: Option<u8>,
}

impl Client {
    /// Changes the state of work on a session.
    pub(crate) async fn triage(&self, id: &str, change: &TriageChange) -> anyhow::Result<Value> {
        let url = self.at(&format!("/api/v1/sessions/{id}/triage"))?;
        self.ask(self.http.post(url).json(change)).await
    }

    /// The newest sessions, at most 100.
    pub(crate) async fn sessions(
        &self,
        limit: u8,
        filter: &SessionFilter<'_>,
    ) -> anyhow::Result<Vec<Value>> {
        let mut query = vec![("page_size", limit.to_string())];
        for (name, value) in [("status", filter.status), ("triage", filter.triage)] {
            query.extend(value.map(|value| (name, value.to_owned())));
        }
        if filter.is_mine {
            query.push(("mine", "true".to_owned()));
        }
        query.extend(filter.min_score.map(|least| ("score_min", least.to_string())));
        let request = self.http.get(self.at("/api/v1/sessions")?).query(&query);
        Ok(self.ask::<Sessions>(request).await?.sessions)
    }
}
