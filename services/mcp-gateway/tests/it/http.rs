//! Streamable HTTP.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::serve::ListenerExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::server::{COUNT, Peer};
use tarsy_testkit::eventually;

use crate::stack::{GatewayOptions, Stack, ask};

const TOKEN: &str = "the-bearer-token";
const HEADER: &str = "x-tenant-key";
const TENANT: &str = "tenant-credential";

/// A server that wants a token and a header, and offers no stream of its own; it answers 503 while it
/// is `down`.
#[derive(Clone)]
pub(crate) struct Remote {
    pub(crate) address: SocketAddr,
    pub(crate) down: Arc<AtomicBool>,
    /// The status that calls are refused with; none if it is 0.
    pub(crate) refuses: Arc<AtomicU16>,
    /// It forgets the session of the next request.
    pub(crate) forgets: Arc<AtomicBool>,
    /// How many sessions were opened.
    pub(crate) opened: Arc<AtomicUsize>,
    /// Method, path and `x-execution` of each request that has this header.
    pub(crate) named: Arc<Mutex<Vec<(String, String, String)>>>,
}

pub(crate) async fn serve() -> Remote {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let remote = Remote {
        address,
        down: Arc::default(),
        refuses: Arc::default(),
        forgets: Arc::default(),
        opened: Arc::default(),
        named: Arc::default(),
    };
    let service: StreamableHttpService<Peer, LocalSessionManager> = StreamableHttpService::new(
        || Ok(Peer::default()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let guard = middleware::from_fn_with_state(remote.clone(), check);
    let router = axum::Router::new().nest_service("/mcp", service).layer(guard);
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    let serving = TaskTracker::new();
    serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
    remote
}

async fn check(State(remote): State<Remote>, request: Request, next: Next) -> Response {
    if remote.down.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "down").into_response();
    }
    if !is_authorized(request.headers()) {
        return (StatusCode::UNAUTHORIZED, "who are you").into_response();
    }
    if let Some(execution) = request.headers().get("x-execution") {
        let execution = execution.to_str().unwrap().to_owned();
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        remote.named.lock().unwrap().push((method, path, execution));
    }
    if request.uri().path().starts_with("/executions/") {
        return StatusCode::NO_CONTENT.into_response();
    }
    if request.method() == Method::GET {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if request.headers().contains_key("mcp-session-id") {
        let refuses = remote.refuses.load(Ordering::Relaxed);
        if refuses != 0 && request.method() == Method::POST {
            return StatusCode::from_u16(refuses).unwrap().into_response();
        }
        if remote.forgets.swap(false, Ordering::Relaxed) {
            return StatusCode::NOT_FOUND.into_response();
        }
    } else {
        remote.opened.fetch_add(1, Ordering::Relaxed);
    }
    next.run(request).await
}

fn is_authorized(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| {
        headers.get(name).is_some_and(|given| given.as_bytes() == value.as_bytes())
    };
    is("authorization", &format!("Bearer {TOKEN}")) && is(HEADER, TENANT)
}

pub(crate) fn entry(address: SocketAddr, token: &str) -> String {
    format!(
        r#"  remote:
    transport:
      type: http
      url: "http://{address}/mcp"
      bearer_token: "{token}"
      custom_headers: {{{HEADER}: "{TENANT}"}}
      init_timeout: 30s
"#
    )
}

#[tokio::test]
async fn a_server_behind_http_is_called_with_its_token_and_headers() {
    let remote = serve().await;
    let servers = entry(remote.address, TOKEN);
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    assert_eq!(lease.tools().len(), COUNT);
    let result = ask(&*lease, "remote__echo", json!({"a": TOKEN})).await;
    assert!(!result.content.contains(TOKEN), "our own token is masked: {}", result.content);
    let large = ask(&*lease, "remote.big", json!({"bytes": 3_000_000})).await;
    assert_eq!(large.content.len(), 3_000_000);
    stack.drain().await;
}

/// The request of a clean-up that came, with the execution that it names.
fn cleaned(remote: &Remote) -> Vec<(String, String)> {
    let named = remote.named.lock().unwrap();
    let deletes = named.iter().filter(|(method, path, _)| method == "DELETE" && path != "/mcp");
    deletes.map(|(_, path, execution)| (path.clone(), execution.clone())).collect()
}

#[tokio::test]
async fn a_server_learns_the_execution_and_its_end() {
    let remote = serve().await;
    let headers = format!("{HEADER}: \"{TENANT}\", x-execution: \"{{{{.SESSION_ID}}}}\"");
    let address = remote.address;
    let cleanup =
        format!("      session_cleanup_url: \"http://{address}/executions/{{{{.SESSION_ID}}}}\"\n");
    let servers = entry(address, TOKEN).replace(&format!("{HEADER}: \"{TENANT}\""), &headers);
    let servers = format!("{servers}{cleanup}");
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let (one, other) = (stack.lease(&["remote"]).await, stack.lease(&["remote"]).await);
    assert!(one.failed().is_empty(), "{:?}", one.failed());
    ask(&*one, "remote__echo", json!({"a": 1})).await;
    ask(&*other, "remote__echo", json!({"a": 1})).await;
    let mut ids: Vec<String> =
        remote.named.lock().unwrap().iter().map(|(_, _, execution)| execution.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.iter().filter(|id| id.len() == 36).count(), 2, "one for each lease: {ids:?}");
    assert!(cleaned(&remote).is_empty());
    one.close().await;
    eventually("the clean-up", async || cleaned(&remote).len() == 1).await;
    let (path, execution) = cleaned(&remote).remove(0);
    assert_eq!(path, format!("/executions/{execution}"));
    assert!(ids.contains(&execution));
    drop(other);
    stack.drain().await;
}

#[tokio::test]
async fn a_wrong_token_is_a_failed_server_that_shows_no_token() {
    let remote = serve().await;
    let servers = entry(remote.address, "wrong-token-value");
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(!failed.error.contains("wrong-token-value"), "{}", failed.error);
    stack.drain().await;
}

#[tokio::test]
async fn a_server_that_accepts_and_never_answers_fails_in_its_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let servers = entry(listener.local_addr().unwrap(), TOKEN).replace("30s", "1s");
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("1s"), "{}", failed.error);
    drop(listener);
    stack.drain().await;
}

#[tokio::test]
async fn a_call_takes_no_longer_than_a_round_trip() {
    let remote = serve().await;
    let servers = entry(remote.address, TOKEN);
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote", "peer"]).await;
    // Both ways are as slow as the machine; only the one over TCP may have to wait.
    let (mut remote, mut local) = (Duration::MAX, Duration::MAX);
    for _ in 0..30 {
        for (tool, fastest) in [("remote.echo", &mut remote), ("peer.echo", &mut local)] {
            let started = std::time::Instant::now();
            ask(&*lease, tool, json!({})).await;
            *fastest = started.elapsed().min(*fastest);
        }
    }
    assert!(
        remote < local + Duration::from_millis(40),
        "a delayed acknowledgement costs 40 ms: {remote:?}, and {local:?} without"
    );
    stack.drain().await;
}

#[tokio::test]
async fn a_lease_outlives_an_outage_of_its_server() {
    let remote = serve().await;
    let servers = entry(remote.address, TOKEN);
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote"]).await;
    remote.down.store(true, Ordering::Relaxed);
    let result = ask(&*lease, "remote.echo", json!({})).await;
    assert!(result.is_error && result.content.contains("503"), "{}", result.content);
    remote.down.store(false, Ordering::Relaxed);
    assert_eq!(ask(&*lease, "remote.echo", json!({})).await.content, "{}");
    stack.drain().await;
}

#[tokio::test]
async fn a_session_that_its_server_forgot_is_opened_anew_for_the_call() {
    let remote = serve().await;
    let servers = entry(remote.address, TOKEN);
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["remote"]).await;
    let before = remote.opened.load(Ordering::Relaxed);
    remote.forgets.store(true, Ordering::Relaxed);
    assert_eq!(ask(&*lease, "remote.echo", json!({"a": 1})).await.content, r#"{"a":1}"#);
    // The prober's session may have been the one that was forgotten; it is opened anew with its next look.
    eventually("a new session", async || remote.opened.load(Ordering::Relaxed) > before).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_busy_server_is_reported_as_busy_and_stays_healthy() {
    use tarsy_contracts::status::{McpServerStatus, Warning};
    use tarsy_contracts::topology;
    use tarsy_mcp_gateway::Timing;

    let remote = serve().await;
    let servers = entry(remote.address, TOKEN);
    let timing = Timing { check_http: Duration::from_mins(10), ..Timing::default() };
    let stack = Stack::with(GatewayOptions { servers, timing, ..GatewayOptions::default() }).await;
    // After its one look at the server the prober opens no session beside the lease's.
    let statuses = stack.bus.kv(&topology::MCP_STATUS);
    eventually("the prober's look", async || {
        statuses.get::<McpServerStatus>("remote").await.unwrap().is_some()
    })
    .await;
    let lease = stack.lease(&["remote"]).await;
    let opened = remote.opened.load(Ordering::Relaxed);
    remote.refuses.store(429, Ordering::Relaxed);
    let result = ask(&*lease, "remote.echo", json!({})).await;
    assert!(result.is_error && result.content.contains("too busy"), "{}", result.content);
    assert!(stack.lease(&["peer"]).await.failed().is_empty());
    let warnings = stack.bus.kv(&topology::WARNINGS);
    assert_eq!(warnings.get::<Warning>("mcp_health.remote").await.unwrap(), None);
    remote.refuses.store(0, Ordering::Relaxed);
    assert_eq!(ask(&*lease, "remote.echo", json!({})).await.content, "{}");
    assert_eq!(remote.opened.load(Ordering::Relaxed), opened, "its session stays");
    stack.drain().await;
}
