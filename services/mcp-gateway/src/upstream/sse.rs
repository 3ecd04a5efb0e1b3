//! The transport over HTTP with server-sent events of the older revisions: one long response carries the
//! server's messages, and the client's are posted to the address in its first event.
//!
//! The session ends with its stream; the next call opens a new one.

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

use super::http as remote_http;
use crate::failure::{Failure, SendError, is_no_access, unavailable};
use crate::limits;
use crate::oauth::Account;
use crate::wire::{Event, Incoming, Parser, with_number};

const STREAM: &str = "text/event-stream";
/// The name of the event with the address for posts.
const ENDPOINT: &str = "endpoint";

pub(super) struct SseTransport {
    client: Client,
    account: Option<Arc<Account>>,
    endpoint: Url,
    timeout: Duration,
    incoming: mpsc::Receiver<Incoming>,
    _reading: DropGuard,
}

impl SseTransport {
    /// Opens the stream and waits for the address for posts.
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
        let closed = CancellationToken::new();
        let stop = closed.clone();
        tasks.spawn(async move {
            tokio::select! {
                () = read(early, stream, parser, sender) => {}
                () = stop.cancelled() => {}
            }
        });
        let timeout = remote.timeout.unwrap_or(limits::POST);
        Ok(Self { client, account, endpoint, timeout, incoming, _reading: closed.drop_guard() })
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

/// Sends a request, with a token where the server uses OAuth.
async fn send(account: Option<&Account>, request: RequestBuilder) -> Result<Response, SendError> {
    match account {
        Some(account) => account.send(request).await,
        None => Ok(request.send().await?),
    }
}

fn expect_stream(answer: &Response) -> Result<(), Failure> {
    match answer.status() {
        status if status.is_success() => {}
        StatusCode::TOO_MANY_REQUESTS => {
            let reason = SendError::Status(StatusCode::TOO_MANY_REQUESTS).to_string();
            return Err(unavailable(StatusCode::TOO_MANY_REQUESTS.as_u16(), reason, None));
        }
        status if is_no_access(status) => return Err(Failure::NoAccess(status.as_u16())),
        status => return Err(Failure::Refused(SendError::Status(status).to_string())),
    }
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with(STREAM)) {
        return Ok(());
    }
    Err(Failure::Refused(
        "it does not answer with a stream of events; if it uses streamable HTTP, set transport.type to http"
            .to_owned(),
    ))
}

/// Reads up to the event with the address for posts; returns it and the events that arrived after it.
async fn endpoint<E>(
    stream: &mut (impl Stream<Item = Result<bytes::Bytes, E>> + Unpin),
    parser: &mut Parser,
    base: &Url,
) -> Result<(Url, Vec<Event>), Failure> {
    while let Some(Ok(bytes)) = stream.next().await {
        let mut events = parser.push(&bytes).into_iter();
        let Some(first) = events.find(|event| event.name == ENDPOINT) else { continue };
        let text = first.data.bytes().and_then(|text| std::str::from_utf8(text).ok());
        let endpoint = text.and_then(|text| base.join(text.trim()).ok());
        let Some(endpoint) = endpoint else {
            return Err(Failure::Refused("it names no address for posts".to_owned()));
        };
        if endpoint.origin() != base.origin() {
            return Err(Failure::Refused(
                "it names an address for posts at another origin, which may not get its credentials"
                    .to_owned(),
            ));
        }
        return Ok((endpoint, events.collect()));
    }
    Err(Failure::Refused("its stream ended before it named an address for posts".to_owned()))
}

async fn read<E>(
    early: Vec<Event>,
    mut stream: impl Stream<Item = Result<bytes::Bytes, E>> + Unpin,
    mut parser: Parser,
    sender: mpsc::Sender<Incoming>,
) {
    let mut events = early;
    loop {
        for mut event in events.drain(..).filter(Event::is_message) {
            for message in event.data.take() {
                if sender.send(with_number(message)).await.is_err() {
                    return;
                }
            }
        }
        let Some(Ok(bytes)) = stream.next().await else { return };
        events = parser.push(&bytes);
    }
}
