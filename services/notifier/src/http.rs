//! HTTP as all channels need it: bounded in time and size, without redirects.

use std::time::Duration;

use anyhow::Context as _;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tarsy_outbound::{AUTHORITIES, Proxies, obstacle};
use url::Url;

use crate::channel::SendError;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The most bytes of a response that are read.
const MAX_RESPONSE: usize = 8 * 1024 * 1024;
/// The pause after a rate limit that names none, and the longest one that is honoured.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(30);
const MAX_RETRY_AFTER: Duration = Duration::from_hours(1);
/// The headers that name a pause in seconds; the second is PagerDuty's.
const PAUSE_HEADERS: [&str; 2] = ["retry-after", "ratelimit-reset"];
/// Statuses about the request itself: another attempt would be refused, too.
const PERMANENT: [u16; 4] = [400, 410, 413, 422];

/// A client for requests that carry secrets: it follows no redirect, so that none is sent elsewhere.
pub(crate) fn client() -> anyhow::Result<Client> {
    Ok(Proxies::of_environment()
        .apply(Client::builder())
        .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
        .timeout(REQUEST_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .build()?)
}

/// The error of a request without a response. The address may hold a secret and is left out.
pub(crate) fn no_response(error: &reqwest::Error) -> SendError {
    let found = obstacle(error).map(|found| found.explain(AUTHORITIES));
    if error.is_connect() {
        return SendError::Transient(found.unwrap_or_else(|| "no connection".to_owned()));
    }
    SendError::Unanswered(found.unwrap_or_else(|| "the connection broke".to_owned()))
}

/// The error of a response that is not successful.
pub(crate) fn status_error(response: &Response) -> Option<SendError> {
    let status = response.status();
    if status.is_success() {
        return None;
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Some(SendError::RateLimited { retry_after: retry_after(response) });
    }
    Some(SendError::Transient(format!("it answered {}", status.as_u16())))
}

/// Likewise, where a status about the request itself is final.
pub(crate) fn final_status_error(response: &Response) -> Option<SendError> {
    let status = response.status().as_u16();
    match status_error(response) {
        Some(_) if PERMANENT.contains(&status) => {
            Some(SendError::Permanent(format!("it answered {status}")))
        }
        other => other,
    }
}

/// The pause that a response requests: from a second to an hour, by default half a minute.
pub(crate) fn retry_after(response: &Response) -> Duration {
    let header = |name| response.headers().get(name)?.to_str().ok()?.trim().parse().ok();
    let seconds = PAUSE_HEADERS.into_iter().find_map(header);
    pause(seconds.map(Duration::from_secs))
}

/// A pause within the bounds of those that are honoured.
pub(crate) fn pause(requested: Option<Duration>) -> Duration {
    requested.unwrap_or(DEFAULT_RETRY_AFTER).clamp(Duration::from_secs(1), MAX_RETRY_AFTER)
}

/// The address of a resource below a base; each segment is encoded.
pub(crate) fn address(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// Sends a request that may change something, and returns what a successful response has.
pub(crate) async fn exchange(request: RequestBuilder) -> Result<Vec<u8>, SendError> {
    let response = request.send().await.map_err(|error| no_response(&error))?;
    match final_status_error(&response) {
        Some(error) => Err(error),
        None => body(response).await,
    }
}

/// Likewise, for a response in JSON.
pub(crate) async fn exchange_json(request: RequestBuilder) -> Result<Value, SendError> {
    json(&exchange(request).await?)
}

/// Sends a request that only reads: one without an answer may be sent again at once. None if there is nothing (404).
pub(crate) async fn find_json(request: RequestBuilder) -> Result<Option<Value>, SendError> {
    let as_transient = |error| match error {
        SendError::Unanswered(what) => SendError::Transient(what),
        other => other,
    };
    let response = request.send().await.map_err(|error| as_transient(no_response(&error)))?;
    if response.status() == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    match status_error(&response) {
        Some(error) => Err(error),
        None => json(&body(response).await.map_err(as_transient)?).map(Some),
    }
}

pub(crate) fn json(bytes: &[u8]) -> Result<Value, SendError> {
    serde_json::from_slice(bytes)
        .map_err(|_| SendError::Transient("its answer is not JSON".to_owned()))
}

/// The text of a member of an answer; without it the answer is not what was expected.
pub(crate) fn member(answer: &Value, name: &str) -> Result<String, SendError> {
    let text = answer.get(name).and_then(Value::as_str);
    text.map(str::to_owned).ok_or_else(|| SendError::Transient(format!("its answer has no {name}")))
}

/// The address of a webhook, which is a secret.
pub(crate) fn secret_address(text: &str, variable: &str) -> anyhow::Result<Url> {
    let url = Url::parse(text).ok().filter(|_| tarsy_catalog::is_safe_address(text));
    url.with_context(|| format!("{variable} is not the https address of a webhook"))
}

pub(crate) async fn body(mut response: Response) -> Result<Vec<u8>, SendError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| no_response(&error))? {
        if bytes.len() + chunk.len() > MAX_RESPONSE {
            return Err(SendError::Transient("its answer is too large".to_owned()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
