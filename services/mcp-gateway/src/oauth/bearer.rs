//! The HTTP client of a server. With OAuth, every request carries a token; a refused request is sent
//! once more with a refreshed token.

use std::sync::Arc;

use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};

use tokio::time::timeout;

use super::account::Account;
use super::error::Error;
use crate::limits;
use crate::streamable::{Client, Events, Handshake, Headers, Opened, Reply};

#[derive(Clone)]
pub(crate) struct Bearer {
    http: Client,
    account: Option<Arc<Account>>,
    handshake: Handshake,
}

impl Bearer {
    pub(crate) fn new(http: reqwest::Client, account: Option<Arc<Account>>) -> Self {
        Self { http: Client::new(http), account, handshake: Handshake::default() }
    }

    pub(crate) fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    /// Closes a session whose handshake was given up.
    pub(crate) async fn close(&self, opened: Opened) {
        let Opened { uri, session, auth, headers } = opened;
        let closing = self.delete_session(uri, session, auth, headers);
        if !matches!(timeout(limits::CLOSE, closing).await, Ok(Ok(()))) {
            tracing::debug!("a session whose handshake was given up could not be closed");
        }
    }

    async fn send<T, F, Fut>(&self, given: Option<String>, request: F) -> Reply<T>
    where
        F: Fn(Option<String>) -> Fut + Send,
        Fut: Future<Output = Reply<T>> + Send,
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

fn token_error(error: Error) -> StreamableHttpError<reqwest::Error> {
    StreamableHttpError::Auth(match error {
        Error::Authorization(error) => error,
        other => AuthError::CredentialStoreError(other.to_string()),
    })
}

/// The session that an answer opens.
fn opened(answer: &StreamableHttpPostResponse) -> Option<Arc<str>> {
    match answer {
        StreamableHttpPostResponse::Json(_, session)
        | StreamableHttpPostResponse::Sse(_, session) => session.as_deref().map(Arc::from),
        _ => None,
    }
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
        let session = session_id.as_deref();
        let post =
            |token| self.http.post(&uri, &message, session, (token, headers.clone()), largest);
        let answer = self.handshake.answer(self.send(auth.clone(), post)).await?;
        if let Some(session) = opened(&answer) {
            let opened = Opened { uri, session, auth, headers };
            if let Some(unwanted) = self.handshake.note_opened(opened) {
                self.close(unwanted).await;
            }
        }
        Ok(answer)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Reply<()> {
        let delete = |token| {
            let (uri, session) = (Arc::clone(&uri), Arc::clone(&session_id));
            self.http.http.delete_session(uri, session, token, headers.clone())
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
    ) -> Reply<Events> {
        let (session, last, limit) = (session_id, last_event_id, limits::LINE_BYTES);
        self.get_stream_with_max_sse_event_size(uri, session, last, auth, headers, limit).await
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
        let (session, last) = (session_id.as_deref(), last_event_id.as_deref());
        let get = |token| self.http.stream(&uri, session, last, (token, headers.clone()), largest);
        self.send(auth, get).await
    }
}
