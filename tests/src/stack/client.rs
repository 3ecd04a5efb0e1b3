//! What a client asks of the running product.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_testkit::slack_signature;
use tokio::time::{Instant, sleep};

use crate::posts::{RESPONDER, SIGNING_SECRET};
use crate::viewer::Viewer;

/// How long a viewer may be refused.
const CONNECT: Duration = Duration::from_mins(3);

/// A client of the API; cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    pub(super) url: String,
    pub(super) http: reqwest::Client,
    /// The token of the start, where people do not sign in.
    pub(super) token: Option<&'static str>,
}

impl Client {
    /// The dashboard and the API.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address that `tarsy open` prints, after which a browser may decide.
    pub fn address(&self) -> String {
        let fragment = self.token.map(|token| format!("/#token={token}"));
        format!("{}{}", self.url, fragment.unwrap_or_default())
    }

    /// The status of the API's readiness.
    pub async fn readiness(&self) -> anyhow::Result<u16> {
        Ok(self.http.get(format!("{}/readyz", self.url)).send().await?.status().as_u16())
    }

    /// Where viewers connect.
    pub fn socket(&self) -> String {
        format!("{}/api/v1/ws", self.url.replacen("http", "ws", 1))
    }

    /// Asks the API.
    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        let answer = self.http.get(format!("{}{path}", self.url)).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    /// Submits an alert; returns the session's id.
    pub async fn submit(&self, alert_type: &str, data: &str) -> anyhow::Result<String> {
        self.submit_whole(&json!({ "alert_type": alert_type, "data": data })).await
    }

    /// An alert, ready to be sent.
    pub fn alert(&self, alert_type: &str, data: &str) -> anyhow::Result<reqwest::Request> {
        let alert = json!({ "alert_type": alert_type, "data": data });
        Ok(self.http.post(format!("{}/api/v1/alerts", self.url)).json(&alert).build()?)
    }

    /// Sends such an alert; returns the session's id.
    pub async fn send(&self, alert: reqwest::Request) -> anyhow::Result<String> {
        let answer = self.http.execute(alert).await?.error_for_status()?;
        let body: Value = answer.json().await?;
        Ok(body["session_id"].as_str().context("no session")?.to_owned())
    }

    /// Submits a whole request; returns the session's id.
    pub async fn submit_whole(&self, alert: &Value) -> anyhow::Result<String> {
        let (status, body) = self.post("/api/v1/alerts", alert).await?;
        let id = body["session_id"].as_str();
        Ok(id.with_context(|| format!("the alert was not taken: {status} {body}"))?.to_owned())
    }

    /// Asks a question about a session; returns the stage that answers it.
    pub async fn ask(&self, session: &str, question: &str) -> anyhow::Result<String> {
        let path = format!("/api/v1/sessions/{session}/chat/messages");
        let (status, body) = self.post(&path, &json!({ "content": question })).await?;
        let stage = body["stage_id"].as_str();
        Ok(stage.with_context(|| format!("not taken: {status} {body}"))?.to_owned())
    }

    /// Sends a request to the API; returns the status and the body of its answer.
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<(u16, Value)> {
        self.post_once(path, body, None).await
    }

    /// Puts a body in place of what is there; returns the status of the answer.
    pub async fn put(&self, path: &str, body: &Value) -> anyhow::Result<u16> {
        let request = self.http.put(format!("{}{path}", self.url)).json(body);
        Ok(request.send().await?.status().as_u16())
    }

    /// The same as [`Stack::post`] with an `Idempotency-Key`.
    pub(crate) async fn post_once(
        &self,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> anyhow::Result<(u16, Value)> {
        let mut request = self.http.post(format!("{}{path}", self.url)).json(body);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let answer = request.send().await?;
        let (status, body) = (answer.status().as_u16(), answer.bytes().await?);
        // What is accepted without an answer has no body.
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        Ok((status, body))
    }

    /// Tells of a used button, as Slack does.
    pub async fn use_button(&self, button: &Value) -> anyhow::Result<u16> {
        let payload = json!({ "user": { "id": RESPONDER.0 }, "actions": [button] });
        let form = reqwest::Url::parse_with_params("x:", [("payload", payload.to_string())])?;
        let body = form.query().unwrap_or_default().to_owned();
        let now = SystemClock.now().as_second();
        let signature = slack_signature(SIGNING_SECRET, now, &body);
        let request = self
            .http
            .post(format!("{}/api/v1/slack/interactions", self.url))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("x-slack-request-timestamp", now)
            .header("x-slack-signature", signature);
        Ok(request.body(body).send().await?.status().as_u16())
    }

    /// Watches a session; like a browser it connects again if it is refused on a busy machine.
    pub async fn watch(&self, session: &str) -> anyhow::Result<Viewer> {
        let socket = self.socket();
        let deadline = Instant::now() + CONNECT;
        loop {
            match Viewer::connect(&socket, &format!("session:{session}")).await {
                Err(error) if Instant::now() > deadline => return Err(error),
                Err(_) => sleep(Duration::from_millis(200)).await,
                Ok(viewer) => return Ok(viewer),
            }
        }
    }
}
