//! The older HTTP with server-sent events: one long answer brings what the server says, and what we
//! say is posted to the address that its first event names.
//!
//! The session is its stream: when the stream ends, the session is lost, and a new one is opened.

mod parser;

use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, Response, Url};
use rmcp::RoleClient;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tarsy_catalog::Remote;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use self::parser::{Event, Parser};
use super::http as remote_http;
use super::wire::Incoming;
use crate::failure::{Failure, SendError, is_no_access};
use crate::limits;
use crate::oauth::Account;

const STREAM: &str = "text/event-stream";
/// The event that names the address to post to.
const ENDPOINT: &str = "endpoint";
/// The event that holds a message.
const MESSAGE: &str = "message";

/// A session's stream, and the address to post to.
pub(super) struct SseTransport {
    client: Client,
    account: Option<Arc<Account>>,
    endpoint: Url,
    timeout: Duration,
    incoming: mpsc::Receiver<Incoming>,
    _reading: DropGuard,
}

impl SseTransport {
    /// Opens the stream and waits for the address to post to.
    pub(super) async fn connect(
        remote: &Remote,
        pooling: bool,
        account: Option<Arc<Account>>,
        tasks: &TaskTracker,
    ) -> Result<Self, Failure> {
        let client = remote_http::client_with_headers(remote, pooling)?;
        let request = client.get(remote.url.clone()).header(ACCEPT, STREAM);
        let answer = send(account.as_deref(), request)
            .await
            .map_err(|error| Failure::Refused(error.to_string()))?;
        expect_stream(&answer)?;
        let mut stream = answer.bytes_stream();
        let mut parser = Parser::new(limits::LINE_BYTES);
        let (endpoint, early) = endpoint(&mut stream, &mut parser, &remote.url).await?;
        let (sender, incoming) = mpsc::channel(limits::INCOMING);
        let over = CancellationToken::new();
        let ended = over.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = read(early, stream, parser, sender) => {}
                () = ended.cancelled() => {}
            }
        });
        let timeout = remote.timeout.unwrap_or(limits::POST);
        Ok(Self { client, account, endpoint, timeout, incoming, _reading: over.drop_guard() })
    }
}

impl Transport<RoleClient> for SseTransport {
    type Error = SendError;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let body = serde_json::to_vec(&message).map_err(SendError::Unwritable);
        let request = self.client.post(self.endpoint.clone()).timeout(self.timeout);
        let account = self.account.clone();
        async move {
            let request = request.header(CONTENT_TYPE, "application/json").body(body?);
            let answer = send(account.as_deref(), request).await?;
            if answer.status().is_success() {
                return Ok(());
            }
            Err(SendError::Status(answer.status()))
        }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), SendError> {
        self.incoming.close();
        Ok(())
    }
}

/// Sends a request, with a token where the server wants OAuth.
async fn send(account: Option<&Account>, request: RequestBuilder) -> Result<Response, SendError> {
    match account {
        Some(account) => account.send(request).await,
        None => Ok(request.send().await?),
    }
}

fn expect_stream(answer: &Response) -> Result<(), Failure> {
    match answer.status() {
        status if status.is_success() => {}
        StatusCode::TOO_MANY_REQUESTS => return Err(Failure::Busy),
        status if is_no_access(status) => return Err(Failure::NoAccess(status.as_u16())),
        status => return Err(Failure::Refused(SendError::Status(status).to_string())),
    }
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with(STREAM)) {
        return Ok(());
    }
    Err(Failure::Refused(
        "it answers with no stream of events; if it speaks the streamable HTTP, set transport.type to http"
            .to_owned(),
    ))
}

/// Reads up to the event that names the address to post to, and gives what came after it at once.
async fn endpoint<E>(
    stream: &mut (impl Stream<Item = Result<bytes::Bytes, E>> + Unpin),
    parser: &mut Parser,
    base: &Url,
) -> Result<(Url, Vec<Event>), Failure> {
    while let Some(Ok(bytes)) = stream.next().await {
        let mut events = parser.push(&bytes).into_iter();
        let Some(first) = events.find(|event| event.name == ENDPOINT) else { continue };
        let told = first.data.text();
        let endpoint = told.as_deref().and_then(|told| base.join(told.trim()).ok());
        let Some(endpoint) = endpoint else {
            return Err(Failure::Refused("it names no address to post to".to_owned()));
        };
        if endpoint.origin() != base.origin() {
            return Err(Failure::Refused(
                "it wants its messages posted to another origin, where its credentials do not belong"
                    .to_owned(),
            ));
        }
        return Ok((endpoint, events.collect()));
    }
    Err(Failure::Refused("its stream ended before it named an address to post to".to_owned()))
}

async fn read<E>(
    early: Vec<Event>,
    mut stream: impl Stream<Item = Result<bytes::Bytes, E>> + Unpin,
    mut parser: Parser,
    sender: mpsc::Sender<Incoming>,
) {
    let mut events = early;
    loop {
        for mut event in events.drain(..).filter(|event| event.name == MESSAGE) {
            if let Some(message) = event.data.take()
                && sender.send(message).await.is_err()
            {
                return;
            }
        }
        let Some(Ok(bytes)) = stream.next().await else { return };
        events = parser.push(&bytes);
    }
}
