//! Streamable HTTP of servers that take the protocol less strictly, written out by hand.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use proptest::collection::vec;
use proptest::prelude::any as anything;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::stack::{GatewayOptions, Stack, ask};

/// The limit of a call, `call_timeout`, and what a busy machine takes beside it.
const LIMIT: Duration = Duration::from_secs(30);

/// How a server answers. ID in a body is the id of the request.
#[derive(Clone, Debug)]
struct Reply {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
    retry_after: Option<u32>,
}

impl Reply {
    fn new(status: u16, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, kind, body: body.into(), retry_after: None }
    }

    fn result(text: &str) -> Self {
        let result = json!({"content": [{"type": "text", "text": text}]});
        let body = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{result}}}"#);
        Self::new(200, "application/json", body)
    }

    fn response(&self, id: &Value) -> Response {
        let mut response = Response::builder().status(self.status);
        if !self.kind.is_empty() {
            response = response.header("content-type", self.kind);
        }
        if let Some(seconds) = self.retry_after {
            response = response.header("retry-after", seconds);
        }
        let id = id.to_string();
        let mut body = self.body.clone();
        while let Some(at) = body.windows(2).position(|two| two == b"ID") {
            body.splice(at..at + 2, id.bytes());
        }
        response.body(Body::from(body)).unwrap()
    }
}

#[derive(Default)]
struct Script {
    notified: Option<Reply>,
    /// What calls are answered, in this order; then they echo.
    calls: VecDeque<Reply>,
    made: usize,
    opened: usize,
}

#[derive(Clone, Default)]
struct Server(Arc<Mutex<Script>>);

impl Server {
    fn notified_with(reply: Reply) -> Self {
        let server = Self::default();
        server.0.lock().unwrap().notified = Some(reply);
        server
    }

    fn answering(reply: impl IntoIterator<Item = Reply>) -> Self {
        let server = Self::default();
        server.0.lock().unwrap().calls = reply.into_iter().collect();
        server
    }

    async fn serve(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/mcp", any(take)).with_state(self.clone());
        TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
        address
    }

    async fn stack(&self) -> Stack {
        let address = self.serve().await;
        let servers = format!(
            "  remote:\n    transport: {{type: http, url: 'http://{address}/mcp', call_timeout: 8s, init_timeout: 8s}}\n"
        );
        Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
    }

    fn made(&self) -> usize {
        self.0.lock().unwrap().made
    }
}

async fn take(
    State(server): State<Server>,
    method: Method,
    headers: HeaderMap,
    body: String,
) -> Response {
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let message: Value = serde_json::from_str(&body).unwrap();
    let id = &message["id"];
    let mut state = server.0.lock().unwrap();
    let schema = json!({"type": "object"});
    let result = match message["method"].as_str().unwrap() {
        "initialize" => {
            state.opened += 1;
            let result = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "lenient", "version": "1"},
            });
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            let session = format!("session-{}", state.opened);
            return ([("mcp-session-id", session)], axum::Json(answer)).into_response();
        }
        "tools/list" => json!({"tools": [
            {"name": "get_pods", "inputSchema": schema},
            {"name": "delete_pod", "inputSchema": schema},
        ]}),
        "tools/call" => {
            state.made += 1;
            let session = headers.get("mcp-session-id").unwrap().to_str().unwrap().to_owned();
            let reply = state.calls.pop_front().unwrap_or_else(|| Reply::result(&session));
            return reply.response(id);
        }
        _ => {
            let accepted = || Reply::new(202, "", "");
            return state.notified.clone().unwrap_or_else(accepted).response(id);
        }
    };
    axum::Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}

#[tokio::test]
async fn any_success_is_an_answer_to_a_notification() {
    for reply in [
        Reply::new(200, "text/plain", "ok"),
        Reply::new(200, "", ""),
        Reply::new(200, "application/json", "null"),
        Reply::new(201, "text/html", "<html></html>"),
        Reply::new(200, "text/event-stream", ": nothing\n\n"),
        Reply::new(204, "", ""),
    ] {
        let stack = Server::notified_with(reply.clone()).stack().await;
        let lease = stack.lease(&["remote"]).await;
        assert!(lease.failed().is_empty(), "{reply:?}: {:?}", lease.failed());
        assert!(!ask(&*lease, "remote.get_pods", json!({})).await.is_error, "{reply:?}");
        stack.drain().await;
    }
}

#[tokio::test]
async fn an_answer_is_read_whatever_its_content_type_and_its_events_are() {
    let answer =
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"three"}]}}"#;
    let cases = [
        Reply::new(200, "text/plain", answer),
        Reply::new(200, "", answer),
        Reply::new(200, "application/json", format!("\u{feff}{answer}")),
        Reply::new(200, "application/json", format!("[{answer}]")),
        Reply::new(
            200,
            "application/json",
            answer.replace("\"result\"", "\"error\":null,\"result\""),
        ),
        Reply::new(200, "application/json", answer.replace("ID", "\"ID\"")),
        Reply::new(
            200,
            "text/event-stream; charset=utf-8",
            format!("event: ping\ndata: {{}}\n\ndata: {answer}\n\n"),
        ),
        Reply::new(
            200,
            "text/event-stream",
            format!("event: endpoint\ndata: /x\n\nevent: message\ndata: {answer}\n\n"),
        ),
        Reply::new(200, "text/event-stream", format!("\u{feff}data: {answer}\n\n")),
        Reply::new(200, "application/json", format!("event: message\ndata: {answer}\n\n")),
    ];
    let server = Server::answering(cases.clone());
    let stack = server.stack().await;
    let lease = stack.lease(&["remote"]).await;
    for reply in cases {
        let result = ask(&*lease, "remote.get_pods", json!({})).await;
        assert_eq!((result.is_error, result.content.as_str()), (false, "three"), "{reply:?}");
    }
    stack.drain().await;
}

/// An answer, as JSON or as an event, with some bytes exchanged, left out or added; or bytes alone.
fn changed() -> impl Strategy<Value = Reply> {
    let answer =
        r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"three"}]}}"#;
    let kinds = prop_oneof![
        Just(("application/json", answer.to_owned())),
        Just(("text/event-stream", format!("event: message\nid: 1\ndata: {answer}\n\n"))),
    ];
    let changes = vec((anything::<Index>(), 0_usize..3, vec(anything::<u8>(), 0..3)), 1..5);
    let mutated = (kinds, changes).prop_map(|((kind, text), changes)| {
        let mut body = text.into_bytes();
        for (place, left_out, added) in changes {
            let at = place.index(body.len());
            let end = body.len().min(at + left_out);
            body.splice(at..end, added);
        }
        Reply::new(200, kind, body)
    });
    let noise = (
        prop_oneof![Just("application/json"), Just("text/event-stream"), Just("")],
        vec(anything::<u8>(), 0..100),
    )
        .prop_map(|(kind, body)| Reply::new(200, kind, body));
    prop_oneof![4 => mutated, 1 => noise]
}

#[tokio::test]
async fn whatever_bytes_answer_a_call_it_ends_and_the_next_one_is_read() {
    let mut runner = TestRunner::deterministic();
    let replies: Vec<Reply> =
        (0..150).map(|_| changed().new_tree(&mut runner).unwrap().current()).collect();
    let with_good = replies.iter().cloned().flat_map(|reply| [reply, Reply::result("here")]);
    let server = Server::answering(with_good);
    let stack = server.stack().await;
    let lease = stack.lease(&["remote"]).await;
    for (at, reply) in replies.iter().enumerate() {
        let made = server.made();
        let call = ask(&*lease, "remote.delete_pod", json!({}));
        let answered = timeout(LIMIT, call).await.is_ok();
        assert!(answered, "{at}: {reply:?}");
        // Lost sessions and refusals are tried again, and take the good answer.
        if server.made() > made + 1 {
            continue;
        }
        let next = ask(&*lease, "remote.get_pods", json!({})).await;
        assert_eq!((next.is_error, next.content.as_str()), (false, "here"), "{at}: {reply:?}");
    }
    stack.drain().await;
}

#[tokio::test]
async fn an_answer_that_is_no_message_is_an_error_that_quotes_it() {
    let server = Server::answering([
        Reply::new(200, "text/html", "<!DOCTYPE html><html><title>Sign in</title></html>"),
        Reply::new(200, "application/json", ""),
        Reply::new(400, "text/plain", "the upstream is misconfigured"),
    ]);
    let stack = server.stack().await;
    let lease = stack.lease(&["remote"]).await;
    for expected in ["Sign in", "nothing", "the upstream is misconfigured"] {
        let result = ask(&*lease, "remote.delete_pod", json!({})).await;
        assert!(
            result.is_error && result.content.contains(expected),
            "{expected}: {}",
            result.content
        );
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_call_that_reads_is_made_once_more_when_its_server_is_unavailable_for_a_moment() {
    for status in [429, 500, 502, 503] {
        let refusal =
            Reply { retry_after: Some(1), ..Reply::new(status, "text/html", "<html></html>") };
        let server = Server::answering([refusal.clone(), Reply::result("here")]);
        let stack = server.stack().await;
        let lease = stack.lease(&["remote"]).await;
        let result = ask(&*lease, "remote.get_pods", json!({})).await;
        assert_eq!((result.content.as_str(), server.made()), ("here", 2), "{status}");
        stack.drain().await;

        // One that changes something is not, and neither is one for which the server wants more time.
        let late = Reply { retry_after: Some(3_600), ..refusal.clone() };
        for (tool, refusal) in [("delete_pod", refusal), ("get_pods", late)] {
            let server = Server::answering([refusal, Reply::result("here")]);
            let stack = server.stack().await;
            let lease = stack.lease(&["remote"]).await;
            let result = ask(&*lease, &format!("remote.{tool}"), json!({})).await;
            assert!(
                result.is_error && result.content.contains(&status.to_string()),
                "{}",
                result.content
            );
            assert_eq!(server.made(), 1, "{status}");
            stack.drain().await;
        }
    }
}

#[tokio::test]
async fn a_session_that_is_lost_is_opened_anew_whatever_the_form_of_the_answer() {
    let error = |message: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{{"code":-32001,"message":"{message}"}}}}"#)
    };
    for lost in [
        Reply::new(404, "text/plain", "gone"),
        Reply::new(400, "application/json", error("Bad Request: Server not initialized")),
        Reply::new(400, "text/plain", "No valid session ID provided"),
        Reply::new(200, "application/json", error("Session not found")),
        Reply::new(500, "application/json", error("something went wrong")),
        Reply::new(500, "text/plain", "Internal Server Error"),
    ] {
        let server = Server::answering([lost.clone()]);
        let stack = server.stack().await;
        let lease = stack.lease(&["remote"]).await;
        let before = server.0.lock().unwrap().opened;
        let result = ask(&*lease, "remote.get_pods", json!({})).await;
        let (after, text) = (server.0.lock().unwrap().opened, result.content.as_str());
        assert!(!result.is_error && after > before, "{lost:?}: {text}");
        assert_eq!(ask(&*lease, "remote.get_pods", json!({})).await.content, text, "{lost:?}");
        stack.drain().await;
    }
}

#[tokio::test]
async fn both_reasons_of_a_failed_handshake_are_reported() {
    let refuse = |message: Value| {
        let text = match message["method"].as_str() {
            Some("initialize") => "the licence has run out",
            _ => "there is no such method",
        };
        json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32000, "message": text}})
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let answer =
        any(async move |axum::Json(message): axum::Json<Value>| axum::Json(refuse(message)));
    let router = Router::new().route("/mcp", answer);
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
    let servers = format!(
        "  remote:\n    transport: {{type: http, url: 'http://{address}/mcp', init_timeout: 8s}}\n"
    );
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    for expected in ["the licence has run out", "no such method"] {
        assert!(failed.error.contains(expected), "{expected}: {}", failed.error);
    }
    stack.drain().await;
}
