//! HTTP as all destinations need it: bounded in time and size, without redirects.

use std::time::Duration;

use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};

use crate::channels::Trouble;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(3);
/// The most of an answer that is read.
const LONGEST: usize = 8 * 1024 * 1024;
/// The pause when none is named, and the longest one that is kept.
const REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_hours(1);

/// A client for requests that carry secrets: they are not sent on to wherever an answer points.
pub(super) fn client() -> anyhow::Result<Client> {
    Ok(Client::builder()
        .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
        .timeout(PATIENCE)
        .connect_timeout(CONNECT)
        .redirect(Policy::none())
        .build()?)
}

/// A request that got no answer. The address may hold a secret and is left out.
pub(super) fn unanswered(error: &reqwest::Error) -> Trouble {
    let what = if error.is_timeout() {
        "no answer in time"
    } else if error.is_connect() {
        "no connection"
    } else {
        "the connection broke"
    };
    Trouble::Passing(what.to_owned())
}

/// What an answer's status says, when it is not a good one.
pub(super) fn refusal(answer: &Response) -> Option<Trouble> {
    let status = answer.status();
    if status.is_success() {
        return None;
    }
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Some(Trouble::Limited(rest(answer)));
    }
    Some(Trouble::Passing(format!("it answered {}", status.as_u16())))
}

/// The pause that an answer asks for.
pub(super) fn rest(answer: &Response) -> Duration {
    let seconds = answer.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = seconds.and_then(|text| text.trim().parse().ok());
    seconds.map_or(REST, Duration::from_secs).clamp(Duration::from_secs(1), LONGEST_REST)
}

/// The bytes of an answer, as far as they are read.
pub(super) async fn body(mut answer: Response) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| unanswered(&error))? {
        if bytes.len() + chunk.len() > LONGEST {
            return Err(Trouble::Passing("its answer has no end".to_owned()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
