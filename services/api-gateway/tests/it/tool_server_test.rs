//! Connections to tool servers that are tried on request.

use serde_json::json;
use tarsy_contracts::mcp::{FailedServer, ProbeRequest, ToolList};
use tarsy_contracts::subject;
use tarsy_testkit::eventually;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stack::Stack;

const PATH: &str = "/api/v1/system/mcp-servers/host/test";

#[tokio::test]
async fn a_server_is_tried_and_the_reason_of_a_failure_is_reported() {
    let stack = Stack::start().await;
    assert_eq!(stack.post("/api/v1/system/mcp-servers/nowhere/test").await.status, 404);
    let nobody = stack.post(PATH).await;
    assert_eq!(nobody.status, 503, "{nobody:?}");

    let (bus, stop) = (stack.bus.clone(), CancellationToken::new());
    let stopped = stop.clone();
    TaskTracker::new().spawn(async move {
        let answer = async |wanted: ProbeRequest| {
            let server = wanted.server.unwrap();
            let error = format!("{server} did not start within {} ms", wanted.timeout_ms);
            Ok(ToolList { tools: Vec::new(), failed: vec![FailedServer { server, error }] })
        };
        bus.respond(subject::MCP_PROBE, Some(subject::MCP_QUEUE), 1, stopped, answer)
            .await
            .unwrap();
    });
    eventually("a gateway answers", async || stack.post(PATH).await.status == 200).await;
    let tried = stack.post(PATH).await.body;
    assert_eq!(tried["reachable"], json!(false));
    assert_eq!(tried["error"], json!("host did not start within 20000 ms"));
    assert!(tried["duration_ms"].is_u64() && tried["tool_count"] == 0, "{tried}");
    let log = stack.get("/api/v1/audit-log?action=test_tool_server").await;
    assert_eq!(log.status, 200, "{log:?}");
    stop.cancel();
}
