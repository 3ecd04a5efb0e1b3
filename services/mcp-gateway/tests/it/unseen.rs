//! Behaviours of servers that were written after all the other sets, from reports about servers of other authors.

#![expect(clippy::print_stdout, reason = "the figures of the run")]

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use futures::StreamExt as _;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use serde_json::{Value, json};
use tarsy_tools::ToolLease;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::stack::{GatewayOptions, Stack, ask};

/// A behaviour, the tools that are listed, and what a call of the last one is answered; an error begins with `!`.
type Case = (&'static str, &'static [&'static str], &'static str);

const CASES: [Case; 16] = [
    ("a-cursor-that-is-empty", &["first", "second"], "here"),
    ("a-cursor-that-is-a-number", &["first", "second"], "here"),
    ("a-version-that-nobody-knows", &["get"], "here"),
    ("a-handshake-without-its-members", &["get"], "here"),
    ("a-name-with-slash-and-dot", &["k8s/get.pods"], "k8s/get.pods"),
    ("a-schema-of-alternatives", &["get"], r#"{"path":"/"}"#),
    ("requests-and-progress-around-an-answer", &["get"], "here"),
    ("an-answer-to-another-request-before", &["get"], "here"),
    ("an-answer-in-a-batch", &["get"], "here"),
    ("a-text-as-a-blob", &["get"], "a log"),
    ("a-list-as-structured-content", &["get"], r#"["a","b"]"#),
    ("an-answer-on-the-other-stream", &["get"], "here"),
    ("a-refusal-with-its-reason", &["get"], "!pod is required"),
    ("a-storm-of-changes", &["get"], "here"),
    ("a-stream-that-stays-open", &["get"], "here"),
    ("an-id-as-a-fraction", &["get"], "here"),
];

/// Written with those, and tried once after the gateway was mended by them.
const CASES_AGAIN: [Case; 8] = [
    ("a-page-on-the-other-stream", &["get"], "here"),
    ("an-event-on-several-lines", &["get"], "here"),
    ("an-event-of-another-name", &["get"], "here"),
    ("a-cursor-that-grows", &["get"], "here"),
    ("an-empty-cursor-again", &["get"], "here"),
    ("a-sound", &["get"], "[audio: audio/wav, 3 bytes, not shown]"),
    ("a-type-in-capitals", &["get"], "here"),
    ("a-header-with-the-version", &["get"], "here"),
];

/// The stream on which a server sends what it was not asked for, once it is open.
type OtherStream = Arc<watch::Sender<Option<UnboundedSender<String>>>>;

async fn take(
    State(stream): State<OtherStream>,
    Path(case): Path<String>,
    method: Method,
    headers: HeaderMap,
    body: String,
) -> Response {
    if method == Method::GET && case == "an-answer-on-the-other-stream" {
        let (sender, receiver) = unbounded();
        stream.send_replace(Some(sender));
        return events(Body::from_stream(receiver.map(Ok::<_, Infallible>)));
    }
    if method != Method::POST {
        let page = ([("content-type", "text/html")], "<html><title>It works</title></html>");
        let is_page = case == "a-page-on-the-other-stream";
        return if is_page {
            page.into_response()
        } else {
            StatusCode::METHOD_NOT_ALLOWED.into_response()
        };
    }
    let message: Value = serde_json::from_str(&body).unwrap();
    let version = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    if case == "a-header-with-the-version"
        && message["method"] != "initialize"
        && version != Some("2025-06-18")
    {
        return (StatusCode::BAD_REQUEST, "no MCP-Protocol-Version").into_response();
    }
    let result = match message["method"].as_str() {
        // Only who has a session opens a stream for it.
        Some("initialize") if case.ends_with("-on-the-other-stream") => {
            let answer = axum::Json(response(&message["id"], &handshake(&case)));
            return ([("mcp-session-id", "s-1")], answer).into_response();
        }
        Some("initialize") => handshake(&case),
        Some("tools/list") => page(&case, &message["params"]["cursor"]),
        Some("tools/call") if case == "an-answer-on-the-other-stream" => {
            let answer = response(&message["id"], &texts("here"));
            let mut opened = stream.subscribe();
            let open = opened.wait_for(Option::is_some).await.unwrap();
            open.as_ref().unwrap().unbounded_send(sent(&[answer])).unwrap();
            return StatusCode::ACCEPTED.into_response();
        }
        Some("tools/call") => return answered(&case, &message),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    axum::Json(response(&message["id"], &result)).into_response()
}

fn handshake(case: &str) -> Value {
    match case {
        "a-handshake-without-its-members" => {
            json!({"protocolVersion": "2025-06-18", "capabilities": null})
        }
        "a-version-that-nobody-knows" => {
            json!({"protocolVersion": "2024-10-07", "capabilities": {"tools": {}, "logging": {}, "x": 7},
                "serverInfo": {"name": "it", "version": "1"}})
        }
        _ => {
            json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "it", "version": "1"}})
        }
    }
}

fn page(case: &str, cursor: &Value) -> Value {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    match (case, cursor) {
        ("a-cursor-that-is-empty", Value::Null) => {
            json!({"tools": [tool("first")], "nextCursor": ""})
        }
        ("a-cursor-that-is-a-number", Value::Null) => {
            json!({"tools": [tool("first")], "nextCursor": 8})
        }
        ("a-cursor-that-is-empty" | "a-cursor-that-is-a-number", _) => {
            json!({"tools": [tool("second")]})
        }
        ("a-cursor-that-grows", cursor) => {
            let next = cursor.as_str().and_then(|text| text.parse::<u32>().ok()).unwrap_or(0) + 1;
            json!({"tools": [tool("get")], "nextCursor": next.to_string()})
        }
        ("an-empty-cursor-again", _) => json!({"tools": [tool("get")], "nextCursor": ""}),
        ("a-name-with-slash-and-dot", _) => json!({"tools": [tool("k8s/get.pods")]}),
        ("a-schema-of-alternatives", _) => {
            let schema = json!({"$defs": {"path": {"type": "string"}}, "anyOf": [
                {"properties": {"path": {"$ref": "#/$defs/path"}}, "required": ["path"]},
                {"properties": {"id": {"type": "integer"}}, "required": ["id"]},
            ]});
            json!({"tools": [{"name": "get", "inputSchema": schema}]})
        }
        _ => json!({"tools": [tool("get")]}),
    }
}

fn answered(case: &str, message: &Value) -> Response {
    let id = &message["id"];
    let here = response(id, &texts("here"));
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let result = match case {
        "a-name-with-slash-and-dot" => texts(message["params"]["name"].as_str().unwrap()),
        "a-schema-of-alternatives" => texts(&message["params"]["arguments"].to_string()),
        "a-text-as-a-blob" => json!({"content": [{"type": "resource", "resource":
            {"uri": "file:///a.log", "mimeType": "text/plain", "blob": "YSBsb2c="}}]}),
        "a-sound" => {
            json!({"content": [{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}]})
        }
        "a-type-in-capitals" => json!({"content": [{"type": "TEXT", "text": "here"}]}),
        "an-event-of-another-name" => return events(format!("event: response\ndata: {here}\n\n")),
        "an-event-on-several-lines" => {
            let text = serde_json::to_string_pretty(&here).unwrap();
            let lines =
                text.lines().fold(String::new(), |all, line| all + "data: " + line + "\r\n");
            return events(format!("id: 1\r\nretry: 50\r\n{lines}\r\n"));
        }
        "a-list-as-structured-content" => json!({"content": [], "structuredContent": ["a", "b"]}),
        "requests-and-progress-around-an-answer" => {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": "nobody's", "progress": 1}});
            let ping = json!({"jsonrpc": "2.0", "id": "s-1", "method": "ping"});
            let log = json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": {"a": 1}}});
            return events(sent(&[progress.clone(), ping, log, here, progress]));
        }
        "an-answer-to-another-request-before" => {
            return events(sent(&[response(&json!(9_999), &texts("another")), here]));
        }
        "an-answer-in-a-batch" => return axum::Json(json!([changed, here])).into_response(),
        "a-refusal-with-its-reason" => {
            let error = json!({"code": -32_602, "message": "pod is required"});
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            return (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response();
        }
        "a-storm-of-changes" => {
            let mut messages = vec![changed; 500];
            messages.push(here);
            return events(sent(&messages));
        }
        "a-stream-that-stays-open" => {
            let first = Ok::<_, Infallible>(sent(&[here]));
            return events(Body::from_stream(
                futures::stream::iter([first]).chain(futures::stream::pending()),
            ));
        }
        "an-id-as-a-fraction" => {
            let text = here.to_string().replace(&format!("\"id\":{id}"), &format!("\"id\":{id}.0"));
            return ([("content-type", "application/json")], text).into_response();
        }
        _ => texts("here"),
    };
    axum::Json(response(id, &result)).into_response()
}

fn texts(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn response(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn sent(messages: &[Value]) -> String {
    let event = |message: &Value| format!("event: message\ndata: {message}\n\n");
    messages.iter().map(event).collect::<Vec<_>>().concat()
}

fn events(body: impl Into<Body>) -> Response {
    ([("content-type", "text/event-stream")], body.into()).into_response()
}

/// What of a case is not as it should be.
async fn fault(lease: &dyn ToolLease, (case, tools, wanted): Case) -> Option<String> {
    if let Some(failed) = lease.failed().first() {
        return Some(failed.error.clone());
    }
    let listed: Vec<&str> = lease.tools().iter().map(|tool| tool.name.as_str()).collect();
    if listed.len() != tools.len() {
        return Some(format!("listed is {listed:?}"));
    }
    let arguments = match case {
        "a-schema-of-alternatives" => json!({"path": "/"}),
        _ => json!({}),
    };
    let name = format!("{case}.{}", listed.last().unwrap());
    let result = ask(lease, &name, arguments).await;
    let agrees = match wanted.strip_prefix('!') {
        Some(reason) => result.is_error && result.content.contains(reason),
        None => !result.is_error && result.content == wanted,
    };
    (!agrees).then(|| format!("{} ({})", result.content, result.is_error))
}

/// Asks servers of all cases, and says which are not understood.
async fn check(cases: &[Case]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/{case}", any(take)).with_state(OtherStream::default());
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
    let server = |&(case, ..): &Case| {
        format!(
            "  {case}:\n    transport: {{type: http, url: 'http://{address}/{case}', call_timeout: 5s, init_timeout: 5s}}\n"
        )
    };
    let servers = cases.iter().map(server).collect();
    let stack = Stack::with(GatewayOptions { servers, capacity: 40, ..GatewayOptions::default() });
    let stack = stack.await;
    let mut wrong = Vec::new();
    for &case in cases {
        let lease = stack.lease(&[case.0]).await;
        wrong.extend(fault(&*lease, case).await.map(|fault| format!("{}: {fault}", case.0)));
        lease.close().await;
    }
    println!("{} of {} are understood", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    stack.drain().await;
}

#[tokio::test]
async fn servers_that_nobody_had_seen_are_understood() {
    check(&CASES).await;
}

#[tokio::test]
async fn servers_that_nobody_had_seen_again_are_understood() {
    check(&CASES_AGAIN).await;
}
