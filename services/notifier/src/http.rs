//! HTTP as all channels need it: bounded in time and size, without redirects.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};

use crate::channel::SendError;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The most bytes of a response that are read.
const MAX_RESPONSE: usize = 8 * 1024 * 1024;
/// The pause after a rate limit that names none, and the longest one that is honoured.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(30);
const MAX_RETRY_AFTER: Duration = Duration::from_hours(1);

/// A client for requests that carry secrets: it follows no redirect, so that none is sent elsewhere.
pub(crate) fn client() -> anyhow::Result<Client> {
    Ok(Client::builder()
        .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
        .timeout(REQUEST_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(Policy::none())
        .build()?)
}

/// The error of a request without a response. The address may hold a secret and is left out.
pub(crate) fn no_response(error: &reqwest::Error) -> SendError {
    if error.is_connect() {
        return SendError::Transient("no connection".to_owned());
    }
    let what = if error.is_timeout() { "no answer in time" } else { "the connection broke" };
    SendError::Unanswered(what.to_owned())
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

/// The pause that a response requests: from a second to an hour, by default half a minute.
pub(crate) fn retry_after(response: &Response) -> Duration {
    let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = seconds.and_then(|text| text.trim().parse().ok());
    seconds
        .map_or(DEFAULT_RETRY_AFTER, Duration::from_secs)
        .clamp(Duration::from_secs(1), MAX_RETRY_AFTER)
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
