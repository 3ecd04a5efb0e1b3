//! Webhooks: signed HTTP requests with the stable shape of `docs/contracts/webhook.md`.

use std::fmt::Write as _;

use anyhow::Context as _;
use async_trait::async_trait;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use sha2::Sha256;
use tarsy_catalog::WebhookTarget;
use tarsy_contracts::claim::ClaimCounts;
use tarsy_contracts::failure::FailureView;
use tarsy_domain::verdict::Verdict;
use tarsy_store::{Notification, NotificationKind};
use url::Url;

use crate::channel::{Approvals, Channel, ChannelContext, SendError, session_page};
use crate::http;

/// The version of the shape.
const VERSION: u8 = 1;

/// What a webhook is sent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Delivery {
    /// The version of this shape: 1. Members may be added within a version.
    version: u8,
    /// The delivery's name. A request that is sent again has the same.
    id: String,
    /// What happened.
    event: EventName,
    /// The session.
    session: SessionFacts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
enum EventName {
    /// An orchestrator began to work on the session.
    #[serde(rename = "session.started")]
    Started,
    /// The session is over.
    #[serde(rename = "session.ended")]
    Ended,
}

/// A session as it stood when the request was made.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SessionFacts {
    /// Its id.
    id: String,
    /// `in_progress`, `cancelling`, `completed`, `failed`, `timed_out` or `cancelled`.
    status: String,
    /// The type of its alert.
    alert_type: Option<String>,
    /// Its chain.
    chain_id: String,
    /// Who submitted it.
    author: Option<String>,
    /// Its page in the dashboard.
    url: String,
    /// The fingerprint that its alert came with.
    slack_message_fingerprint: Option<String>,
    /// When it was submitted.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When an orchestrator began.
    #[schemars(extend("format" = "date-time"))]
    started_at: Option<String>,
    /// When it ended.
    #[schemars(extend("format" = "date-time"))]
    completed_at: Option<String>,
    /// What was found, in short; Markdown.
    executive_summary: Option<String>,
    /// What was found; Markdown, at most 60,000 characters.
    final_analysis: Option<String>,
    /// Why it failed, in a sentence.
    error_message: Option<String>,
    /// The same as facts; null of what did not fail.
    failure: Option<FailureFacts>,
    /// The claims of what was found; null before the end, and if nothing was checked.
    claims: Option<Claims>,
    /// Whether what was found needs a second look.
    degraded: bool,
    /// Why: `no_successful_call`, `no_tool_called`, `tool_failed`, `tool_server_unavailable`, `unverified_claims`, `not_checked`, `injected_instructions`. More may
    /// be added.
    degraded_reasons: Vec<String>,
    /// What was found, typed; null before the end, and of a session that has none. More categories may be added.
    verdict: Option<Verdict>,
}

/// Why a session failed. More codes may be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FailureFacts {
    /// Such as `credentials`, `rate_limited`, `model_timed_out`.
    code: String,
    /// What happened, in the words of who failed.
    reason: String,
    /// The stage in which it happened.
    stage: Option<String>,
    /// The agent that failed.
    agent: Option<String>,
    /// The provider of models that failed.
    provider: Option<String>,
    /// The environment variable that is concerned.
    variable: Option<String>,
    /// The tool server that failed.
    server: Option<String>,
    /// What to do.
    remedy: String,
    /// A page of the documentation with its heading.
    document: Option<String>,
}

impl FailureFacts {
    fn of(FailureView { failure, remedy, document }: &FailureView) -> Self {
        let failure = failure.clone();
        Self {
            code: failure.code.as_str().to_owned(),
            reason: failure.reason,
            stage: failure.stage,
            agent: failure.agent,
            provider: failure.provider,
            variable: failure.variable,
            server: failure.server,
            remedy: remedy.clone(),
            document: document.clone(),
        }
    }
}

/// Claims of texts that models wrote: numbers, times, quotations, names, citations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Claims {
    /// How many there are.
    total: i32,
    /// How many of them the result of a tool call shows.
    verified: i32,
}

/// The JSON Schema of what webhooks are sent, as it stands in `docs/contracts`.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Delivery).to_value()
}

/// A receiver of signed requests.
struct Webhook {
    client: Client,
    url: Url,
    secret: SecretString,
    dashboard_url: String,
}

pub(super) fn open(
    target: &WebhookTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    let secret = context.secret(&target.secret_env)?;
    signature(&secret, 0, b"").context("the secret cannot sign")?;
    Ok(Webhook {
        client: http::client()?,
        url: target.url.clone(),
        secret,
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

#[async_trait]
impl Channel for Webhook {
    fn approvals(&self) -> Approvals {
        Approvals::Ignored
    }

    /// The request may arrive twice when a response is lost; the delivery's id is the same.
    async fn send(
        &self,
        note: &Notification,
        _thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let delivery =
            delivery(note, session_page(&self.dashboard_url, note)).ok_or_else(|| {
                SendError::Permanent("a webhook is not notified of tool calls".to_owned())
            })?;
        let body = serde_json::to_vec(&delivery)
            .map_err(|_| SendError::Permanent("it could not be written as JSON".to_owned()))?;
        // Receivers compare it with their clocks: the database's is nearer to them than a wrong one of this machine.
        let timestamp = note.claimed_at.as_second();
        let signature = signature(&self.secret, timestamp, &body)
            .ok_or_else(|| SendError::Permanent("it could not be signed".to_owned()))?;
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("X-Tarsy-Delivery", note.id.to_string())
            .header("X-Tarsy-Timestamp", timestamp.to_string())
            .header("X-Tarsy-Signature", signature)
            .body(body);
        http::exchange(request).await.map(|_| None)
    }
}

/// What is sent; none for what webhooks are not notified of.
fn delivery(note: &Notification, url: String) -> Option<Delivery> {
    let time = |at: Timestamp| format!("{at:.6}");
    let event = match note.kind {
        NotificationKind::Started => EventName::Started,
        NotificationKind::Ended => EventName::Ended,
        NotificationKind::ApprovalRequested
        | NotificationKind::ApprovalClosed
        | NotificationKind::Reviewed
        | NotificationKind::Triaged
        | NotificationKind::RolledBack
        | NotificationKind::Answered => return None,
    };
    Some(Delivery {
        version: VERSION,
        id: note.id.to_string(),
        event,
        session: SessionFacts {
            id: note.session_id.to_string(),
            status: note.status.as_str().to_owned(),
            alert_type: note.alert_type.clone(),
            chain_id: note.chain_id.clone(),
            author: note.author.clone(),
            url,
            slack_message_fingerprint: note.fingerprint.clone(),
            created_at: time(note.submitted_at),
            started_at: note.started_at.map(time),
            completed_at: note.completed_at.map(time),
            executive_summary: note.executive_summary.clone(),
            final_analysis: note.final_analysis.clone(),
            error_message: note.error_message.clone(),
            failure: note.failure.as_ref().map(FailureFacts::of),
            claims: note.claims.map(|ClaimCounts { total, verified }| Claims { total, verified }),
            degraded: !note.degraded_reasons.is_empty(),
            degraded_reasons: note
                .degraded_reasons
                .iter()
                .map(|reason| reason.as_str().to_owned())
                .collect(),
            verdict: note.verdict.clone(),
        },
    })
}

/// `v1=` and the HMAC-SHA256 of the time, a full stop and the body, in hexadecimal digits.
fn signature(secret: &SecretString, timestamp: i64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).ok()?;
    mac.update(format!("{timestamp}.").as_bytes());
    mac.update(body);
    let mut text = "v1=".to_owned();
    for byte in mac.finalize().into_bytes() {
        write!(text, "{byte:02x}").ok()?;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_matches_the_contract() {
        // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac topsecret
        let secret = SecretString::from("topsecret".to_owned());
        assert_eq!(
            signature(&secret, 1_700_000_000, br#"{"a":1}"#).as_deref(),
            Some("v1=6a939b0c71853d606167625a15168ee9188c6a511c773ef4f42d307f3849e50f")
        );
    }
}
