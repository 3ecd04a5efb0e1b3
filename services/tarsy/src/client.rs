//! The HTTP client of the command line.

mod actions;
mod approval;
mod changes;
mod learning;
mod memories;
mod recordings;
mod schedules;
mod scores;
mod send;
mod services;
mod triage;

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tarsy_contracts::action::Action;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::failure::FailureView;
use tarsy_contracts::status::Instance;
use tarsy_domain::verdict::{Verdict, VerdictFailure};
use tarsy_evaluation::Comparison;
use tarsy_outbound::Proxies;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use url::Url;

pub(crate) use approval::{Approval, Decision, Injected};
pub(crate) use memories::{MemoryChange, MemoryFilter};
use send::send;
pub(crate) use services::Reloading;
use services::Services;
pub(crate) use triage::{SessionFilter, TriageChange};

use crate::unreachable::unreachable;

const TIMEOUT: Duration = Duration::from_secs(30);

/// Talks to one server.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    base: Url,
    /// What every request carries.
    headers: HeaderMap,
}

/// An alert to submit.
#[derive(Debug, Serialize)]
pub(crate) struct NewAlert {
    pub(crate) data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alert_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) runbook: Option<String>,
    /// The requested tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mcp: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slack_message_fingerprint: Option<String>,
    #[serde(flatten)]
    pub(crate) fields: AlertFields,
}

/// What a person thinks of a finding.
#[derive(Debug, Serialize)]
pub(crate) struct NewReview {
    pub(crate) review: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actual_cause: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
}

/// What differs from the session that is replayed.
#[derive(Debug, Default, Serialize)]
pub(crate) struct NewReplay {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    /// A resolved chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) chain: Option<Value>,
    /// Prompt templates by name.
    pub(crate) prompts: BTreeMap<String, String>,
}

/// A session with its stages.
#[derive(Debug, Deserialize)]
pub(crate) struct SessionDetail {
    /// The number of its last event.
    pub(crate) last_event_id: i64,
    pub(crate) stages: Vec<StageState>,
    /// Why its findings need a second look; a newer server may have other words.
    #[serde(default)]
    pub(crate) degraded_reasons: Vec<String>,
    /// Calls that change something.
    #[serde(default)]
    pub(crate) actions: Vec<Action>,
    /// None also from a server that knows none.
    #[serde(default)]
    pub(crate) verdict: Option<Verdict>,
    /// Why there is none.
    #[serde(default)]
    pub(crate) verdict_failure: Option<VerdictFailure>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct StageState {
    pub(crate) id: String,
    pub(crate) status: String,
}

/// A question that will be answered.
#[derive(Debug, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
pub(crate) struct AcceptedQuestion {
    chat_id: String,
    message_id: String,
    /// The stage that answers it.
    pub(crate) stage_id: String,
}

/// A text to remove.
#[derive(Serialize)]
pub(crate) struct NewRedaction<'a> {
    pub(crate) text: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) dry_run: bool,
    pub(crate) continue_at: Option<Value>,
}

/// How far a removal has come.
#[derive(Debug, Deserialize)]
pub(crate) struct Redacted {
    pub(crate) complete: bool,
    pub(crate) continue_at: Option<Value>,
    pub(crate) rows: BTreeMap<String, u64>,
    pub(crate) running_sessions: Vec<String>,
    pub(crate) queued_alerts: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Approvals {
    approvals: Vec<Approval>,
}

#[derive(Debug, Deserialize)]
struct Sessions {
    sessions: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Warnings {
    warnings: Vec<Value>,
}

/// The status of a session.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SessionState {
    pub(crate) status: String,
    pub(crate) executive_summary: Option<String>,
    pub(crate) error_message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<FailureView>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Accepted {
    #[serde(rename = "session_id")]
    pub(crate) id: String,
    /// What the alert requests without an effect.
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Problem {
    #[serde(default)]
    title: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    errors: Vec<FieldProblem>,
}

#[derive(Debug, Deserialize)]
struct FieldProblem {
    field: String,
    message: String,
}

impl Client {
    /// A client of the server at this address.
    pub(crate) fn new(base: &str, token: Option<&str>) -> anyhow::Result<Self> {
        let base = address(base).with_context(|| {
            format!("--url is {base:?}, which is no address of HTTP: write for example http://localhost:8080")
        })?;
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
                .context("--token has characters that no token has")?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let http = Proxies::of_environment()
            .apply(reqwest::Client::builder())
            .timeout(TIMEOUT)
            .default_headers(headers.clone())
            .build()?;
        Ok(Self { http, base, headers })
    }

    /// Submits an alert. The same key within 24 hours returns the first session.
    pub(crate) async fn submit(
        &self,
        alert: &NewAlert,
        idempotency_key: Option<&str>,
    ) -> anyhow::Result<Accepted> {
        let mut request = self.http.post(self.at("/api/v1/alerts")?).json(alert);
        if let Some(key) = idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        self.ask(request).await
    }

    /// Starts the demo; returns the session's id.
    pub(crate) async fn start_demo(&self) -> anyhow::Result<String> {
        Ok(self.ask::<Accepted>(self.http.post(self.at("/api/v1/demo")?)).await?.id)
    }

    /// Replays a session; returns the new session's id.
    pub(crate) async fn replay(&self, id: &str, replay: &NewReplay) -> anyhow::Result<String> {
        let url = self.at(&format!("/api/v1/sessions/{id}/replay"))?;
        Ok(self.ask::<Accepted>(self.http.post(url).json(replay)).await?.id)
    }

    /// Two sessions beside each other.
    pub(crate) async fn comparison(&self, id: &str, with: &str) -> anyhow::Result<Comparison> {
        let url = self.at(&format!("/api/v1/sessions/{id}/comparison"))?;
        self.ask(self.http.get(url).query(&[("with", with)])).await
    }

    /// A session with its stages.
    pub(crate) async fn session(&self, id: &str) -> anyhow::Result<SessionDetail> {
        self.ask(self.http.get(self.at(&format!("/api/v1/sessions/{id}"))?)).await
    }

    /// Cancels a session, or the question that is being answered about it.
    pub(crate) async fn cancel(&self, id: &str) -> anyhow::Result<Value> {
        self.ask(self.http.post(self.at(&format!("/api/v1/sessions/{id}/cancel"))?)).await
    }

    /// The tool calls that wait for a decision, the oldest first.
    pub(crate) async fn approvals(&self) -> anyhow::Result<Vec<Approval>> {
        let request = self.http.get(self.at("/api/v1/approvals")?);
        Ok(self.ask::<Approvals>(request).await?.approvals)
    }

    /// Decides about a tool call.
    pub(crate) async fn decide(
        &self,
        approval: &Approval,
        decision: Decision,
    ) -> anyhow::Result<Value> {
        let Approval { id, session_id, .. } = approval;
        let url = self.at(&format!("/api/v1/sessions/{session_id}/approvals/{id}"))?;
        self.ask(self.http.post(url).json(&json!({ "decision": decision }))).await
    }

    /// Deletes a session that has ended.
    pub(crate) async fn delete_session(&self, id: &str, reason: &str) -> anyhow::Result<Value> {
        let url = self.at(&format!("/api/v1/sessions/{id}"))?;
        self.ask(self.http.delete(url).query(&[("reason", reason)])).await
    }

    /// Removes a text from what is stored, some rows at a time.
    pub(crate) async fn redact(&self, redaction: &NewRedaction<'_>) -> anyhow::Result<Redacted> {
        self.ask(self.http.post(self.at("/api/v1/redactions")?).json(redaction)).await
    }

    /// Asks a question about a finished session.
    pub(crate) async fn ask_question(
        &self,
        id: &str,
        question: &str,
    ) -> anyhow::Result<AcceptedQuestion> {
        let url = self.at(&format!("/api/v1/sessions/{id}/chat/messages"))?;
        self.ask(self.http.post(url).json(&json!({ "content": question }))).await
    }

    /// What an operator should know.
    pub(crate) async fn warnings(&self) -> anyhow::Result<Vec<Value>> {
        let request = self.http.get(self.at("/api/v1/system/warnings")?);
        Ok(self.ask::<Warnings>(request).await?.warnings)
    }

    /// Where the API is.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// What the API says of the system, at a path such as `state`.
    pub(crate) async fn system<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        self.ask(self.http.get(self.at(&format!("/api/v1/system/{path}"))?)).await
    }

    /// The services that run.
    pub(crate) async fn services(&self) -> anyhow::Result<Vec<Instance>> {
        Ok(self.system::<Services>("services").await?.services)
    }

    /// Asks the services to start again with the configuration as it is now.
    pub(crate) async fn reload(&self) -> anyhow::Result<Reloading> {
        self.ask(self.http.post(self.at("/api/v1/system/config/reload")?)).await
    }

    pub(crate) async fn status(&self, id: &str) -> anyhow::Result<SessionState> {
        self.ask(self.http.get(self.at(&format!("/api/v1/sessions/{id}/status"))?)).await
    }

    /// Where the dashboard shows a session.
    pub(crate) fn page_of(&self, id: &str) -> String {
        self.at(&format!("/sessions/{id}")).map(String::from).unwrap_or_default()
    }

    /// Where live events come from.
    pub(crate) fn socket(&self) -> anyhow::Result<http::Request<()>> {
        let mut url = self.at("/api/v1/ws")?;
        let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
        url.set_scheme(scheme).map_err(|()| anyhow::anyhow!("{url} has no WebSocket"))?;
        let mut request = url.as_str().into_client_request()?;
        request.headers_mut().extend(self.headers.clone());
        Ok(request)
    }

    /// A path below that of the base, if it has one.
    fn at(&self, path: &str) -> anyhow::Result<Url> {
        Ok(format!("{}{path}", self.base.as_str().trim_end_matches('/')).parse()?)
    }

    async fn ask<T: DeserializeOwned>(&self, request: RequestBuilder) -> anyhow::Result<T> {
        let response = send(request).await.map_err(|error| unreachable(&self.base, &error))?;
        if !response.status().is_success() {
            return Err(refusal(response).await);
        }
        Ok(response.json().await?)
    }
}

/// An address as it is written: also a host and a port alone.
fn address(base: &str) -> Option<Url> {
    let url = Url::parse(&whole(base)).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// An address with its scheme.
pub(crate) fn whole(base: &str) -> String {
    if base.contains("://") { base.to_owned() } else { format!("http://{base}") }
}

async fn refusal(response: Response) -> anyhow::Error {
    let status = response.status();
    let Ok(problem) = response.json::<Problem>().await else {
        return anyhow::anyhow!("the server answered {status}");
    };
    let fields: Vec<String> =
        problem.errors.iter().map(|one| format!("\n  {}: {}", one.field, one.message)).collect();
    let text = if problem.message.is_empty() { problem.title } else { problem.message };
    anyhow::anyhow!("{text}{}", fields.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_that_is_not_running_differs_from_one_that_cannot_be_asked() {
        let refused = async |url: &str| {
            let client = Client::new(url, None).unwrap();
            client.status("x").await.unwrap_err().to_string()
        };
        let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let text = refused(&format!("http://{closed}")).await;
        assert!(text.contains("nothing listens") && text.contains("is it running?"), "{text}");
        let text = refused("http://nobody.invalid").await;
        assert!(text.contains("its host has no address"), "{text}");
        assert!(!text.contains("tarsy up"), "{text}");
    }

    #[test]
    fn pages_and_requests_are_below_the_path_of_the_address() {
        for (base, page) in [
            ("http://localhost:8080", "http://localhost:8080/sessions/a"),
            ("https://host.example/tarsy/", "https://host.example/tarsy/sessions/a"),
            ("https://[::1]/ops/tarsy", "https://[::1]/ops/tarsy/sessions/a"),
        ] {
            let client = Client::new(base, None).unwrap();
            assert_eq!(client.page_of("a"), page);
            let socket = client.socket().unwrap().uri().to_string();
            assert_eq!(socket, page.replacen("http", "ws", 1).replace("sessions/a", "api/v1/ws"));
        }
    }

    #[test]
    fn a_host_and_a_port_are_an_address() {
        for (given, read) in [
            ("localhost:8080", "http://localhost:8080/"),
            ("[::1]:8080", "http://[::1]:8080/"),
            ("tarsy.example", "http://tarsy.example/"),
            ("https://tarsy.example/", "https://tarsy.example/"),
        ] {
            assert_eq!(address(given).unwrap().as_str(), read);
        }
        for wrong in ["", "http://", "ht!tp://x", "ftp://tarsy.example"] {
            let refused = Client::new(wrong, None).unwrap_err();
            let text = format!("{refused:#}");
            assert!(text.ends_with("write for example http://localhost:8080"), "{text}");
        }
    }
}
