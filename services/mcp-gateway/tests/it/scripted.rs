//! Streamable HTTP written out by hand: what a server may do that the library's servers do not.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use serde_json::{Value, json};
use tarsy_contracts::status::McpServerStatus;
use tarsy_contracts::topology;
use tarsy_testkit::{WAIT, eventually};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stack::{GatewayOptions, Stack, ask};

/// What nobody may see.
const SECRET: &str = "correct-horse-battery";

/// What a server saw.
#[derive(Default)]
struct Seen {
    /// The ids of calls of `answer_later`.
    calls: Vec<Value>,
    /// What streams were asked to go on after.
    resumed: Vec<String>,
    /// How many handshakes began, and how many sessions were closed.
    begun: usize,
    closed: usize,
}

/// A server whose calls are answered on a stream that breaks off.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    seen: Arc<Mutex<Seen>>,
    /// It lets nobody go on where a stream broke off.
    forgets: bool,
    /// A handshake is answered when this is notified.
    held: Option<Arc<Notify>>,
    /// A handshake was broken off before its answer.
    broken_off: CancellationToken,
}

impl Scripted {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    pub(crate) fn router(&self) -> Router {
        Router::new().route("/mcp", any(take)).with_state(self.clone())
    }

    async fn serve(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, router) = (listener.local_addr().unwrap(), self.router());
        TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
        address
    }
}

async fn take(
    State(server): State<Scripted>,
    method: Method,
    headers: HeaderMap,
    body: String,
) -> Response {
    if method == Method::GET {
        let after = headers.get("last-event-id").and_then(|id| id.to_str().ok());
        return resume(&server, after);
    }
    if method == Method::DELETE {
        server.seen().closed += 1;
    }
    if method != Method::POST {
        return StatusCode::OK.into_response();
    }
    let message: Value = serde_json::from_str(&body).unwrap();
    let id = message["id"].clone();
    if message["method"] == "initialize"
        && let Some(held) = &server.held
    {
        server.seen().begun += 1;
        let broken_off = server.broken_off.clone().drop_guard();
        held.notified().await;
        broken_off.disarm();
    }
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }),
        "tools/list" => tools(),
        "tools/call" if message["params"]["name"] == "answer_later" => {
            server.seen().calls.push(id);
            return stream("id: e-1\nretry: 20\ndata: \n\n".to_owned());
        }
        "tools/call" => json!({
            "content": [{"type": "text", "text": "three pods"}],
            "structuredContent": message["params"]["arguments"],
        }),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
    ([("mcp-session-id", "the-session")], axum::Json(answer)).into_response()
}

/// The stream that answers what broke off.
fn resume(server: &Scripted, after: Option<&str>) -> Response {
    let Some(after) = after else { return StatusCode::METHOD_NOT_ALLOWED.into_response() };
    let mut seen = server.seen();
    seen.resumed.push(after.to_owned());
    if server.forgets {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let result = json!({"content": [{"type": "text", "text": "here it is"}]});
    let answer = json!({"jsonrpc": "2.0", "id": seen.calls.last(), "result": result});
    stream(format!("id: e-2\nevent: message\ndata: {answer}\n\n"))
}

fn stream(events: String) -> Response {
    let headers = [("content-type", "text/event-stream"), ("mcp-session-id", "the-session")];
    (headers, events).into_response()
}

fn tools() -> Value {
    let any = json!({"type": "object"});
    let output = json!({
        "type": "object",
        "properties": {"pods": {"type": "integer"}, "password": {"type": "integer"}},
        "required": ["pods", "ready"],
    });
    json!({"tools": [
        {"name": "answer_later", "inputSchema": any},
        {"name": "count_pods", "inputSchema": any, "outputSchema": output},
        {
            "name": "query",
            "description": format!("Asks the database at postgres://app:{SECRET}@db/pods"),
            "inputSchema": {"type": "object", "properties": {"dsn": {
                "type": "string",
                "default": format!("postgres://app:{SECRET}@db/pods"),
                "enum": ["a", "b"],
            }}},
        },
    ]})
}

async fn stack(address: SocketAddr) -> Stack {
    let servers = format!(
        "  remote:\n    transport: {{type: http, url: 'http://{address}/mcp', call_timeout: 5s}}\n"
    );
    Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
}

#[tokio::test]
async fn a_stream_that_breaks_off_goes_on_where_it_was_and_the_call_is_made_once() {
    let server = Scripted::default();
    let stack = stack(server.serve().await).await;
    let lease = stack.lease(&["remote"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    let result = ask(&*lease, "remote.answer_later", json!({})).await;
    assert_eq!(result.content, "here it is");
    assert_eq!(server.seen().resumed, ["e-1"]);
    assert_eq!(server.seen().calls.len(), 1);
    stack.drain().await;
}

#[tokio::test]
async fn a_stream_that_cannot_go_on_is_an_error_and_the_call_is_not_made_again() {
    let server = Scripted { forgets: true, ..Scripted::default() };
    let stack = stack(server.serve().await).await;
    let lease = stack.lease(&["remote"]).await;
    let result = ask(&*lease, "remote.answer_later", json!({})).await;
    assert!(result.is_error, "{}", result.content);
    assert_eq!(
        server.seen().calls.len(),
        1,
        "the tool may have changed something: {}",
        result.content
    );
    stack.drain().await;
}

/// A server with a handshake that was given up before its answer.
async fn given_up() -> (Scripted, Arc<Notify>) {
    let held = Arc::new(Notify::new());
    let server = Scripted { held: Some(Arc::clone(&held)), ..Scripted::default() };
    let stack = stack(server.serve().await).await;
    tokio::select! {
        opened = stack.open(&["remote"]) => panic!("{:?}", opened.err()),
        () = eventually("the handshake", async || server.seen().begun == 1) => {}
    }
    stack.drain().await;
    (server, held)
}

#[tokio::test]
async fn a_handshake_that_is_answered_after_it_was_given_up_leaves_no_session() {
    let (server, held) = given_up().await;
    held.notify_one();
    eventually("the end of the session", async || server.seen().closed == 1).await;
}

#[tokio::test]
async fn a_handshake_that_is_never_answered_leaves_no_connection() {
    let (server, _held) = given_up().await;
    timeout(WAIT, server.broken_off.cancelled()).await.unwrap();
    assert_eq!(server.seen().closed, 0);
}

#[tokio::test]
async fn descriptions_of_tools_are_masked() {
    let stack = stack(Scripted::default().serve().await).await;
    let lease = stack.lease(&["remote"]).await;
    let tool = lease.tools().iter().find(|tool| tool.name == "query").unwrap();
    assert!(tool.description.starts_with("Asks the database at postgres://"), "{tool:?}");
    assert_eq!(tool.input_schema["properties"]["dsn"]["enum"], json!(["a", "b"]));
    let statuses = stack.bus.kv(&topology::MCP_STATUS);
    let status = async || statuses.get::<McpServerStatus>("remote").await.unwrap();
    eventually("the status", async || status().await.is_some()).await;
    let published =
        [serde_json::to_string(tool).unwrap(), format!("{:?}", status().await.unwrap())];
    assert!(published.iter().all(|published| !published.contains(SECRET)), "{published:?}");
    stack.drain().await;
}

#[tokio::test]
async fn a_result_that_is_not_as_its_tool_declares_is_given_with_a_note() {
    let stack = stack(Scripted::default().serve().await).await;
    let lease = stack.lease(&["remote"]).await;
    let as_declared = ask(&*lease, "remote.count_pods", json!({"pods": 3, "ready": true})).await;
    assert_eq!(as_declared.content, "three pods\n{\"pods\":3,\"ready\":true}");
    let other = json!({"pods": "three", "password": SECRET});
    let result = ask(&*lease, "remote.count_pods", other).await;
    assert!(!result.is_error, "{}", result.content);
    assert!(result.content.starts_with("three pods\n{"), "{}", result.content);
    assert!(result.content.contains("}\n[note: "), "{}", result.content);
    assert!(result.content.contains("`pods` must be of type integer"), "{}", result.content);
    assert!(result.content.contains("`ready` is missing"), "{}", result.content);
    assert!(!result.content.contains(SECRET), "nothing repeats it: {}", result.content);
    stack.drain().await;
}
