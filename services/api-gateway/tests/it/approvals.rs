//! Decisions about tool calls, and the acceptance of tools.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_contracts::mcp::{ToolClass, ToolTerms};
use tarsy_contracts::status::{McpServerStatus, ToolBrief};
use tarsy_contracts::topology;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ApprovalId, SessionId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{Batch, NewApproval, Op};
use tarsy_testkit::{Investigation, a_session};

use crate::stack::{Stack, send};

/// A session that waits for the approval of a call.
pub(crate) async fn waiting(stack: &Stack) -> (SessionId, ApprovalId) {
    let claim = a_session().running(&stack.store, "owner-1").await.unwrap();
    let (work, _) = Investigation::start(&stack.store, claim.fence).await.unwrap();
    let shown = work.event(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let asked = work.event(TimelineKind::ToolApproval, TimelineStatus::Streaming);
    let call = work.tool_call(shown.id);
    let id = ApprovalId::new();
    let request = NewApproval {
        id,
        execution_id: work.execution,
        call_id: call.call_id,
        timeline_event_id: asked.id,
        server_name: "kubernetes-server".to_owned(),
        tool_name: "pods_delete".to_owned(),
        tool_arguments: json!({"name": "web-1"}),
        definition: "0".repeat(64),
        reason: "it may change something".to_owned(),
        timeout: Duration::from_mins(10),
    };
    let batch = Batch::new()
        .with(Op::OpenEvent(shown))
        .with(Op::CallStarted(call))
        .with(Op::OpenEvent(asked))
        .with(Op::RequestApproval(request));
    stack.store.commit(work.fence, batch).await.unwrap();
    (work.session_id(), id)
}

async fn decide(stack: &Stack, session: SessionId, id: ApprovalId, body: Value) -> (u16, Value) {
    let path = format!("/api/v1/sessions/{session}/approvals/{id}");
    let answer = send(stack.request(Method::POST, &path).json(&body)).await;
    (answer.status.as_u16(), answer.body)
}

#[tokio::test]
async fn a_call_that_waits_is_listed_and_decided_once() {
    let stack = Stack::start().await;
    let (session, id) = waiting(&stack).await;
    let listed = stack.get("/api/v1/approvals").await.body["approvals"].clone();
    let one = listed.as_array().unwrap().iter().find(|one| one["id"] == json!(id)).unwrap();
    assert_eq!((&one["session_id"], &one["tool_name"]), (&json!(session), &json!("pods_delete")));
    assert_eq!((&one["arguments"], &one["decision"]), (&json!({"name": "web-1"}), &Value::Null));

    let (status, problem) = decide(&stack, session, id, json!({"decision": "maybe"})).await;
    assert_eq!(status, 400, "{problem}");
    let (status, _) = decide(&stack, SessionId::new(), id, json!({"decision": "deny"})).await;
    assert_eq!(status, 404, "an approval belongs to its session");
    let (status, decided) = decide(&stack, session, id, json!({"decision": "approve"})).await;
    assert_eq!((status, &decided["decision"]), (200, &json!("approved")), "{decided}");
    assert!(decided["decided_by"].is_string());
    let (status, problem) = decide(&stack, session, id, json!({"decision": "deny"})).await;
    assert_eq!(status, 409, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("approved already"), "{problem}");
}

#[tokio::test]
async fn accepted_tools_are_compared_with_the_current_list() {
    let stack = Stack::start().await;
    let tool = |name: &str, definition: &str| ToolBrief {
        name: name.to_owned(),
        description: String::new(),
        input_schema: None,
        read_only: false,
        idempotent: false,
        terms: ToolTerms {
            class: ToolClass::Write,
            reason: "its name has the word 'restart'".to_owned(),
            definition: definition.repeat(64),
            ..ToolTerms::default()
        },
    };
    let status = McpServerStatus {
        id: "host".to_owned(),
        healthy: true,
        last_check: SystemClock.now(),
        tools: vec![tool("same", "a"), tool("changed", "b"), tool("new", "c")],
        error: None,
        not_configured: false,
    };
    stack.bus.kv(&topology::MCP_STATUS).put("host", &status).await.unwrap();
    let path = "/api/v1/system/mcp-servers/host/accept";
    let accept = async |body: Value| {
        send(stack.request(Method::POST, path).json(&body)).await.status.as_u16()
    };
    assert_eq!(accept(json!({"tools": {"same": "short"}})).await, 400);
    assert_eq!(accept(json!({"tools": {}})).await, 400);
    let tools = json!({"tools": {"same": "a".repeat(64), "changed": "0".repeat(64)}});
    assert_eq!(accept(tools).await, 204);
    let servers = stack.get("/api/v1/system/mcp-servers").await.body["servers"].clone();
    let host = servers.as_array().unwrap().iter().find(|server| server["id"] == "host").unwrap();
    assert_eq!((&host["accepted"], &host["policy_mode"]), (&json!(true), &json!("enforce")));
    let pins: Vec<&Value> =
        host["tools"].as_array().unwrap().iter().map(|one| &one["pin"]).collect();
    assert_eq!(pins, ["accepted", "changed", "new"]);
    assert_eq!(host["tools"][0]["class"], "write");
}
