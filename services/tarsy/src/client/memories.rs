//! Memories: what people confirmed in reviews.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::send::send;
use super::{Client, refusal};
use crate::unreachable::unreachable;

/// Memories of one request.
const PAGE: usize = 200;

/// Which memories.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryFilter<'a> {
    pub(crate) text: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct MemoryChange<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
struct Page {
    memories: Vec<Value>,
    next_cursor: Option<String>,
}

impl Client {
    /// Memories, those that were confirmed last first, at most so many.
    pub(crate) async fn memories(
        &self,
        filter: &MemoryFilter<'_>,
        most: usize,
    ) -> anyhow::Result<Vec<Value>> {
        let (mut memories, mut cursor) = (Vec::new(), None);
        loop {
            let mut query = vec![("limit", PAGE.min(most).to_string())];
            for (name, value) in [("q", filter.text), ("state", filter.state)] {
                query.extend(value.map(|value| (name, value.to_owned())));
            }
            query.extend(cursor.take().map(|cursor| ("cursor", cursor)));
            let request = self.http.get(self.at("/api/v1/memories")?).query(&query);
            let page: Page = self.ask(request).await?;
            memories.extend(page.memories);
            cursor = page.next_cursor;
            if cursor.is_none() || memories.len() >= most {
                memories.truncate(most);
                return Ok(memories);
            }
        }
    }

    pub(crate) async fn change_memory(
        &self,
        id: &str,
        change: &MemoryChange<'_>,
    ) -> anyhow::Result<Value> {
        self.ask(self.http.patch(self.at(&format!("/api/v1/memories/{id}"))?).json(change)).await
    }

    pub(crate) async fn delete_memory(&self, id: &str) -> anyhow::Result<()> {
        let request = self.http.delete(self.at(&format!("/api/v1/memories/{id}"))?);
        let response = send(request).await.map_err(|error| unreachable(&self.base, &error))?;
        if response.status().is_success() { Ok(()) } else { Err(refusal(response).await) }
    }
}
