//! The HTTP client of streamable HTTP. It takes what servers answer less strictly than the protocol: any success to a
//! notification, messages under another content type, JSON that is not strict, events of other kinds.

mod answer;
mod events;
mod types;

pub(crate) use self::types::{Events, Headers, Reply};

use self::types::Sent;

use std::sync::Arc;

use http::StatusCode;
use http::header::ACCEPT;
use reqwest::{RequestBuilder, Response};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use crate::limits;

/// The client of one server; without OAuth.
#[derive(Clone)]
pub(crate) struct Client(pub(crate) reqwest::Client);

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

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Reply<StreamableHttpPostResponse> {
        let limit = limits::LINE_BYTES;
        self.post_message_with_max_sse_event_size(uri, message, session_id, auth, headers, limit)
            .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        largest: usize,
    ) -> Reply<StreamableHttpPostResponse> {
        let sent = Sent::new(&message, session_id.is_some());
        let request = self.0.post(uri.as_ref()).json(&message);
        let request = with_headers(request, session_id.as_deref(), auth, headers)?;
        answer::read(request.send().await?, &sent, largest).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Reply<()> {
        self.0.delete_session(uri, session_id, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Reply<Events> {
        let limit = limits::LINE_BYTES;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth,
            headers,
            limit,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth: Option<String>,
        headers: Headers,
        largest: usize,
    ) -> Reply<Events> {
        let mut request =
            with_headers(self.0.get(uri.as_ref()), session_id.as_deref(), auth, headers)?;
        if let Some(last) = last_event_id {
            request = request.header(HEADER_LAST_EVENT_ID, last);
        }
        let response: Response = request.send().await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        answer::stream(response, largest)
    }
}
