//! The few methods of Slack's Web API that are needed.

use reqwest::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use crate::channels::{Trouble, http};

/// Messages a page; Slack's own limit is 999.
const PAGE: &str = "200";
/// What is refused because of the message itself: another try would be refused, too.
const LASTING: [&str; 8] = [
    "invalid_blocks",
    "invalid_blocks_format",
    "invalid_arguments",
    "invalid_array_arg",
    "msg_too_long",
    "msg_blocks_too_long",
    "no_text",
    "metadata_too_large",
];
/// What keeps a bot from reading a channel in which it may still write.
const BLIND: [&str; 5] = [
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
}

impl SlackApi {
    pub(super) fn new(url: &str, token: SecretString) -> anyhow::Result<Self> {
        Ok(Self { client: http::client()?, url: url.to_owned(), token })
    }

    /// Calls a method with a JSON body.
    pub(super) async fn post(&self, method: &str, body: &Value) -> Result<Value, Trouble> {
        self.call(self.client.post(self.address(method)).json(body)).await
    }

    /// Calls a method that only reads; what may pass is asked once more at once.
    async fn get(&self, method: &str, query: &[(&str, &str)]) -> Result<Value, Trouble> {
        let ask = || self.call(self.client.get(self.address(method)).query(query));
        match ask().await {
            Err(Trouble::Passing(code)) if !BLIND.contains(&code.as_str()) => ask().await,
            answer => answer,
        }
    }

    fn address(&self, method: &str) -> String {
        format!("{}/{method}", self.url)
    }

    async fn call(&self, request: RequestBuilder) -> Result<Value, Trouble> {
        let request = request.bearer_auth(self.token.expose_secret());
        let answer = request.send().await.map_err(|error| http::unanswered(&error))?;
        if let Some(trouble) = http::refusal(&answer) {
            return Err(trouble);
        }
        read(answer).await
    }
}

async fn read(answer: Response) -> Result<Value, Trouble> {
    let rest = http::rest(&answer);
    let bytes = http::body(answer).await?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|_| Trouble::Passing("its answer is not JSON".to_owned()))?;
    if value.get("ok").and_then(Value::as_bool) == Some(true) {
        return Ok(value);
    }
    let code = value.get("error").and_then(Value::as_str).unwrap_or("no reason");
    // A word of Slack's, such as channel_not_found; whatever else it were would not be ours to log.
    let code: String =
        code.chars().filter(|c| c.is_ascii_alphanumeric() || "_ ".contains(*c)).take(60).collect();
    Err(match code.as_str() {
        "ratelimited" | "rate_limited" => Trouble::Limited(rest),
        word if LASTING.contains(&word) => Trouble::Lasting(code),
        _ => Trouble::Passing(code),
    })
}

/// Looks through messages, the newest pages first, until one is what is looked for.
pub(super) async fn walk(
    api: &SlackApi,
    method: &str,
    query: &[(&str, &str)],
    pages: usize,
    look: impl Fn(&Value) -> Option<String>,
) -> Result<Option<String>, Trouble> {
    let mut cursor = String::new();
    for _ in 0..pages {
        let mut query = query.to_vec();
        query.push(("limit", PAGE));
        if !cursor.is_empty() {
            query.push(("cursor", cursor.as_str()));
        }
        let answer = match api.get(method, &query).await {
            Ok(answer) => answer,
            Err(Trouble::Passing(code)) if BLIND.contains(&code.as_str()) => {
                tracing::warn!(method, code, "messages of the channel cannot be read");
                return Ok(None);
            }
            Err(trouble) => return Err(trouble),
        };
        let messages = answer.get("messages").and_then(Value::as_array);
        if let Some(found) = messages.into_iter().flatten().find_map(&look) {
            return Ok(Some(found));
        }
        let next = answer.pointer("/response_metadata/next_cursor").and_then(Value::as_str);
        match next.filter(|next| !next.is_empty()) {
            Some(next) => next.clone_into(&mut cursor),
            None => return Ok(None),
        }
    }
    Ok(None)
}
