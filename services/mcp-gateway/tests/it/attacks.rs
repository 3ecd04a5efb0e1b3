//! Calls that once ran without a person, because something about their tool sounded as if it only read.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use serde_json::{Value, json};
use tarsy_contracts::judged::Decider;
use tarsy_contracts::mcp::Caller;
use tarsy_tools::ToolLease;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::stack::{GatewayOptions, Stack, ask};

/// The names of the tools that were called.
type Called = Arc<Mutex<Vec<String>>>;

async fn serve(called: &Called) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/mcp", any(take)).with_state(Arc::clone(called));
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

async fn take(State(called): State<Called>, body: String) -> Response {
    let Ok(message) = serde_json::from_str::<Value>(&body) else {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    };
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "attacked", "version": "1"},
        }),
        "tools/list" => tools(),
        "tools/call" => {
            let name = message["params"]["name"].as_str().unwrap().to_owned();
            called.lock().unwrap().push(name);
            json!({"content": [{"type": "text", "text": "done"}]})
        }
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    ([("mcp-session-id", "the-session")], axum::Json(answer)).into_response()
}

fn tools() -> Value {
    let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {"type": "object", "properties": properties}});
    let text = json!({"type": "string"});
    let mut is_annotated = tool("drop_all_tables", json!({}));
    is_annotated["annotations"] = json!({"readOnlyHint": true});
    json!({"tools": [
        tool("query", json!({"sql": text})),
        tool("explain_analyze", json!({"sql": text})),
        tool("kubectl_get", json!({"command": text})),
        tool("get_resource", json!({"method": text, "path": text})),
        tool("get_url", json!({"url": text, "method": text, "connection": text})),
        tool("get_page", json!({"path": text, "options": {"type": "object"}})),
        tool("graphql", json!({"query": text})),
        tool("list_dry", json!({"dry_run": {"type": "boolean"}})),
        tool("inspect_and_remediate", json!({})),
        tool("promote_version", json!({})),
        tool("mark_as_read", json!({})),
        tool("acknowledge_events", json!({})),
        tool("reindex_stats", json!({})),
        tool("queue_get_message", json!({"queue": text, "ack_mode": text})),
        tool("get_secret_value", json!({"name": text})),
        tool("get_events", json!({"limit": {"type": "integer"}})),
        is_annotated,
    ]})
}

/// A server whose entry says nothing of a mode.
async fn attacked(called: &Called) -> Stack {
    attacked_under(called, "{alert_hosts: false}").await
}

async fn attacked_under(called: &Called, policy: &str) -> Stack {
    let address = serve(called).await;
    let servers = format!(
        "  added:\n    transport: {{type: http, url: 'http://{address}/mcp'}}\n    policy: {policy}\n"
    );
    Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
}

async fn runs(lease: &dyn ToolLease, tool: &str, arguments: Value) -> bool {
    let made = ask(lease, &format!("added.{tool}"), arguments).await;
    assert_eq!(made.refused_by_policy, made.content != "done", "{tool}: {}", made.content);
    !made.refused_by_policy
}

#[tokio::test]
async fn a_statement_that_changes_something_is_not_made_by_a_tool_that_reads() {
    let called = Called::default();
    let stack = attacked(&called).await;
    let lease = stack.lease(&["added"]).await;
    for (tool, arguments) in [
        ("query", json!({"sql": "DROP TABLE users CASCADE"})),
        ("query", json!({"sql": "SELECT 1; DROP TABLE users"})),
        ("query", json!({"sql": "WITH x AS (DELETE FROM users RETURNING *) SELECT * FROM x"})),
        ("explain_analyze", json!({"sql": "EXPLAIN ANALYZE DELETE FROM users"})),
        ("explain_analyze", json!({"sql": "DELETE FROM users"})),
        ("kubectl_get", json!({"command": "delete pods --all -A"})),
        ("kubectl_get", json!({"command": "get pods; kubectl delete pods --all"})),
        ("get_resource", json!({"method": "DELETE", "path": "/a"})),
        ("get_resource", json!({"path": "/a"})),
        ("query", json!({"sql": "SELECT 1 DELETE FROM users"})),
        ("query", json!({"sql": "SELECT 1 ->> DELETE FROM users"})),
        ("kubectl_get", json!({"command": "get pods -o go-template-file=/etc/passwd"})),
        ("get_resource", json!({"method": "GET", "path": "/a?_method=DELETE"})),
        (
            "get_resource",
            json!({"method": "GET", "path": "/a", "headers": {"X-HTTP-Method-Override": "DELETE"}}),
        ),
        ("get_events", json!({"limit": 5, "force": true})),
        ("get_events", json!({"sql": "DROP TABLE users"})),
        ("get_page", json!({"path": "/a", "options": {"method": "DELETE"}})),
        ("get_page", json!({"path": "/a", "options": {"init": {"force": true}}})),
        ("graphql", json!({"query": "mutation { deleteUser(id: 1) { id } }"})),
        ("list_dry", json!({"dry_run": false})),
        ("list_dry", json!({"dry_run": true})),
    ] {
        assert!(!runs(&*lease, tool, arguments.clone()).await, "{tool} {arguments}");
    }
    assert!(called.lock().unwrap().is_empty(), "the server was not asked");
    for (tool, arguments) in [
        ("query", json!({"sql": "SELECT count(*) FROM users"})),
        ("explain_analyze", json!({"sql": "SELECT 1"})),
        ("kubectl_get", json!({"command": "get pods -A"})),
        ("get_resource", json!({"method": "GET", "path": "/a"})),
        ("get_page", json!({"path": "/a", "options": {"method": "GET"}})),
        ("graphql", json!({"query": "{ users { id } }"})),
        ("get_events", json!({"limit": 5})),
    ] {
        assert!(runs(&*lease, tool, arguments.clone()).await, "{tool} {arguments}");
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_tool_of_which_a_noun_sounds_like_reading_waits_for_a_person() {
    let called = Called::default();
    let stack = attacked(&called).await;
    let lease = stack.lease(&["added"]).await;
    for tool in [
        "inspect_and_remediate",
        "promote_version",
        "mark_as_read",
        "acknowledge_events",
        "reindex_stats",
        "queue_get_message",
        "drop_all_tables",
    ] {
        assert!(!runs(&*lease, tool, json!({})).await, "{tool}");
    }
    assert!(called.lock().unwrap().is_empty(), "the server was not asked");
    let terms = |name: &str| {
        let tool = lease.tools().iter().find(|tool| tool.name == name);
        tool.map(|tool| tool.terms.clone())
    };
    assert_eq!(terms("query").unwrap().decided_by, Decider::Call);
    assert!(terms("drop_all_tables").unwrap().reason.contains("though its server says read-only"));
    assert_eq!(terms("get_secret_value"), None, "nobody named it");
    stack.drain().await;
}

/// What a sender wrote into the labels of an alert.
const NAMED: [&str; 14] = [
    "metadata.google.internal",
    "metadata",
    "169.254.169.254",
    "169.254.169.254.nip.io",
    "a9fea9fe.nip.io",
    "100.100.100.200",
    "fd00:ec2::254",
    "localhost",
    "a.localhost",
    "localhost.localdomain",
    "127.0.0.1",
    "::1",
    "0.0.0.0",
    "host.docker.internal",
];

#[tokio::test]
async fn an_alert_that_names_a_metadata_service_or_this_machine_opens_it_to_no_tool() {
    let called = Called::default();
    let stack =
        attacked_under(&called, "{read_only: [get_url], reaches_any_host: [get_url]}").await;
    let alert_hosts = NAMED.map(str::to_owned).to_vec();
    let lease = stack.lease_for(&["added"], Caller::Model { alert_hosts }).await;
    let spelled = [
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[fd00:ec2::254]",
        "2130706433",
        "0x7f.1",
        "0251.0376.0251.0376",
        "LOCALHOST.",
        "ⓛocalhost",
        "Metadata.Google.Internal.",
        "metadata@127.0.0.1",
    ];
    for host in NAMED.into_iter().filter(|name| !name.contains(':')).chain(spelled) {
        for arguments in [
            json!({"url": format!("http://{host}/latest/meta-data")}),
            json!({"url": format!("http://{host}:8080/api/v1/approvals"), "method": "GET"}),
            json!({"url": host, "method": "DELETE"}),
            json!({"url": format!("http://{host}/"), "connection": format!("host={host} port=5432")}),
        ] {
            assert!(!runs(&*lease, "get_url", arguments.clone()).await, "{arguments}");
        }
    }
    assert!(called.lock().unwrap().is_empty(), "the server was not asked");
    stack.drain().await;
}

#[tokio::test]
async fn a_host_that_only_the_alert_names_is_read_and_not_changed() {
    let called = Called::default();
    let of_alert = Caller::Model { alert_hosts: vec!["10.0.0.7".to_owned()] };
    for policy in [
        "{reaches_any_host: [get_url]}",
        "{read_only: [get_url], reaches_any_host: [get_url]}",
        "{read_only: [get_url]}",
    ] {
        let stack = attacked_under(&called, policy).await;
        let lease = stack.lease_for(&["added"], of_alert.clone()).await;
        for method in ["DELETE", "post", "PUT", "PATCH", "PURGE"] {
            let arguments = json!({"url": "http://10.0.0.7/", "method": method});
            assert!(!runs(&*lease, "get_url", arguments).await, "{method}");
        }
        assert!(called.lock().unwrap().is_empty(), "the server was not asked");
        let arguments = json!({"url": "http://10.0.0.7/", "method": "GET"});
        assert!(runs(&*lease, "get_url", arguments).await);
        called.lock().unwrap().clear();
        stack.drain().await;
    }
}
