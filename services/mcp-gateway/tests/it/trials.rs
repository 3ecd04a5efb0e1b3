//! Addresses that are tried before they are configured.

use std::sync::atomic::Ordering;

use axum::Json;
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tarsy_contracts::mcp::{ToolList, TrialRequest};
use tarsy_contracts::subject;
use tarsy_testkit::WAIT;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::server::{COUNT, Peer};
use crate::stack::Stack;

async fn try_address(stack: &Stack, url: &str) -> Result<ToolList, String> {
    let request = TrialRequest { url: url.to_owned(), timeout_ms: 20_000 };
    let answer = stack.bus.request::<_, ToolList>(subject::MCP_TRIAL.to_owned(), &request, WAIT);
    answer.await.map_err(|error| error.to_string())
}

async fn why(stack: &Stack, url: &str) -> String {
    let list = try_address(stack, url).await.unwrap();
    assert!(list.tools.is_empty());
    let [failed] = list.failed.as_slice() else { panic!("{list:?}") };
    failed.error.clone()
}

/// What pages that are no tool servers say.
const INSIDE: &str = "what a page inside says";

/// A server that wants no token, at `/mcp`, and pages that are none.
async fn serve(unavailable: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service: StreamableHttpService<Peer, LocalSessionManager> = StreamableHttpService::new(
        || Ok(Peer::default()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let redirect = Redirect::temporary(unavailable);
    let router = axum::Router::new()
        .nest_service("/mcp", service)
        .route("/unavailable", any(async move || redirect.clone()))
        .route("/ok", any(async || INSIDE))
        .route("/refused", any(async || (StatusCode::BAD_REQUEST, INSIDE)))
        .route("/json", any(async || Json(json!({ "inside": INSIDE }))))
        .route(
            "/rpc",
            any(async || {
                Json(json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -1, "message": INSIDE}}))
            }),
        );
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
    format!("http://{address}")
}

#[tokio::test]
async fn the_tools_of_an_address_are_listed_and_its_health_is_not_reported() {
    let stack = Stack::start().await;
    let at = serve("http://127.0.0.1:9/").await;
    let list = try_address(&stack, &format!("{at}/mcp")).await.unwrap();
    assert_eq!((list.tools.len(), list.failed.len()), (COUNT, 0));
    let health = stack.bus.kv(&tarsy_contracts::topology::MCP_STATUS);
    let entry: Option<tarsy_contracts::status::McpServerStatus> =
        health.get("tools").await.unwrap();
    assert_eq!(entry, None);
    stack.drain().await;
}

#[tokio::test]
async fn no_credentials_are_sent_and_the_reason_has_the_remedy() {
    let stack = Stack::start().await;
    let remote = crate::http::serve().await;
    let reason = why(&stack, &format!("http://{}/mcp", remote.address)).await;
    assert!(reason.contains("wants credentials"), "{reason}");
    assert_eq!(remote.opened.load(Ordering::Relaxed), 0, "nothing passed the check of the token");
    stack.drain().await;
}

#[tokio::test]
async fn neither_metadata_services_nor_redirects_are_followed() {
    let stack = Stack::start().await;
    for url in [
        "http://169.254.169.254/latest/meta-data",
        "http://0xa9fea9fe/mcp",
        "http://[::ffff:169.254.169.254]/mcp",
        "http://metadata.google.internal/mcp",
        "http://0.0.0.0:9090/mcp",
    ] {
        let reason = why(&stack, url).await;
        assert!(reason.contains("that is not tried"), "{url}: {reason}");
    }
    let target = serve("http://127.0.0.1:9/").await;
    let at = serve(&format!("{target}/mcp")).await;
    assert!(why(&stack, &format!("{at}/unavailable")).await.contains("not MCP"));
    stack.drain().await;
}

#[tokio::test]
async fn a_page_that_is_no_tool_server_is_not_quoted() {
    let stack = Stack::start().await;
    let at = serve("http://127.0.0.1:9/").await;
    for path in ["ok", "refused", "json", "rpc"] {
        let reason = why(&stack, &format!("{at}/{path}")).await;
        assert!(reason.contains("not MCP"), "{path}: {reason}");
        assert!(!reason.contains(INSIDE), "{path}: {reason}");
    }
    let closed = why(&stack, "http://127.0.0.1:9/mcp").await;
    assert!(closed.contains("refused"), "{closed}");
    stack.drain().await;
}

#[tokio::test]
async fn only_addresses_over_http_are_tried() {
    let stack = Stack::start().await;
    for url in ["file:///etc/passwd", "stdio:sh", "http://me:secret@127.0.0.1/mcp", "{{.HOME}}", ""]
    {
        let refused = try_address(&stack, url).await.unwrap_err();
        assert!(refused.contains("url: "), "{url}: {refused}");
        assert!(!refused.contains("secret"), "{refused}");
    }
    stack.drain().await;
}
