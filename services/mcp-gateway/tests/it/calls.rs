//! Calls over standard streams: what comes back, and in which form.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::topology::INLINE_LIMIT;
use tarsy_tools::ToolCallRequest;

use crate::server::{COUNT, SECRETS};
use tarsy_testkit::{WAIT, eventually};

use crate::stack::{GatewayOptions, Stack, ask, call, counts_until, lines};

#[tokio::test]
async fn every_page_of_tools_is_listed() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    assert_eq!(lease.tools().len(), COUNT);
    let echo = lease.tools().iter().find(|tool| tool.name == "echo").unwrap();
    assert_eq!(echo.full_name(), "peer.echo");
    assert_eq!(echo.description, "Does echo.");
    assert_eq!(echo.input_schema, json!({"type": "object"}));
    assert!(echo.read_only);
    assert!(lease.failed().is_empty());
    stack.drain().await;
}

#[tokio::test]
async fn a_tool_is_called_by_either_spelling_with_any_arguments() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let result = ask(&*lease, "peer.echo", json!({"a": 1})).await;
    assert_eq!((result.is_error, result.content.as_str()), (false, r#"{"a":1}"#));
    let result = ask(&*lease, "peer__echo", json!([1])).await;
    assert_eq!(result.content, r#"{"input":[1]}"#);
    let nothing = ToolCallRequest { arguments: String::new(), ..call("peer.echo", json!({})) };
    assert_eq!(lease.call(nothing, WAIT).await.unwrap().content, "{}");
    stack.drain().await;
}

#[tokio::test]
async fn an_unknown_tool_or_server_is_an_error_that_lists_what_exists() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    for name in ["peer.ecko", "nowhere.echo", "echo", ""] {
        let result = ask(&*lease, name, json!({})).await;
        assert!(result.is_error, "{name}");
        assert!(result.content.contains("peer.echo"), "{name}: {}", result.content);
    }
    stack.drain().await;
}

#[tokio::test]
async fn images_and_structured_content_become_text() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let image = ask(&*lease, "peer.image", json!({})).await;
    assert_eq!(image.content, "see\n[image: image/png, 6 bytes, not shown]");
    let structured = ask(&*lease, "peer.structured", json!({})).await;
    assert_eq!(structured.content, r#"{"pods":3}"#);
    stack.drain().await;
}

#[tokio::test]
async fn failures_of_tools_and_of_the_protocol_are_results() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let failed = ask(&*lease, "peer.fail", json!({})).await;
    assert_eq!((failed.is_error, failed.content.as_str()), (true, "it went wrong"));
    let refused = ask(&*lease, "peer.refuse", json!({})).await;
    assert!(refused.is_error);
    assert!(refused.content.contains("is bad"), "{}", refused.content);
    assert!(!refused.content.contains("hunter2secret"), "{}", refused.content);
    stack.drain().await;
}

#[tokio::test]
async fn secrets_leave_the_gateway_in_no_result() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    for tool in ["peer.secret", "peer.secret_error"] {
        let result = ask(&*lease, tool, json!({})).await;
        for secret in SECRETS {
            assert!(!result.content.contains(secret), "{tool}: {}", result.content);
        }
        assert!(result.masked >= 3, "{tool}: {}", result.masked);
        assert!(result.content.contains("replicas: 3"), "{tool}: {}", result.content);
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_large_result_comes_whole_by_claim_check() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let bytes = INLINE_LIMIT * 6;
    let result = ask(&*lease, "peer.big", json!({"bytes": bytes})).await;
    assert_eq!((result.content.len(), result.blob), (bytes, None));
    stack.drain().await;
}

#[tokio::test]
async fn a_result_above_the_limit_is_truncated_with_a_note() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let bytes = 17 * 1024 * 1024;
    let result = ask(&*lease, "peer.big", json!({"bytes": bytes})).await;
    let end = result.content.get(result.content.len() - 120..).unwrap();
    assert!(end.contains(&format!("the result has {bytes} bytes")), "{end}");
    stack.drain().await;
}

#[tokio::test]
async fn a_result_that_is_too_long_to_be_masked_is_withheld() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let key = "MIIEowIBAAKCAQEA7abc";
    let arguments = json!({
        "begin": "-----BEGIN PRIVATE KEY-----\n",
        "unit": format!("{key}\n"),
        "bytes": 13 * 1024 * 1024,
    });
    let result = ask(&*lease, "peer.big", arguments).await;
    assert_eq!(result.content, tarsy_masking::WITHHELD);
    stack.drain().await;
}

#[tokio::test]
async fn a_call_ends_at_its_deadline_and_is_cancelled_at_the_server() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let file = stack.file("slow");
    let slow = call("peer.slow", json!({"ms": 60_000, "file": file}));
    let result = lease.call(slow, Duration::from_secs(3)).await.unwrap();
    assert!(result.is_error);
    assert!(result.content.contains("timed out"), "{}", result.content);
    eventually("the cancellation", async || {
        std::fs::read_to_string(&file).is_ok_and(|text| text == "called\ncancelled\n")
    })
    .await;
    stack.drain().await;
}

#[tokio::test]
async fn a_call_ends_at_the_limit_of_its_server() {
    let servers = format!(
        "  brisk:\n    transport: {{type: stdio, command: \"{}\", call_timeout: 300ms}}\n",
        crate::stack::peer().display()
    );
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&["brisk"]).await;
    let result = ask(&*lease, "brisk.slow", json!({"ms": 60_000})).await;
    assert!(result.is_error && result.content.contains("0.3 s"), "{}", result.content);
    stack.drain().await;
}

#[tokio::test]
async fn calls_of_one_lease_run_at_the_same_time() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let (file, end) = (stack.file("counter"), stack.file("end"));
    let calls = (0..8).map(|_| ask(&*lease, "peer.counter", counts_until(&file, &end)));
    let ending = async {
        eventually("all calls", async || lines(&file) == 8).await;
        std::fs::write(&end, "").unwrap();
    };
    let (results, ()) = tokio::join!(futures::future::join_all(calls), ending);
    assert!(results.iter().all(|result| result.content == "counted"));
    stack.drain().await;
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_is_cancelled_at_the_server() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let file = stack.file("slow");
    let slow = call("peer.slow", json!({"ms": 60_000, "file": file}));
    let call_id = slow.call_id;
    let (result, ()) = tokio::join!(lease.call(slow, WAIT), async {
        // A call that is cancelled before it is sent never reaches the server.
        eventually("the call", async || lines(&file) == 1).await;
        lease.cancel(call_id, "the session is cancelled").await;
    });
    let result = result.unwrap();
    assert!(result.is_error && result.content.contains("cancelled"), "{}", result.content);
    eventually("the cancellation", async || lines(&file) == 2).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_call_with_side_effects_is_not_repeated_when_its_server_dies() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let file = stack.file("die");
    let result = ask(&*lease, "peer.die", json!({"file": file})).await;
    assert!(result.is_error && result.content.contains("not known"), "{}", result.content);
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 1);
    let after = ask(&*lease, "peer.echo", json!({})).await;
    assert_eq!(after.content, "{}", "the next call has a new session");
    stack.drain().await;
}

#[tokio::test]
async fn a_read_only_call_is_made_once_more_when_its_server_dies() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let file = stack.file("die");
    let result = ask(&*lease, "peer.die_safe", json!({"file": file})).await;
    assert_eq!((result.is_error, result.content.as_str()), (false, "alive"));
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
    stack.drain().await;
}

#[tokio::test]
async fn a_tool_that_appears_later_can_be_called() {
    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let result = ask(&*lease, "peer.grow", json!({})).await;
    assert_eq!(result.content, "reported: true");
    eventually("the new tool", async || !ask(&*lease, "peer.grown", json!({})).await.is_error)
        .await;
    stack.drain().await;
}

#[tokio::test]
async fn only_granted_tools_are_listed_and_called() {
    use tarsy_domain::id::{ExecutionId, SessionId};
    use tarsy_tools::{Caller, OpenToolbox, ServerGrant, Toolbox as _};

    let servers = format!(
        "  guarded:\n    transport: {{type: stdio, command: \"{}\"}}\n    policy: {{mode: allow_all, deny: [\"e*\"], require_read_only: true}}\n",
        crate::stack::peer().display()
    );
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let tools = Some(vec!["echo".to_owned(), "pid".to_owned(), "counter".to_owned()]);
    let request = OpenToolbox {
        session_id: SessionId::new(),
        execution_id: ExecutionId::new(),
        servers: vec![ServerGrant { server: "guarded".to_owned(), tools }],
        caller: Caller::default(),
        timeout: WAIT,
    };
    let lease = stack.toolbox.open(request).await.unwrap();
    let names: Vec<&str> = lease.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["pid"]);
    let denied = ask(&*lease, "guarded.echo", json!({})).await;
    assert!(denied.refused_by_policy && denied.content.contains("'e*'"), "{}", denied.content);
    let other = ask(&*lease, "guarded.slow", json!({})).await;
    assert!(other.refused_by_policy && other.content.contains("not selected"), "{}", other.content);
    stack.drain().await;
}

#[tokio::test]
async fn a_call_for_which_nobody_waits_any_more_is_refused() {
    use tarsy_bus::Error;
    use tarsy_contracts::mcp::{CallRequest, CallResult};
    use tarsy_contracts::subject::{self, McpVerb};
    use tarsy_domain::code::Code;

    let stack = Stack::start().await;
    let lease = stack.lease(&["peer"]).await;
    let request = CallRequest {
        lease_id: lease.lease_id(),
        call: call("peer.echo", json!({})),
        timeout_ms: 0,
    };
    let subject = subject::mcp_instance(lease.instance(), McpVerb::Call);
    let answer: Result<CallResult, Error> = stack.bus.request(subject, &request, WAIT).await;
    assert!(matches!(answer, Err(Error::Refused(refusal)) if refusal.code == Code::Timeout));
    stack.drain().await;
}
