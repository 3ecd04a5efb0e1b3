//! Opening, keeping and losing leases.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::mcp::{Caller, OpenRequest, OpenState, ServerGrant};
use tarsy_domain::id::{ExecutionId, LeaseId, SessionId};
use tarsy_mcp_gateway::Timing;
use tarsy_testkit::{WAIT, eventually};
use tarsy_tools::ToolError;

use crate::stack::{GatewayOptions, Stack, ask, is_running, launch, open, peer, processes};

#[tokio::test]
async fn a_server_that_fails_is_named_with_a_masked_reason_and_the_others_work() {
    let servers = format!(
        r#"  refusing:
    transport: {{type: stdio, command: "{}", args: [refuse]}}
  absent:
    transport: {{type: stdio, command: "/nonexistent/server"}}
  silent:
    transport: {{type: stdio, command: "/bin/sleep", args: ["{}7"], init_timeout: 1s}}
"#,
        peer().display(),
        std::process::id(),
    );
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["refusing", "absent", "silent", "unknown", "peer"]).await;
    let reason = |server: &str| {
        let failed = lease.failed().iter().find(|failed| failed.server == server);
        failed.map(|failed| failed.error.clone()).unwrap_or_default()
    };
    assert_eq!(lease.failed().len(), 4);
    assert!(reason("refusing").contains("cannot reach the database"), "{}", reason("refusing"));
    assert!(!reason("refusing").contains("hunter2secret"), "{}", reason("refusing"));
    assert!(reason("absent").contains("/nonexistent/server"), "{}", reason("absent"));
    assert!(reason("silent").contains("1s"), "{}", reason("silent"));
    assert!(reason("unknown").contains("no such server"), "{}", reason("unknown"));
    assert_eq!(ask(&*lease, "peer.echo", json!({})).await.content, "{}");
    let result = ask(&*lease, "absent.x", json!({})).await;
    assert!(
        result.is_error && result.content.contains("/nonexistent/server"),
        "{}",
        result.content
    );
    stack.drain().await;
}

#[tokio::test]
async fn a_lease_opens_although_every_server_fails() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["unknown"]).await;
    assert!(lease.tools().is_empty());
    assert_eq!(lease.failed().len(), 1);
    stack.drain().await;
}

#[tokio::test]
async fn a_full_gateway_is_busy_until_a_lease_is_given_back() {
    let stack = Stack::with(GatewayOptions { capacity: 1, ..GatewayOptions::default() }).await;
    let first = stack.lease(&["peer"]).await;
    let busy = open(&stack.toolbox, &["peer"], Duration::from_secs(2)).await;
    assert!(matches!(busy, Err(ToolError::GatewayBusy | ToolError::NoGateway)));
    let (second, ()) = tokio::join!(open(&stack.toolbox, &["peer"], WAIT), first.close());
    assert_eq!(ask(&*second.unwrap(), "peer.echo", json!({})).await.content, "{}");
    stack.drain().await;
}

#[tokio::test]
async fn without_any_gateway_opening_fails_by_name() {
    let stack = Stack::start().await;
    stack.drain().await;
    let answer = open(&stack.toolbox, &["peer"], Duration::from_millis(500)).await;
    assert!(matches!(answer, Err(ToolError::NoGateway)));
}

#[tokio::test]
async fn another_gateway_takes_over_when_one_drains() {
    let stack = Stack::start().await;
    let bus = crate::stack::connect(stack.nats.url(), "mcp-gateway", "gateway-2").await;
    let second = launch(&bus, &stack.folder, &GatewayOptions::default());
    stack.drain().await;
    let lease = stack.lease(&["peer"]).await;
    assert_eq!(lease.instance(), "gateway-2");
    assert_eq!(ask(&*lease, "peer.echo", json!({})).await.content, "{}");
    second.drain(Duration::ZERO, tokio_util::sync::CancellationToken::new()).await;
}

#[tokio::test]
async fn a_lease_is_kept_alive_and_one_that_nobody_renews_is_ended() {
    let options = GatewayOptions::default();
    let timing = Timing { lease_ttl: Duration::from_secs(5), ..options.timing };
    let stack = Stack::with(GatewayOptions { timing, ..options }).await;
    let kept = stack.lease(&["peer"]).await;
    let server = ask(&*kept, "peer.pid", json!({})).await.content;
    let abandoned = opened_by_hand(&stack).await;
    eventually("one process", async || processes(&stack.folder) == 1).await;
    assert!(is_running(&server));
    assert_eq!(ask(&*kept, "peer.pid", json!({})).await.content, server);
    let refused = renewed_by_hand(&stack, abandoned).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("no lease")));
    stack.drain().await;
}

#[tokio::test]
async fn a_repeated_request_joins_its_opening() {
    let stack = Stack::start().await;
    let request = open_request(&["peer"]);
    let ask = async || {
        let subject = tarsy_contracts::subject::MCP_OPEN.to_owned();
        stack.bus.request::<_, OpenState>(subject, &request, WAIT).await.unwrap()
    };
    let (one, other) = tokio::join!(ask(), ask());
    assert!(matches!(&one, OpenState::Open { lease } if lease.lease_id == request.lease_id));
    assert_eq!(one, other);
    assert_eq!(ask().await, one, "a lease that is open is described again");
    assert_eq!(processes(&stack.folder), 1);
    stack.drain().await;
}

#[tokio::test]
async fn a_server_may_take_its_whole_time_to_start() {
    let servers = format!(
        r#"  late:
    transport: {{type: stdio, command: "/bin/sh", args: ["-c", "sleep 5; exec {} {{folder}}"], init_timeout: 50s}}
"#,
        peer().display(),
    );
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = open(&stack.toolbox, &["late"], Duration::from_secs(3)).await.unwrap();
    assert_eq!(lease.failed(), [], "only a gateway has to be found within the caller's time");
    assert_eq!(ask(&*lease, "late.echo", json!({})).await.content, "{}");
    stack.drain().await;
}

fn open_request(servers: &[&str]) -> OpenRequest {
    let grant = |server: &&str| ServerGrant { server: (*server).to_owned(), tools: None };
    OpenRequest {
        lease_id: LeaseId::new(),
        session_id: SessionId::new(),
        execution_id: ExecutionId::new(),
        servers: servers.iter().map(grant).collect(),
        caller: Caller::default(),
        wait_ms: 10_000,
    }
}

async fn opened_by_hand(stack: &Stack) -> LeaseId {
    let request = open_request(&["peer"]);
    let subject = tarsy_contracts::subject::MCP_OPEN.to_owned();
    let opened: OpenState = stack.bus.request(subject, &request, WAIT).await.unwrap();
    assert!(matches!(opened, OpenState::Open { .. }), "{opened:?}");
    request.lease_id
}

async fn renewed_by_hand(
    stack: &Stack,
    lease_id: LeaseId,
) -> Result<tarsy_contracts::mcp::Ack, tarsy_bus::Error> {
    use tarsy_contracts::mcp::LeaseRequest;
    use tarsy_contracts::subject::{McpVerb, mcp_instance};

    let subject = mcp_instance("gateway-1", McpVerb::Renew);
    stack.bus.request(subject, &LeaseRequest { lease_id }, WAIT).await
}
