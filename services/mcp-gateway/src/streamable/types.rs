//! What requests and answers are made of.

use std::collections::HashMap;

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use sse_stream::Sse;

pub(crate) type Headers = HashMap<HeaderName, HeaderValue>;
pub(crate) type Reply<T> = Result<T, StreamableHttpError<reqwest::Error>>;
pub(crate) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// What an answer is read for.
pub(super) struct Sent {
    /// None of a notification and of an answer of ours, to which any success will do.
    pub(super) request: Option<RequestId>,
    /// The request that asks for the dialect without sessions.
    pub(super) discovers: bool,
    pub(super) in_session: bool,
}

impl Sent {
    pub(super) fn new(message: &ClientJsonRpcMessage, in_session: bool) -> Self {
        let (request, discovers) = match message {
            JsonRpcMessage::Request(request) => (
                Some(request.id.clone()),
                matches!(request.request, ClientRequest::DiscoverRequest(_)),
            ),
            _ => (None, false),
        };
        Self { request, discovers, in_session }
    }
}
