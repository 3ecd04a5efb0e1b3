//! The HTTP client of a server. With OAuth, every request carries a token; a refused request is sent
//! once more with a refreshed token.

use std::collections::HashMap;
use std::sync::Arc;

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcError, JsonRpcMessage, RequestId};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::account::Account;
use super::error::Error;

type Headers = HashMap<HeaderName, HeaderValue>;
type Response<T> = Result<T, StreamableHttpError<reqwest::Error>>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

#[derive(Clone)]
pub(crate) struct Bearer {
    http: reqwest::Client,
    account: Option<Arc<Account>>,
}

impl Bearer {
    pub(crate) const fn new(http: reqwest::Client, account: Option<Arc<Account>>) -> Self {
        Self { http, account }
    }

    async fn send<T, F, Fut>(&self, given: Option<String>, request: F) -> Response<T>
    where
        F: Fn(Option<String>) -> Fut + Send,
        Fut: Future<Output = Response<T>> + Send,
    {
        let Some(account) = &self.account else { return request(given).await };
        let token = account.token().await.map_err(token_error)?;
        match request(token.clone()).await {
            Err(StreamableHttpError::AuthRequired(challenge)) => {
                account.set_challenge(challenge.www_authenticate_header.clone());
                let Some(sent) = token else {
                    return Err(StreamableHttpError::AuthRequired(challenge));
                };
                match account.refresh_token(Some(&sent)).await.map_err(token_error)? {
                    Some(refreshed) if refreshed != sent => request(Some(refreshed)).await,
                    _ => Err(StreamableHttpError::AuthRequired(challenge)),
                }
            }
            Err(StreamableHttpError::InsufficientScope(challenge)) => {
                account.set_challenge(challenge.www_authenticate_header.clone());
                Err(StreamableHttpError::InsufficientScope(challenge))
            }
            other => other,
        }
    }
}

/// Adds the id of the posted request to an error without one. Some servers reject an unknown session
/// with such an error and status 400, where the protocol requires 404: the request was not executed, and
/// is sent again in a new session.
fn with_request_id(
    response: Response<StreamableHttpPostResponse>,
    request: Option<RequestId>,
    in_session: bool,
) -> Response<StreamableHttpPostResponse> {
    match (response, request) {
        (Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session)), Some(id))
            if error.id.is_none() =>
        {
            if in_session && error.error.message.to_lowercase().contains("session") {
                return Err(StreamableHttpError::SessionExpired);
            }
            let error = JsonRpcError { id: Some(id), ..error };
            Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session))
        }
        (response, _) => response,
    }
}

fn id_of(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn token_error(error: Error) -> StreamableHttpError<reqwest::Error> {
    StreamableHttpError::Auth(match error {
        Error::Authorization(error) => error,
        other => AuthError::CredentialStoreError(other.to_string()),
    })
}

impl StreamableHttpClient for Bearer {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Response<StreamableHttpPostResponse> {
        let post = |token| {
            let (uri, message) = (Arc::clone(&uri), message.clone());
            self.http.post_message(uri, message, session_id.clone(), token, headers.clone())
        };
        let in_session = session_id.is_some();
        with_request_id(self.send(auth, post).await, id_of(&message), in_session)
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        largest: usize,
    ) -> Response<StreamableHttpPostResponse> {
        let post = |token| {
            let (uri, message) = (Arc::clone(&uri), message.clone());
            let (session, headers) = (session_id.clone(), headers.clone());
            self.http.post_message_with_max_sse_event_size(
                uri, message, session, token, headers, largest,
            )
        };
        let in_session = session_id.is_some();
        with_request_id(self.send(auth, post).await, id_of(&message), in_session)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Response<()> {
        let delete = |token| {
            let (uri, session) = (Arc::clone(&uri), Arc::clone(&session_id));
            self.http.delete_session(uri, session, token, headers.clone())
        };
        self.send(auth, delete).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Response<Events> {
        let get = |token| {
            let (uri, last) = (Arc::clone(&uri), last_event_id.clone());
            self.http.get_stream(uri, session_id.clone(), last, token, headers.clone())
        };
        self.send(auth, get).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth: Option<String>,
        headers: Headers,
        largest: usize,
    ) -> Response<Events> {
        let get = |token| {
            let (uri, session) = (Arc::clone(&uri), session_id.clone());
            let (last, headers) = (last_event_id.clone(), headers.clone());
            self.http
                .get_stream_with_max_sse_event_size(uri, session, last, token, headers, largest)
        };
        self.send(auth, get).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn refused(message: &str) -> StreamableHttpPostResponse {
        let error = json!({"jsonrpc": "2.0", "error": {"code": -32000, "message": message}});
        StreamableHttpPostResponse::Json(from_value(error).unwrap(), None)
    }

    #[test]
    fn an_unknown_session_is_expired_and_any_other_error_gets_the_id_of_its_request() {
        let unknown = || refused("Bad Request: No valid session ID provided");
        let over = with_request_id(Ok(unknown()), Some(RequestId::Number(7)), true);
        assert!(matches!(over, Err(StreamableHttpError::SessionExpired)));
        for (answer, in_session) in [(unknown(), false), (refused("no"), true)] {
            let answer =
                with_request_id(Ok(answer), Some(RequestId::Number(7)), in_session).unwrap();
            let StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), _) = answer else {
                panic!("{answer:?}")
            };
            assert_eq!(error.id, Some(RequestId::Number(7)));
        }
    }
}
