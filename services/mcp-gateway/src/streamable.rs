//! The HTTP client of streamable HTTP. It takes what servers answer less strictly than the protocol: any success to a
//! notification, messages under another content type, JSON that is not strict, events of other kinds.

mod answer;
mod events;
mod handshake;
mod types;

pub(crate) use self::handshake::{Handshake, Opened};
pub(crate) use self::types::{Events, Headers, Reply};

use self::types::Sent;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt as _;
use http::StatusCode;
use http::header::ACCEPT;
use reqwest::{RequestBuilder, Response};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};

/// The client of one server; without OAuth.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    /// The server has refused a stream for what it was not asked for. Each session asks for one at its beginning.
    refuses_stream: Arc<AtomicBool>,
}

/// Adds what every request to a server has.
fn with_headers(
    request: RequestBuilder,
    session: Option<&str>,
    token: Option<String>,
    headers: Headers,
) -> Reply<RequestBuilder> {
    let reserved = ["accept", HEADER_SESSION_ID, HEADER_LAST_EVENT_ID];
    let conflict = headers
        .keys()
        .find(|name| reserved.iter().any(|reserved| name.as_str().eq_ignore_ascii_case(reserved)));
    if let Some(name) = conflict {
        return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
    }
    let accepted = [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", ");
    let mut request = request.header(ACCEPT, accepted).headers(headers.into_iter().collect());
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    if let Some(session) = session {
        request = request.header(HEADER_SESSION_ID, session);
    }
    Ok(request)
}

impl Client {
    pub(crate) fn new(http: reqwest::Client) -> Self {
        Self { http, refuses_stream: Arc::default() }
    }

    /// Posts a message; an event of the answer is at most `largest` bytes long.
    pub(crate) async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        (auth, headers): (Option<String>, Headers),
        largest: usize,
    ) -> Reply<StreamableHttpPostResponse> {
        let sent = Sent::new(message, session.is_some());
        let request = with_headers(self.http.post(uri).json(message), session, auth, headers)?;
        let response = request.send().await?;
        // A server of the first revision may answer on that stream what it has accepted. Until the session ends nothing comes here.
        let has_stream = session.is_some() && !self.refuses_stream.load(Ordering::Relaxed);
        if has_stream && sent.request.is_some() && response.status() == StatusCode::ACCEPTED {
            let nothing = futures::stream::pending().boxed();
            return Ok(StreamableHttpPostResponse::Sse(nothing, None));
        }
        answer::read(response, &sent, largest).await
    }

    /// Opens a stream of events, each at most `largest` bytes long, behind the one that was received last.
    pub(crate) async fn stream(
        &self,
        uri: &str,
        session: Option<&str>,
        last_event: Option<&str>,
        (auth, headers): (Option<String>, Headers),
        largest: usize,
    ) -> Reply<Events> {
        let mut request = with_headers(self.http.get(uri), session, auth, headers)?;
        if let Some(last) = last_event {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let response: Response = request.send().await?;
        let events = match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            _ => answer::stream(response, largest),
        };
        self.refuses_stream.store(events.is_err(), Ordering::Relaxed);
        events
    }
}
