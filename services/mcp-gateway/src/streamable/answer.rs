//! What a server answers to a request over HTTP.

use futures::StreamExt as _;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use reqwest::Response;
use rmcp::model::{ErrorData, JsonRpcError, JsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse,
};

use super::events::{events, events_of};
use super::types::{Events, Reply, Sent};
use crate::failure::{answered_with, with_status};
use crate::limits;
use crate::wire::{Incoming, decode, with_number};

/// The part of an answer that is shown where it is no message, in characters.
const SHOWN_CHARS: usize = 200;

/// The answer to a post.
pub(super) async fn read(
    response: Response,
    sent: &Sent,
    largest: usize,
) -> Reply<StreamableHttpPostResponse> {
    let status = response.status();
    challenge(&response)?;
    if !status.is_success() {
        return refused(response, sent).await;
    }
    let session = header(response.headers(), HEADER_SESSION_ID);
    let (Some(id), false) =
        (&sent.request, matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT))
    else {
        return Ok(StreamableHttpPostResponse::Accepted);
    };
    if is_stream(response.headers()) {
        let events = events(response.bytes_stream(), largest, Some(id.clone()));
        return Ok(StreamableHttpPostResponse::Sse(events, session));
    }
    let body = body(response, largest).await?;
    if begins_as_stream(&body) {
        return Ok(StreamableHttpPostResponse::Sse(events_of(&body, id), session));
    }
    let messages = decode(&body).into_iter().map(with_number);
    let message = messages.into_iter().find_map(|message| match message {
        JsonRpcMessage::Response(answer) => Some(JsonRpcMessage::Response(answer)),
        JsonRpcMessage::Error(error) => {
            let id = error.id.unwrap_or_else(|| id.clone());
            Some(JsonRpcMessage::Error(JsonRpcError { id: Some(id), ..error }))
        }
        _ => None,
    });
    match message {
        Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
        None => Err(unexpected(format!("the server answered {}", described(&body)))),
    }
}

/// The events of an answer to a request for a stream.
pub(super) fn stream(response: Response, largest: usize) -> Reply<Events> {
    challenge(&response)?;
    if let Some(error) = status_error(&response) {
        return Err(error.into());
    }
    let response = response.error_for_status()?;
    if !is_stream(response.headers()) {
        let kind = header(response.headers(), CONTENT_TYPE.as_str());
        return Err(StreamableHttpError::UnexpectedContentType(kind));
    }
    Ok(events(response.bytes_stream(), largest, None))
}

/// An error where the server requires other credentials, and says which.
fn challenge(response: &Response) -> Reply<()> {
    let Some(header) = header(response.headers(), WWW_AUTHENTICATE.as_str()) else { return Ok(()) };
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(header)))
        }
        StatusCode::FORBIDDEN => {
            let scope = scope(&header);
            Err(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(header, scope)))
        }
        _ => Ok(()),
    }
}

/// The scopes that a challenge asks for.
fn scope(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")?;
    let value = challenge.get(at + "scope=".len()..)?;
    let scope = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([',', ';', ' ']).next()?,
    };
    (!scope.is_empty()).then(|| scope.to_owned())
}

/// A status that tells how the server is, and whether to ask again.
fn status_error(response: &Response) -> Option<HttpStatusError> {
    let status = response.status();
    let retry_after = header(response.headers(), RETRY_AFTER.as_str());
    (status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error())
        .then(|| HttpStatusError::new(status.as_u16(), retry_after))
}

/// The answer to a request that failed.
async fn refused(response: Response, sent: &Sent) -> Reply<StreamableHttpPostResponse> {
    let (status, busy) = (response.status(), status_error(&response));
    if status == StatusCode::NOT_FOUND && sent.in_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    let session = header(response.headers(), HEADER_SESSION_ID);
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(unexpected_or(busy, status));
    }
    let body = body(response, limits::REFUSAL_BYTES).await.unwrap_or_default();
    let error = error_in(&body);
    let is_access = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let Some(id) = &sent.request else { return Err(unexpected_or(busy, status)) };
    let correlated = |error: ErrorData| {
        StreamableHttpPostResponse::Json(Incoming::error(error, Some(id.clone())), session.clone())
    };
    if sent.discovers && !sent.in_session && status.is_client_error() && !is_access {
        let unknown = || {
            let text = format!("server/discover is answered with HTTP {status}");
            ErrorData::invalid_request(text, None)
        };
        return Ok(correlated(error.unwrap_or_else(unknown)));
    }
    // The request was refused before anything was executed: it is sent again in a new session.
    if sent.in_session && status.is_client_error() && !is_access && names_session(&body) {
        return Err(StreamableHttpError::SessionExpired);
    }
    match error {
        Some(error) if status.is_server_error() => Ok(correlated(with_status(error, status))),
        Some(error) if !is_access => Ok(correlated(error)),
        _ if busy.is_some() => Err(unexpected_or(busy, status)),
        _ => {
            let status = answered_with(status);
            Err(unexpected(format!("{status}: the server answered {}", described(&body))))
        }
    }
}

/// Whether an answer is about the session.
fn names_session(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    ["session", "not initialized", "before initialization"].iter().any(|words| text.contains(words))
}

fn unexpected_or(
    busy: Option<HttpStatusError>,
    status: StatusCode,
) -> StreamableHttpError<reqwest::Error> {
    busy.map_or_else(|| unexpected(answered_with(status)), Into::into)
}

fn unexpected(text: String) -> StreamableHttpError<reqwest::Error> {
    StreamableHttpError::UnexpectedServerResponse(text.into())
}

fn error_in(body: &[u8]) -> Option<ErrorData> {
    decode(body).into_iter().find_map(|message| match message {
        JsonRpcMessage::Error(error) => Some(error.error),
        _ => None,
    })
}

/// A body of at most `limit` bytes.
async fn body(response: Response, limit: usize) -> Reply<Vec<u8>> {
    let too_large = || StreamableHttpError::ResponseBodyTooLarge { max_size: limit };
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(bytes) = stream.next().await {
        let bytes = bytes?;
        if body.len() + bytes.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = header(headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with(EVENT_STREAM_MIME_TYPE)
}

/// Whether a body of another content type is a stream of events.
fn begins_as_stream(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start();
    [b"data:".as_slice(), b"event:", b"id:"].iter().any(|field| body.starts_with(field))
}

/// A body that is no message, for the error that quotes it.
fn described(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if text.is_empty() {
        return "nothing".to_owned();
    }
    if let Some(title) = page_title(text) {
        return format!("with a web page: {title}");
    }
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    format!("with what is no message of the protocol: {shown}")
}

/// The title of a web page, or its beginning; none of another text.
fn page_title(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if !lower.starts_with("<!doctype html") && !lower.starts_with("<html") {
        return None;
    }
    let title = lower.find("<title").and_then(|at| {
        let begin = at + lower.get(at..)?.find('>')? + 1;
        let end = begin + lower.get(begin..)?.find('<')?;
        text.get(begin..end)
    });
    let shown = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or("without a title");
    Some(shown.chars().take(SHOWN_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scopes_of_a_challenge_are_those_after_its_key() {
        for (challenge, expected) in [
            (r#"Bearer error="insufficient_scope", scope="a b", x="y""#, Some("a b")),
            ("Bearer scope=a:read, x=y", Some("a:read")),
            ("Bearer", None),
            ("Bearer scope=\"\"", None),
        ] {
            assert_eq!(scope(challenge).as_deref(), expected, "{challenge}");
        }
    }

    #[test]
    fn a_page_is_named_by_its_title_and_other_text_by_its_beginning() {
        let page = "<!DOCTYPE html><html><head><TITLE>502 Bad Gateway</TITLE></head>";
        assert_eq!(described(page.as_bytes()), "with a web page: 502 Bad Gateway");
        assert_eq!(described(b" "), "nothing");
        assert!(described(b"upstream connect error").ends_with("upstream connect error"));
    }
}
