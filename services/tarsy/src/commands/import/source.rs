//! The API of the Go implementation.

use std::time::Duration;

use anyhow::Context as _;
use jiff::civil::Date;
use reqwest::header::AUTHORIZATION;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tarsy_outbound::Proxies;
use url::Url;

const TIMEOUT: Duration = Duration::from_mins(1);
/// Sessions of a page, as many as it answers.
const PAGE: &str = "100";
/// The most tool calls of a session that are read.
const MOST_CALLS: usize = 5_000;
/// Agents in agents that are looked into.
const MOST_DEPTH: usize = 8;

#[derive(Debug)]
pub(super) struct Source {
    http: reqwest::Client,
    base: Url,
    authorization: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Page {
    sessions: Vec<Named>,
    pagination: Pagination,
}

#[derive(Debug, Deserialize)]
struct Named {
    id: String,
}

#[derive(Debug, Deserialize)]
struct Pagination {
    total_pages: usize,
}

/// A session that has ended.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Session {
    pub(super) alert_data: String,
    pub(super) alert_type: Option<String>,
    pub(super) created_at: String,
    #[serde(default)]
    pub(super) status: String,
    pub(super) error_message: Option<String>,
    pub(super) runbook_url: Option<String>,
    pub(super) final_analysis: Option<String>,
    pub(super) executive_summary: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Trace {
    #[serde(default)]
    stages: Vec<Stage>,
}

#[derive(Debug, Deserialize)]
struct Stage {
    #[serde(default)]
    executions: Vec<Execution>,
}

#[derive(Debug, Deserialize)]
struct Execution {
    #[serde(default)]
    mcp_interactions: Vec<Interaction>,
    #[serde(default)]
    sub_agents: Vec<Execution>,
}

#[derive(Debug, Deserialize)]
struct Interaction {
    id: String,
    #[serde(rename = "interaction_type")]
    kind: String,
    #[serde(default)]
    created_at: String,
}

/// A tool call with its result.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Call {
    pub(super) server_name: String,
    pub(super) tool_name: Option<String>,
    #[serde(default)]
    pub(super) tool_arguments: Value,
    #[serde(default)]
    pub(super) tool_result: Value,
    pub(super) error_message: Option<String>,
}

impl Source {
    pub(super) fn new(address: &str, authorization: Option<&str>) -> anyhow::Result<Self> {
        let base: Url = address.parse().with_context(|| {
            format!("{address:?} is no address; write one such as http://tarsy-old:8080")
        })?;
        let http =
            Proxies::of_environment().apply(reqwest::Client::builder()).timeout(TIMEOUT).build()?;
        Ok(Self { http, base, authorization: authorization.map(str::to_owned) })
    }

    /// The ids of the sessions of a page that have ended, the oldest first, and whether it is the last one.
    pub(super) async fn page(
        &self,
        number: usize,
        since: Option<Date>,
    ) -> anyhow::Result<(Vec<String>, bool)> {
        let number = number.to_string();
        let since = since.map(|day| format!("{day}T00:00:00Z"));
        let mut query = vec![
            ("page", number.as_str()),
            ("page_size", PAGE),
            ("sort_by", "created_at"),
            ("sort_order", "asc"),
            ("status", "completed,failed,timed_out,cancelled"),
        ];
        query.extend(since.as_deref().map(|since| ("start_date", since)));
        let page: Page = self.get("/api/v1/sessions", &query).await?;
        let is_last = page.sessions.is_empty() || number == page.pagination.total_pages.to_string();
        Ok((page.sessions.into_iter().map(|one| one.id).collect(), is_last))
    }

    pub(super) async fn session(&self, id: &str) -> anyhow::Result<Session> {
        self.get(&format!("/api/v1/sessions/{id}"), &[]).await
    }

    /// The tool calls of a session, in their order.
    pub(super) async fn calls(&self, id: &str) -> anyhow::Result<Vec<Call>> {
        let trace: Trace = self.get(&format!("/api/v1/sessions/{id}/trace"), &[]).await?;
        let mut found = Vec::new();
        for stage in trace.stages {
            collect(stage.executions, 0, &mut found);
        }
        found.sort_by(|one, other| one.created_at.cmp(&other.created_at));
        found.truncate(MOST_CALLS);
        let mut calls = Vec::new();
        for one in found {
            let path = format!("/api/v1/sessions/{id}/trace/mcp/{}", one.id);
            calls.push(self.get(&path, &[]).await?);
        }
        Ok(calls)
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> anyhow::Result<T> {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let mut request = self.http.get(&url).query(query);
        if let Some(value) = &self.authorization {
            request = request.header(AUTHORIZATION, value);
        }
        let answer = request.send().await.with_context(|| format!("{url} cannot be reached"))?;
        let status = answer.status();
        anyhow::ensure!(status.is_success(), "{url} answers {status}");
        answer.json().await.with_context(|| format!("{url} answers something else than expected"))
    }
}

/// Adds the tool calls of executions, and those of the agents that they dispatched.
fn collect(executions: Vec<Execution>, depth: usize, found: &mut Vec<Interaction>) {
    for execution in executions {
        let calls = execution.mcp_interactions.into_iter();
        found.extend(calls.filter(|one| one.kind == "tool_call"));
        if depth < MOST_DEPTH {
            collect(execution.sub_agents, depth + 1, found);
        }
    }
}
