//! The few methods of Slack's Web API that are needed.

use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use crate::channel::SendError;
use crate::http;

/// Messages a page; Slack's own limit is 999.
const PAGE: &str = "200";
/// Error codes about the message itself: another attempt would be refused, too.
const PERMANENT: [&str; 11] = [
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_arguments",
    "invalid_array_arg",
    "msg_too_long",
    "msg_blocks_too_long",
    "no_text",
    "metadata_too_large",
    "message_not_found",
    "cant_update_message",
    "edit_window_closed",
];
/// Error codes of a bot that may post to a channel and not read it.
const UNREADABLE: [&str; 5] = [
    "missing_scope",
    "not_allowed_token_type",
    "not_in_channel",
    "thread_not_found",
    "no_permission",
];

/// Slack's Web API, with a bot's token.
#[derive(Debug)]
pub(super) struct SlackApi {
    client: Client,
    url: String,
    token: SecretString,
    /// Whether it was reported that the bot may not read the channel.
    reported_unreadable: AtomicBool,
}

/// A listing of messages.
pub(super) struct Listing<'a> {
    pub(super) method: &'a str,
    pub(super) query: &'a [(&'a str, &'a str)],
    /// The most pages of 200 messages that are read.
    pub(super) max_pages: usize,
}

impl SlackApi {
    pub(super) fn new(url: &str, token: SecretString) -> anyhow::Result<Self> {
        let client = http::client()?;
        Ok(Self { client, url: url.to_owned(), token, reported_unreadable: AtomicBool::new(false) })
    }

    /// Calls a method with a JSON body.
    pub(super) async fn post(&self, method: &str, body: &Value) -> Result<Value, SendError> {
        self.call(self.client.post(self.address(method)).json(body)).await
    }

    /// The first result of `select` over the messages of a listing, the newest pages first. None also
    /// where the bot may not read the channel.
    pub(super) async fn find_message(
        &self,
        listing: Listing<'_>,
        select: impl Fn(&Value) -> Option<String>,
    ) -> Result<Option<String>, SendError> {
        let mut cursor = String::new();
        for _ in 0..listing.max_pages {
            let mut query = listing.query.to_vec();
            query.push(("limit", PAGE));
            if !cursor.is_empty() {
                query.push(("cursor", cursor.as_str()));
            }
            let page = match self.get(listing.method, &query).await {
                Ok(page) => page,
                Err(SendError::Transient(code)) if UNREADABLE.contains(&code.as_str()) => {
                    self.report_unreadable(listing.method, &code);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            };
            let messages = page.get("messages").and_then(Value::as_array);
            if let Some(found) = messages.into_iter().flatten().find_map(&select) {
                return Ok(Some(found));
            }
            let next = page.pointer("/response_metadata/next_cursor").and_then(Value::as_str);
            match next.filter(|next| !next.is_empty()) {
                Some(next) => next.clone_into(&mut cursor),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Warns once that there are no threads, and that a message may be posted twice.
    fn report_unreadable(&self, method: &str, code: &str) {
        if self.reported_unreadable.swap(true, Ordering::Relaxed) {
            tracing::debug!(method, code, "could not read the channel's messages");
        } else {
            tracing::warn!(
                method,
                code,
                "the bot may not read the channel: no message is posted in a thread, and one whose answer is lost is \
                 posted twice; give the bot the scope channels:history (groups:history for a private channel) and \
                 invite it"
            );
        }
    }

    /// Calls a method that only reads; a transient error is retried once at once.
    async fn get(&self, method: &str, query: &[(&str, &str)]) -> Result<Value, SendError> {
        let call = async || {
            let result = self.call(self.client.get(self.address(method)).query(query)).await;
            // A read that is carried out late changes nothing.
            result.map_err(|error| match error {
                SendError::Unanswered(what) => SendError::Transient(what),
                other => other,
            })
        };
        match call().await {
            Err(SendError::Transient(code)) if !UNREADABLE.contains(&code.as_str()) => call().await,
            result => result,
        }
    }

    fn address(&self, method: &str) -> String {
        format!("{}/{method}", self.url)
    }

    async fn call(&self, request: RequestBuilder) -> Result<Value, SendError> {
        let request = request.bearer_auth(self.token.expose_secret());
        let response = request.send().await.map_err(|error| http::no_response(&error))?;
        if let Some(error) = http::status_error(&response) {
            return Err(error);
        }
        parse(response).await
    }
}

async fn parse(response: Response) -> Result<Value, SendError> {
    let retry_after = http::retry_after(&response);
    let bytes = http::body(response).await?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|_| SendError::Transient("its answer is not JSON".to_owned()))?;
    if value.get("ok").and_then(Value::as_bool) == Some(true) {
        return Ok(value);
    }
    let code = value.get("error").and_then(Value::as_str).unwrap_or("no reason");
    // One of Slack's codes, such as channel_not_found; anything else must not be logged.
    let code: String =
        code.chars().filter(|c| c.is_ascii_alphanumeric() || "_ ".contains(*c)).take(60).collect();
    Err(match code.as_str() {
        "ratelimited" | "rate_limited" => SendError::RateLimited { retry_after },
        word if PERMANENT.contains(&word) => SendError::Permanent(code),
        _ => SendError::Transient(code),
    })
}
