//! The older HTTP with server-sent events.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use futures::stream;
use rmcp::ServiceExt as _;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, WriteHalf};
use tokio::io::{DuplexStream, split};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::server::{COUNT, Peer};
use crate::stack::{GatewayOptions, Stack, ask};

const TOKEN: &str = "the-bearer-token";

/// Where what is posted to a session goes.
type Input = Arc<tokio::sync::Mutex<WriteHalf<DuplexStream>>>;

/// A server with a session for each stream.
#[derive(Clone)]
pub(crate) struct Streams {
    sessions: Arc<Mutex<HashMap<u64, Input>>>,
    last: Arc<AtomicU64>,
    endpoint: &'static str,
    token: Option<&'static str>,
    cut: Arc<Mutex<CancellationToken>>,
    tasks: TaskTracker,
}

impl Streams {
    /// Ends every stream that is open.
    fn cut(&self) {
        let cut = std::mem::take(&mut *self.cut.lock().unwrap());
        cut.cancel();
        self.sessions.lock().unwrap().clear();
    }

    fn opened(&self) -> u64 {
        self.last.load(Ordering::Relaxed)
    }
}

async fn serve(endpoint: &'static str) -> (SocketAddr, Streams) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (router, streams) = router(endpoint, Some(TOKEN));
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    streams.tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (address, streams)
}

/// The routes of a server; without a token, anybody may come.
pub(crate) fn router(endpoint: &'static str, token: Option<&'static str>) -> (Router, Streams) {
    let streams = Streams {
        sessions: Arc::default(),
        last: Arc::default(),
        endpoint,
        token,
        cut: Arc::default(),
        tasks: TaskTracker::new(),
    };
    let router = Router::new()
        .route("/base/sse", get(open))
        .route("/base/messages", post(take))
        .with_state(streams.clone());
    (router, streams)
}

fn knows(token: Option<&str>, headers: &HeaderMap) -> bool {
    let Some(token) = token else { return true };
    headers.get("authorization").is_some_and(|given| *given == format!("Bearer {token}"))
}

async fn open(State(streams): State<Streams>, headers: HeaderMap) -> Response {
    if !knows(streams.token, &headers) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let id = streams.last.fetch_add(1, Ordering::Relaxed) + 1;
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let peer = async move { Peer::default().serve(split(theirs)).await.unwrap().waiting().await };
    let _serving = streams.tasks.spawn(peer);
    let (output, input) = split(ours);
    let input = Arc::new(tokio::sync::Mutex::new(input));
    streams.sessions.lock().unwrap().insert(id, input);
    let first = format!(": hello\r\nevent: endpoint\r\ndata: {}{id}\r\n\r\n", streams.endpoint);
    let cut = streams.cut.lock().unwrap().clone();
    let events = stream::unfold(
        (BufReader::new(output).lines(), Some(first), cut),
        async |(mut lines, first, cut)| {
            let event = if let Some(first) = first {
                first
            } else {
                tokio::select! {
                    line = lines.next_line() => format!("event: message\ndata: {}\n\n", line.unwrap()?),
                    () = cut.cancelled() => return None,
                }
            };
            Some((Ok::<_, std::io::Error>(event), (lines, None, cut)))
        },
    );
    ([(CONTENT_TYPE, "text/event-stream; charset=utf-8")], Body::from_stream(events))
        .into_response()
}

async fn take(
    State(streams): State<Streams>,
    Query(query): Query<HashMap<String, u64>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    if !knows(streams.token, &headers) {
        return StatusCode::UNAUTHORIZED;
    }
    let input = query.get("id").and_then(|id| streams.sessions.lock().unwrap().get(id).cloned());
    let Some(input) = input else { return StatusCode::NOT_FOUND };
    let mut input = input.lock().await;
    input.write_all(&body).await.unwrap();
    input.write_all(b"\n").await.unwrap();
    StatusCode::ACCEPTED
}

async fn stack(address: SocketAddr, token: &str) -> Stack {
    stack_with_timeout("30s", address, token).await
}

/// A stack that waits only so long for the server's beginning.
async fn stack_with_timeout(time: &str, address: SocketAddr, token: &str) -> Stack {
    let servers = format!(
        r#"  old:
    transport:
      type: sse
      url: "http://{address}/base/sse"
      bearer_token: "{token}"
      init_timeout: {time}
"#
    );
    Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
}

#[tokio::test]
async fn a_server_of_the_older_http_is_listed_and_called() {
    let (address, _streams) = serve("messages?id=").await;
    let stack = stack(address, TOKEN).await;
    let lease = stack.lease(&["old"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    assert_eq!(lease.tools().len(), COUNT);
    assert_eq!(ask(&*lease, "old.echo", json!({"a": 1})).await.content, r#"{"a":1}"#);
    let large = ask(&*lease, "old.big", json!({"bytes": 3_000_000})).await;
    assert_eq!(large.content.len(), 3_000_000);
    stack.drain().await;
}

#[tokio::test]
async fn a_stream_that_ends_is_a_lost_session_and_the_next_call_has_a_new_one() {
    let (address, streams) = serve("/base/messages?id=").await;
    let stack = stack(address, TOKEN).await;
    let lease = stack.lease(&["old"]).await;
    assert_eq!(ask(&*lease, "old.echo", json!({})).await.content, "{}");
    let before = streams.opened();
    streams.cut();
    assert_eq!(ask(&*lease, "old.echo", json!({})).await.content, "{}");
    assert!(streams.opened() > before);
    stack.drain().await;
}

#[tokio::test]
async fn messages_are_never_posted_to_another_origin() {
    let (address, _streams) = serve("http://127.0.0.2:9/messages?id=").await;
    let stack = stack(address, TOKEN).await;
    let lease = stack.lease(&["old"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("another origin"), "{}", failed.error);
    stack.drain().await;
}

#[tokio::test]
async fn a_wrong_token_and_a_wrong_address_have_their_own_errors() {
    let (address, _streams) = serve("messages?id=").await;
    let stack = stack(address, "some-wrong-token").await;
    let lease = stack.lease(&["old"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("401"), "{}", failed.error);
    assert!(!failed.error.contains("some-wrong-token"), "{}", failed.error);
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_names_no_address_fails_in_its_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tasks = TaskTracker::new();
    let router = Router::new().route(
        "/base/sse",
        get(async || {
            let nothing = stream::pending::<Result<Bytes, std::io::Error>>();
            ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(nothing))
        }),
    );
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let stack = stack_with_timeout("1s", address, TOKEN).await;
    let lease = stack.lease(&["old"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("1s"), "{}", failed.error);
    stack.drain().await;
}
