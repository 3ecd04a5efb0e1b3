//! Decisions about tool calls, and the acceptance of tools.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_bus::WakeUp;
use tarsy_contracts::mcp::{ToolClass, ToolTerms};
use tarsy_contracts::status::{McpServerStatus, ToolBrief};
use tarsy_contracts::topology;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ApprovalId, SessionId};
use tarsy_domain::status::TimelineStatus;
use tarsy_store::{Batch, Fence, NewApproval, Op};
use tarsy_testkit::{Investigation, a_session, eventually};

use crate::stack::{Stack, send};

/// A session that waits for the approval of a call.
pub(crate) async fn waiting(stack: &Stack) -> (SessionId, ApprovalId) {
    let claim = a_session().running(&stack.store, "owner-1").await.unwrap();
    request(stack, claim.fence).await
}

async fn request(stack: &Stack, fence: Fence) -> (SessionId, ApprovalId) {
    let (work, _) = Investigation::start(&stack.store, fence).await.unwrap();
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
        decided: None,
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
    for name in ["title", "severity", "injected"] {
        assert!(one.get(name).is_some(), "{name}: {one}");
    }

    eventually("the audit log says what was decided", async || {
        let log = stack.get("/api/v1/audit-log?action=decide_approval&outcome=allowed").await.body;
        let Some(entry) = log["entries"].as_array().unwrap().first() else { return false };
        let decided = &entry["decided"];
        assert_eq!(entry["session_id"], json!(session));
        assert_eq!(
            (&decided["tool"], &decided["decision"]),
            (&json!("kubernetes-server.pods_delete"), &json!("approved"))
        );
        assert_eq!(decided["arguments"], json!({"name": "web-1"}));
        log["actions"].as_array().unwrap().contains(&json!("decide_approval"))
    })
    .await;
}

#[tokio::test]
async fn a_session_that_waits_is_listed_so_and_a_decision_wakes_a_worker() {
    let stack = Stack::start().await;
    let claim = a_session().running(&stack.store, "owner-1").await.unwrap();
    let (session, id) = request(&stack, claim.fence).await;
    stack.store.suspend_session(claim.fence, None).await.unwrap();
    let state = stack.get("/api/v1/system/state").await.body["queue"].clone();
    assert_eq!(
        (&state["in_progress"], &state["waiting_for_approval"], &state["leases"]),
        (&json!(0), &json!(1), &json!([]))
    );
    let listed = stack.get("/api/v1/sessions/active").await.body["active"][0].clone();
    assert_eq!(
        (&listed["status"], &listed["waiting_for_approval"]),
        (&json!("in_progress"), &json!(true))
    );
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    assert_eq!(detail["waiting_for_approval"], true);

    let (status, _) = decide(&stack, session, id, json!({"decision": "approve"})).await;
    assert_eq!(status, 200);
    let woken = stack.bus.wake_ups(&topology::SESSION_WORK).wait(Duration::from_mins(1)).await;
    assert_eq!(woken, WakeUp::Received);
    let resumed = stack.store.claim_session("owner-2", Duration::from_mins(1), 1).await.unwrap();
    assert_eq!(resumed.unwrap().fence.session_id, session);
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    assert_eq!(detail["waiting_for_approval"], false);
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
        fault: None,
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
