//! Matrix: events in a room, the end in the thread of the start.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tarsy_catalog::MatrixTarget;
use tarsy_store::Notification;
use url::Url;
use uuid::Uuid;

use crate::channel::{Channel, ChannelContext, Letter, SendError};
use crate::dialect::{Html, Plain, defuse, render};
use crate::http;
use crate::report::Report;

/// The most bytes of each form of a message; an event has at most 65,536 bytes with everything around it.
const MAX_TEXT: usize = 12_000;
const MAX_HTML: usize = 32_000;

struct Matrix {
    client: Client,
    url: Url,
    room_id: String,
    token: SecretString,
    dashboard_url: String,
}

pub(super) fn open(
    target: &MatrixTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    Ok(Matrix {
        client: http::client()?,
        url: Url::parse(&target.url)?,
        room_id: target.room_id.clone(),
        token: context.secret(&target.token_env)?,
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

#[async_trait]
impl Channel for Matrix {
    async fn find_thread(&self, note: &Notification) -> Result<Option<String>, SendError> {
        Ok(note.started_ref.clone())
    }

    /// The id of the notification is that of the transaction: the homeserver answers a second request with the event of
    /// the first.
    async fn send(
        &self,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        self.put(&Report::of(note, &self.dashboard_url), note.id, thread).await
    }

    async fn send_letter(&self, letter: &Letter) -> Result<Option<String>, SendError> {
        self.put(&letter.report, letter.id, None).await
    }
}

impl Matrix {
    async fn put(
        &self,
        report: &Report,
        id: Uuid,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let transaction = id.to_string();
        let path = ["_matrix", "client", "v3", "rooms", &self.room_id, "send", "m.room.message"];
        let url = http::address(&http::address(&self.url, &path), &[&transaction]);
        let request = self.client.put(url).bearer_auth(self.token.expose_secret());
        let content = content(report, thread);
        let response =
            request.json(&content).send().await.map_err(|error| http::no_response(&error))?;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            return Err(rate_limit(http::retry_after(&response), &http::body(response).await?));
        }
        match http::final_status_error(&response) {
            Some(error) => Err(error),
            None => http::member(&http::json(&http::body(response).await?)?, "event_id").map(Some),
        }
    }
}

/// Servers before version 1.10 of the specification name the pause in the body only.
fn rate_limit(by_header: Duration, body: &[u8]) -> SendError {
    let body = http::json(body).unwrap_or_default();
    let in_body = body.get("retry_after_ms").and_then(Value::as_u64).map(Duration::from_millis);
    SendError::RateLimited {
        retry_after: in_body.map_or(by_header, |pause| http::pause(Some(pause))),
    }
}

/// `m.text`: the default push rules are silent about `m.notice`.
fn content(report: &Report, thread: Option<&str>) -> Value {
    let mut content = json!({
        "msgtype": "m.text",
        "body": without_mentions(&render(report, &Plain, MAX_TEXT)),
        "format": "org.matrix.custom.html",
        "formatted_body": without_mentions(&render(report, &Html, MAX_HTML)),
        // An empty one mentions nobody, whatever the text has.
        "m.mentions": {},
    });
    if let (Some(root), Some(content)) = (thread, content.as_object_mut()) {
        let relation = json!({
            "rel_type": "m.thread",
            "event_id": root,
            "is_falling_back": true,
            "m.in_reply_to": { "event_id": root },
        });
        content.insert("m.relates_to".to_owned(), relation);
    }
    content
}

/// Servers that do not know `m.mentions` look for `@room` in the text.
fn without_mentions(text: &str) -> String {
    text.replace("@room", &defuse("@room", &['@']))
}
