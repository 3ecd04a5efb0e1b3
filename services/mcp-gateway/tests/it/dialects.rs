//! Both dialects of the protocol, and what servers tell and ask beside their answers.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::{Value, json};
use tarsy_contracts::subject;
use tarsy_domain::id::{ExecutionId, SessionId, StageId, TimelineEventId};
use tarsy_tools::{DisplayTarget, ToolCallRequest, ToolLease};

use crate::server::COUNT;
use tarsy_testkit::{WAIT, eventually};

use crate::stack::{GatewayOptions, Stack, ask, call, example, peer};

/// A stack with a server `modern` that knows no `initialize`, and a server `odd`.
async fn stack(lifecycle: &str) -> Stack {
    let servers = format!(
        "  modern:\n    transport: {{type: stdio, command: \"{}\", args: [\"{{folder}}\", modern], lifecycle: {lifecycle}}}\n\
         \x20 odd:\n    transport: {{type: stdio, command: \"{}\", args: [\"{{folder}}\"]}}\n",
        peer().display(),
        example("odd").display(),
    );
    Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await
}

async fn has(lease: &dyn ToolLease, name: &str) -> bool {
    lease.list_tools().await.unwrap().iter().any(|tool| tool.name == name)
}

#[tokio::test]
async fn a_stateless_server_is_understood_whether_it_is_announced_or_found_out() {
    for lifecycle in ["discover", "auto"] {
        let stack = stack(lifecycle).await;
        let lease = stack.lease(&["modern"]).await;
        assert!(lease.failed().is_empty(), "{lifecycle}: {:?}", lease.failed());
        assert_eq!(lease.tools().len(), COUNT);
        assert_eq!(ask(&*lease, "modern.echo", json!({"a": 1})).await.content, r#"{"a":1}"#);
        stack.drain().await;
    }
}

#[tokio::test]
async fn changed_tools_are_listed_in_both_dialects() {
    let stack = stack("auto").await;
    for server in ["peer", "modern"] {
        let lease = stack.lease(&[server]).await;
        assert!(!has(&*lease, "grown").await);
        ask(&*lease, &format!("{server}.grow"), json!({})).await;
        eventually("the new tool", async || has(&*lease, "grown").await).await;
        let grown = ask(&*lease, &format!("{server}.grown"), json!({})).await;
        assert_eq!(grown.content, "grown", "{server}");
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_stateless_server_that_asks_for_input_is_declined_with_its_state() {
    let stack = stack("auto").await;
    let lease = stack.lease(&["modern"]).await;
    let result = ask(&*lease, "modern.needs_input", json!({})).await;
    assert_eq!((result.is_error, result.content.as_str()), (false, r#""decline" sealed"#));
    stack.drain().await;
}

#[tokio::test]
async fn what_a_session_based_server_asks_for_is_declined_with_a_reason() {
    let stack = stack("auto").await;
    let lease = stack.lease(&["odd"]).await;
    for (method, expected, reason) in [
        ("elicitation/create", "/result/action", "decline"),
        ("elicitation/create", "/result/_meta/reason", "nobody answers"),
        ("sampling/createMessage", "/error/message", "offers no sampling"),
        ("roots/list", "/error/message", "no roots"),
    ] {
        let result = ask(&*lease, "odd.ask", json!({"method": method})).await;
        let reply: Value = serde_json::from_str(&result.content).unwrap();
        let answer = reply.pointer(expected).and_then(Value::as_str).unwrap_or_default();
        assert!(answer.contains(reason), "{method}: {}", result.content);
    }
    stack.drain().await;
}

#[tokio::test]
async fn the_progress_of_a_call_is_published_to_the_viewers_of_its_session() {
    let stack = stack("auto").await;
    let lease = stack.lease(&["odd"]).await;
    let display = DisplayTarget {
        session_id: SessionId::new(),
        stage_id: StageId::new(),
        execution_id: ExecutionId::new(),
        event_id: TimelineEventId::new(),
    };
    let watched = subject::live_session(display.session_id);
    let mut viewer = stack.bus.subscribe(watched).await.unwrap();
    let request =
        ToolCallRequest { display: Some(display), ..call("odd.steps", json!({"steps": 3})) };
    let result = lease.call(request, WAIT).await.unwrap();
    assert_eq!(result.content, "done");
    let first = tokio::time::timeout(WAIT, viewer.next()).await.unwrap().unwrap();
    let progress: Value = serde_json::from_slice(&first.payload).unwrap();
    assert_eq!(progress["type"], "execution.progress");
    assert_eq!(progress["phase"], "tool");
    assert_eq!(progress["event_id"], display.event_id.to_string());
    assert_eq!(progress["execution_id"], display.execution_id.to_string());
    let message = progress["message"].as_str().unwrap();
    assert!(message.contains("of 3"), "{message}");
    assert!(!message.contains("hunter2secret"), "{message}");
    stack.drain().await;
}

#[tokio::test]
async fn arguments_are_converted_or_refused_before_they_are_sent() {
    let stack = stack("auto").await;
    let lease = stack.lease(&["odd"]).await;
    let ask = async |arguments: &str| {
        let request =
            ToolCallRequest { arguments: arguments.to_owned(), ..call("odd.typed", json!({})) };
        lease.call(request, Duration::from_secs(10)).await.unwrap()
    };
    for fits in
        [r#"{"name": "a", "limit": "5"}"#, "name: a, limit: 5", "name: a\nlimit: 5\nmore: [1]"]
    {
        let result = ask(fits).await;
        let given: Value = serde_json::from_str(&result.content).unwrap();
        assert_eq!((&given["name"], &given["limit"]), (&json!("a"), &json!(5)), "{fits}");
    }
    let refused = ask(r#"{"limit": "many"}"#).await;
    assert!(refused.is_error);
    for expected in
        ["'odd.typed' was not made", "`name` is missing", "`limit` must be of type integer"]
    {
        assert!(refused.content.contains(expected), "{}", refused.content);
    }
    stack.drain().await;
}

#[tokio::test]
async fn a_stateless_server_is_shared_unless_it_is_configured_per_execution() {
    let stack = stack("auto").await;
    let (first, second) = (stack.lease(&["modern"]).await, stack.lease(&["modern"]).await);
    let one = ask(&*first, "modern.pid", json!({})).await.content;
    assert_eq!(ask(&*second, "modern.pid", json!({})).await.content, one);
    first.close().await;
    assert_eq!(ask(&*second, "modern.pid", json!({})).await.content, one);
    stack.drain().await;
    assert!(!crate::stack::is_running(&one));
    let stack = self::stack("auto, isolation: per_execution").await;
    let (first, second) = (stack.lease(&["modern"]).await, stack.lease(&["modern"]).await);
    let one = ask(&*first, "modern.pid", json!({})).await.content;
    assert_ne!(ask(&*second, "modern.pid", json!({})).await.content, one);
    stack.drain().await;
}
