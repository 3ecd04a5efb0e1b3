//! Leases of sessions that are replayed: the record answers, and no server is reached.

use serde_json::{Value, json};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::recording::{
    RecordedAlert, RecordedCall, RecordedReport, RecordedServer, RecordedUsage, Recording,
};
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::id::{CallId, SessionId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_mcp_gateway::Records;
use tarsy_store::{Batch, NewRecording, NewReplay, Op, SessionSettings, Store};
use tarsy_testkit::{Investigation, TestPg, WAIT};
use tarsy_tools::{Caller, OpenToolbox, ServerGrant, ToolCallRequest, ToolLease, Toolbox as _};

use crate::stack::{GatewayOptions, Stack, lines, processes};

fn tool(name: &str) -> OfferedTool {
    OfferedTool {
        server: "peer".to_owned(),
        name: name.to_owned(),
        description: "As it was recorded.".to_owned(),
        input_schema: json!({"type": "object"}),
        read_only: false,
        idempotent: false,
    }
}

fn call(number: i64, arguments: Value, status: CallStatus, result: &str) -> RecordedCall {
    RecordedCall {
        number,
        server: "peer".to_owned(),
        tool: "counter".to_owned(),
        arguments,
        status,
        refused_by_policy: false,
        result: result.to_owned(),
    }
}

/// A replay of a session that called `peer.counter` twice; the second call failed.
async fn replay(store: &Store, file: &str) -> Investigation {
    let recording = Recording {
        session_id: SessionId::new(),
        alert: RecordedAlert {
            data: "it counts".to_owned(),
            alert_type: None,
            received_at: "1970-01-01T00:00:00Z".parse().unwrap(),
            runbook_url: None,
            runbook: None,
            fields: AlertFields::default(),
            changes: Vec::new(),
            dependencies: Vec::new(),
        },
        chain: json!({}),
        servers: vec![
            RecordedServer {
                server: "peer".to_owned(),
                tools: vec![tool("counter"), tool("echo")],
                error: None,
            },
            RecordedServer {
                server: "away".to_owned(),
                tools: Vec::new(),
                error: Some("it did not start".to_owned()),
            },
        ],
        calls: vec![
            call(1, json!({"file": file, "ms": 1}), CallStatus::Completed, "counted: é\n 1 "),
            call(2, json!({"file": "/none"}), CallStatus::Failed, "no such file"),
        ],
        report: RecordedReport {
            status: SessionStatus::Completed,
            final_analysis: None,
            executive_summary: None,
            error_message: None,
        },
        usage: RecordedUsage::default(),
    };
    let original = SessionId::new();
    let chain_id = "c".to_owned();
    let new = NewRecording {
        id: original,
        chain_id: chain_id.clone(),
        author: None,
        principal: None,
        fields: AlertFields::default(),
        recording,
    };
    store.insert_recording(new).await.unwrap();
    let new = NewReplay {
        id: SessionId::new(),
        replay_of: original,
        author: None,
        principal: None,
        chain_id,
        settings: SessionSettings::default(),
        config_snapshot: json!({}),
        traceparent: None,
        requested_provider: None,
        prompts: std::collections::BTreeMap::new(),
    };
    store.insert_replay(new).await.unwrap();
    let claim = store.claim_session("owner-1", WAIT, 10).await.unwrap().unwrap();
    Investigation::start(store, claim.fence).await.unwrap().0
}

/// Stores a call as its owner does before it is sent.
async fn stored(store: &Store, work: &Investigation, arguments: &Value) -> ToolCallRequest {
    let event = work.event(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let mut new = work.tool_call(event.id);
    new.call_id = CallId::new();
    new.server_name = "peer".to_owned();
    new.tool_name = "counter".to_owned();
    new.tool_arguments = arguments.clone();
    let batch = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(new.clone()));
    store.commit(work.fence, batch).await.unwrap();
    ToolCallRequest {
        call_id: new.call_id,
        name: "peer.counter".to_owned(),
        arguments: arguments.to_string(),
        display: None,
        permit: None,
    }
}

async fn lease(stack: &Stack, work: &Investigation) -> Box<dyn ToolLease> {
    let grant = |server: &str, tools: Option<&str>| ServerGrant {
        server: server.to_owned(),
        tools: tools.map(|tool| vec![tool.to_owned()]),
    };
    let request = OpenToolbox {
        session_id: work.session_id(),
        execution_id: work.execution,
        servers: vec![grant("peer", Some("counter")), grant("away", None), grant("new", None)],
        caller: Caller::Replay,
        timeout: WAIT,
    };
    stack.toolbox.open(request).await.unwrap()
}

#[tokio::test]
async fn recorded_results_are_served_and_no_tool_is_executed() {
    let pg = TestPg::granted().await.unwrap();
    let store = Store::connect(pg.url(), 4).await.unwrap();
    let records = Some(Records::new(&pg.url_as("mcp-gateway")));
    let stack = Stack::with(GatewayOptions { records, ..GatewayOptions::default() }).await;
    let file = stack.file("counted");
    let work = replay(&store, &file.display().to_string()).await;

    let lease = lease(&stack, &work).await;
    let names: Vec<_> = lease.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["counter"], "only what the lease grants");
    assert_eq!(lease.tools()[0].description, "As it was recorded.");
    let failed: Vec<_> = lease.failed().iter().map(|one| one.error.as_str()).collect();
    assert_eq!(failed[0], "it did not start");
    assert!(failed[1].starts_with("not recorded"), "{failed:?}");

    let recorded = stored(&store, &work, &json!({"ms": 1, "file": file})).await;
    let result = lease.call(recorded.clone(), WAIT).await.unwrap();
    assert_eq!((result.content.as_str(), result.is_error), ("counted: é\n 1 ", false));
    let again = lease.call(recorded, WAIT).await.unwrap();
    assert_eq!(again.content, result.content, "a repeated request joins its call");
    let failing = stored(&store, &work, &json!({"file": "/none"})).await;
    let result = lease.call(failing, WAIT).await.unwrap();
    assert_eq!((result.content.as_str(), result.is_error), ("no such file", true));
    let unknown = stored(&store, &work, &json!({"file": file, "ms": 2})).await;
    let result = lease.call(unknown, WAIT).await.unwrap();
    assert!(result.is_error && result.content.starts_with("not recorded"), "{}", result.content);

    assert_eq!(lines(&file), 0);
    assert_eq!(processes(&stack.folder), 0, "no server was started");
    stack.drain().await;
}

#[tokio::test]
async fn a_gateway_without_a_database_refuses_replays() {
    let stack = Stack::start().await;
    let request = OpenToolbox {
        session_id: SessionId::new(),
        execution_id: tarsy_domain::id::ExecutionId::new(),
        servers: vec![ServerGrant { server: "peer".to_owned(), tools: None }],
        caller: Caller::Replay,
        timeout: WAIT,
    };
    let error = stack.toolbox.open(request).await.err().unwrap().to_string();
    assert!(error.contains("DATABASE_URL"), "{error}");
    assert_eq!(processes(&stack.folder), 0);
    stack.drain().await;
}
