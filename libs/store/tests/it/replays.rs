//! Records, and sessions that are replayed from them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::recording::{
    RecordedAlert, RecordedCall, RecordedReport, RecordedServer, RecordedUsage, Recording,
};
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::{CallId, InteractionId, SessionId};
use tarsy_domain::status::{SessionOrigin, SessionStatus};
use tarsy_store::{
    Batch, CalledTool, DeliveredResult, NewCall, NewLlmInteraction, NewRecording, NewReplay,
    NewToolList, Op, ReplayOutcome, SessionEnd, SessionSettings,
};

use crate::setup::{Db, Work, call_end, db};

fn tool(name: &str) -> OfferedTool {
    OfferedTool {
        server: "kubernetes-server".to_owned(),
        name: name.to_owned(),
        description: "Lists pods.".to_owned(),
        // Not in the order of the alphabet: models read it as it is.
        input_schema: json!({"type": "object", "properties": {"z": {}, "a": {}}}),
        read_only: true,
        idempotent: false,
    }
}

fn tool_list(work: &Work, tools: Vec<OfferedTool>) -> Op {
    Op::ToolsListed(NewToolList {
        id: InteractionId::new(),
        stage_id: work.stage,
        execution_id: work.execution,
        gateway_instance: None,
        server_name: "kubernetes-server".to_owned(),
        available_tools: Some(json!([{"name": "pods_list"}])),
        description: None,
        duration_ms: None,
        error_message: None,
        tools,
    })
}

/// Makes a call with these arguments, and stores its result.
async fn made(db: &Db, work: &Work, arguments: Value, result: &str) -> NewCall {
    let call = started(db, work, arguments).await;
    let end = Batch::new().with(Op::CallFinished(call_end(&call, result)));
    db.store.commit(work.fence, end).await.unwrap();
    call
}

async fn started(db: &Db, work: &Work, arguments: Value) -> NewCall {
    let event = work.streaming();
    let mut call = work.call(event.id);
    call.call_id = CallId::new();
    call.tool_arguments = arguments;
    let start = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(call.clone()));
    db.store.commit(work.fence, start).await.unwrap();
    call
}

async fn finish(db: &Db, work: &Work) {
    let end = SessionEnd {
        status: SessionStatus::Completed,
        final_analysis: Some("three pods".to_owned()),
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure: None,
        error_message: None,
        failure: None,
    };
    db.store.finish_session(work.fence, end).await.unwrap();
}

fn replay_of(original: SessionId) -> NewReplay {
    NewReplay {
        id: SessionId::new(),
        replay_of: original,
        author: Some("ada".to_owned()),
        principal: None,
        chain_id: "kubernetes".to_owned(),
        settings: SessionSettings::default(),
        config_snapshot: json!({"stages": []}),
        traceparent: None,
        requested_provider: None,
        prompts: BTreeMap::from([("task".to_owned(), "Look.".to_owned())]),
    }
}

#[tokio::test]
async fn a_list_of_tools_is_stored_once_and_shown_with_each_call_that_offered_it() {
    let db = db().await;
    let work = db.working().await;
    let tools = vec![tool("pods_list"), tool("nodes_list")];
    let one = NewLlmInteraction { tools: tools.clone(), ..work.llm(None) };
    let mut other = NewLlmInteraction { tools: tools.clone(), ..work.llm(None) };
    other.record.model_version = Some("gpt-5.1-2026-10-01".to_owned());
    other.record.native_tools = vec!["google_search".to_owned()];
    let batch = Batch::new()
        .with(tool_list(&work, tools.clone()))
        .with(Op::LlmInteraction(one))
        .with(Op::LlmInteraction(other.clone()));
    db.store.commit(work.fence, batch).await.unwrap();
    let session = work.fence.session_id;
    let shown = db.store.find_llm_interaction(session, other.id).await.unwrap().unwrap();
    assert_eq!(shown.tools, tools);
    let schema = shown.tools[0].input_schema.to_string();
    assert_eq!(schema, tools[0].input_schema.to_string(), "the order of keys is kept");
    assert_eq!(shown.record.model_version.as_deref(), Some("gpt-5.1-2026-10-01"));
    assert_eq!(shown.record.native_tools, ["google_search"]);
    assert_eq!(shown.record.tarsy_version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    let again = NewLlmInteraction { tools: tools.clone(), ..work.llm(None) };
    let id = again.id;
    db.store.commit(work.fence, Batch::new().with(Op::LlmInteraction(again))).await.unwrap();
    let later = db.store.find_llm_interaction(session, id).await.unwrap().unwrap();
    assert_eq!(later.record.tool_set, shown.record.tool_set);
    assert_eq!(later.tools, tools);
}

#[tokio::test]
async fn the_tokens_of_a_result_and_of_what_was_delivered_are_stored() {
    let db = db().await;
    let work = db.working().await;
    let call = made(&db, &work, json!({}), "three pods").await;
    let delivered = |delivered_tokens| {
        let call_id = call.call_id;
        Op::DeliverResult(DeliveredResult { call_id, result_tokens: 9_000, delivered_tokens })
    };
    db.store.commit(work.fence, Batch::new().with(delivered(700))).await.unwrap();
    let session = work.fence.session_id;
    let shown = db.store.find_mcp_interaction(session, call.id).await.unwrap().unwrap();
    assert_eq!((shown.brief.result_tokens, shown.brief.delivered_tokens), (Some(9_000), Some(700)));
    let open = started(&db, &work, json!({})).await;
    let too_early =
        DeliveredResult { call_id: open.call_id, result_tokens: 1, delivered_tokens: 1 };
    let batch = Batch::new().with(Op::DeliverResult(too_early));
    assert!(db.store.commit(work.fence, batch).await.is_err(), "a call that runs has no result");
}

#[tokio::test]
async fn a_replayed_call_has_the_recorded_result_of_its_place_among_equal_calls() {
    let db = db().await;
    let original = db.working().await;
    let list = Batch::new().with(tool_list(&original, vec![tool("pods_list")]));
    db.store.commit(original.fence, list).await.unwrap();
    for (arguments, result) in [
        (json!({"namespace": "shop", "all": 1}), "first"),
        (json!({"namespace": "bank"}), "bank"),
        (json!({"all": 1.0, "namespace": "shop", "limit": null}), "second"),
    ] {
        made(&db, &original, arguments, result).await;
    }
    let open = started(&db, &original, json!({"namespace": "bank"})).await;
    let not_replayed = db.store.find_recorded_result(open.call_id).await.unwrap();
    assert_eq!(not_replayed, None, "a session that is no replay has no recorded results");
    finish(&db, &original).await;

    let new = replay_of(original.fence.session_id);
    let id = new.id;
    assert!(matches!(db.store.insert_replay(new).await.unwrap(), ReplayOutcome::Inserted(_)));
    let replay = db.begin(db.claim().await.unwrap().fence).await;
    for expected in ["first", "second", "second"] {
        let call = started(&db, &replay, json!({"namespace": "shop", "all": 1})).await;
        let found = db.store.find_recorded_result(call.call_id).await.unwrap().unwrap();
        assert_eq!((found.text.as_str(), found.status), (expected, CallStatus::Completed));
        let end = Batch::new().with(Op::CallFinished(call_end(&call, expected)));
        db.store.commit(replay.fence, end).await.unwrap();
        let over = db.store.find_recorded_result(call.call_id).await.unwrap();
        assert_eq!(over, None, "only calls that wait are answered");
    }
    let unknown = started(&db, &replay, json!({"namespace": "other"})).await;
    assert_eq!(db.store.find_recorded_result(unknown.call_id).await.unwrap(), None);
    let servers = db.store.list_recorded_servers(id).await.unwrap();
    assert_eq!(servers[0].tools, [tool("pods_list")]);
    assert!(db.store.list_recorded_servers(original.fence.session_id).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_replay_makes_a_call_as_often_as_its_original_and_answers_the_rest() {
    let db = db().await;
    let original = db.working().await;
    let list = Batch::new().with(tool_list(&original, vec![tool("pods_list")]));
    db.store.commit(original.fence, list).await.unwrap();
    made(&db, &original, json!({"all": 1}), "first").await;
    let event = original.streaming();
    let mut repeated = original.call(event.id);
    (repeated.call_id, repeated.tool_arguments) = (CallId::new(), json!({"all": 1.0}));
    repeated.answered_from = Some(1);
    let batch = Batch::new()
        .with(Op::OpenEvent(event))
        .with(Op::CallStarted(repeated.clone()))
        .with(Op::CallFinished(call_end(&repeated, "first")));
    db.store.commit(original.fence, batch).await.unwrap();
    let (server_name, tool_name) = (repeated.server_name.as_str(), repeated.tool_name.as_str());
    let arguments = json!({"all": 1});
    let call = CalledTool { server_name, tool_name, arguments: &arguments };
    let earlier = async |execution| {
        let minute = std::time::Duration::from_mins(1);
        let found = db.store.find_earlier_call(execution, call, minute).await.unwrap();
        found.map(|found| (found.number, found.is_recent, found.answered))
    };
    assert_eq!(earlier(original.execution).await, Some((1, true, 1)));
    made(&db, &original, json!({"all": 1}), "second").await;
    assert_eq!(earlier(original.execution).await, Some((3, true, 0)));
    finish(&db, &original).await;

    let new = replay_of(original.fence.session_id);
    assert!(matches!(db.store.insert_replay(new).await.unwrap(), ReplayOutcome::Inserted(_)));
    let replay = db.begin(db.claim().await.unwrap().fence).await;
    assert_eq!(earlier(replay.execution).await, None);
    for (expected, all_are_made) in [("first", false), ("second", true)] {
        let call = started(&db, &replay, json!({"all": 1})).await;
        let found = db.store.find_recorded_result(call.call_id).await.unwrap().unwrap();
        assert_eq!(found.text, expected, "a repetition is no run");
        let end = Batch::new().with(Op::CallFinished(call_end(&call, expected)));
        db.store.commit(replay.fence, end).await.unwrap();
        assert_eq!(earlier(replay.execution).await.map(|found| found.1), Some(all_are_made));
    }
}

#[tokio::test]
async fn a_replay_has_the_alert_and_the_time_of_its_original_and_notifies_nobody() {
    let db = db().await;
    let names = ["slack".to_owned()];
    db.store.register_destinations(&names).await.unwrap();
    let original = db.working().await;
    let running = replay_of(original.fence.session_id);
    let early = db.store.insert_replay(running).await.unwrap();
    assert_eq!(early, ReplayOutcome::NotOver(SessionStatus::InProgress));
    finish(&db, &original).await;
    let new = replay_of(original.fence.session_id);
    let id = new.id;
    db.store.insert_replay(new).await.unwrap();
    let session = db.store.find_session(id).await.unwrap().unwrap();
    let source = db.store.find_session(original.fence.session_id).await.unwrap().unwrap();
    assert_eq!(session.origin, SessionOrigin::Replay);
    assert_eq!(session.replay_of, Some(source.id));
    assert_eq!((session.alert_data, session.received_at), (source.alert_data, source.received_at));
    let prompts = db.store.list_prompt_overrides(id).await.unwrap();
    assert_eq!(prompts.get("task").map(String::as_str), Some("Look."));
    let replay = db.begin(db.claim().await.unwrap().fence).await;
    assert!(db.store.list_unnotified(&names, Some(id), 10).await.unwrap().is_empty());
    finish(&db, &replay).await;
    assert!(db.store.list_unnotified(&names, Some(id), 10).await.unwrap().is_empty());
    let of_original = db.store.list_unnotified(&names, Some(source.id), 10).await.unwrap();
    assert_eq!(of_original.len(), 1);
}

#[tokio::test]
async fn a_session_whose_tools_were_not_stored_is_not_replayed() {
    let db = db().await;
    let old = db.working().await;
    db.store.commit(old.fence, Batch::new().with(tool_list(&old, Vec::new()))).await.unwrap();
    finish(&db, &old).await;
    let outcome = db.store.insert_replay(replay_of(old.fence.session_id)).await.unwrap();
    assert_eq!(outcome, ReplayOutcome::NoTools);
    let unknown = db.store.insert_replay(replay_of(SessionId::new())).await.unwrap();
    assert_eq!(unknown, ReplayOutcome::NotFound);
}

#[tokio::test]
async fn a_record_that_is_brought_in_is_read_back_as_it_was() {
    let db = db().await;
    let call = |number, status, result: &str| RecordedCall {
        number,
        server: "kubernetes-server".to_owned(),
        tool: "pods_list".to_owned(),
        arguments: json!({"namespace": "shop"}),
        status,
        refused_by_policy: false,
        result: result.to_owned(),
    };
    let recording = Recording {
        session_id: SessionId::new(),
        alert: RecordedAlert {
            data: "pods restart".to_owned(),
            alert_type: Some("kubernetes".to_owned()),
            received_at: Timestamp::UNIX_EPOCH,
            runbook_url: None,
            runbook: Some("Look at the pods.".to_owned()),
            fields: AlertFields {
                title: Some("web-1 is down".to_owned()),
                ..AlertFields::default()
            },
            changes: Vec::new(),
            dependencies: Vec::new(),
        },
        chain: json!({"chain_id": "kubernetes"}),
        servers: vec![
            RecordedServer {
                server: "kubernetes-server".to_owned(),
                tools: vec![tool("pods_list")],
                error: None,
            },
            RecordedServer {
                server: "prometheus".to_owned(),
                tools: Vec::new(),
                error: Some("it did not start".to_owned()),
            },
        ],
        calls: vec![
            call(1, CallStatus::Completed, "web-1 restarted"),
            call(2, CallStatus::Failed, "no such namespace"),
        ],
        report: RecordedReport {
            status: SessionStatus::TimedOut,
            final_analysis: Some("web-1".to_owned()),
            executive_summary: None,
            error_message: Some("it took too long".to_owned()),
        },
        usage: RecordedUsage::default(),
    };
    let id = SessionId::new();
    let new = NewRecording {
        id,
        chain_id: "kubernetes".to_owned(),
        author: None,
        principal: None,
        fields: recording.alert.fields.clone(),
        recording: recording.clone(),
    };
    assert_eq!(db.store.insert_recording(new).await.unwrap().len(), 1);
    let found = db.store.find_recording(id).await.unwrap().unwrap();
    let duration_ms = found.usage.duration_ms;
    let usage = RecordedUsage { duration_ms, ..RecordedUsage::default() };
    assert_eq!(found, Recording { session_id: id, usage, ..recording });
    let replay = replay_of(id);
    assert!(matches!(db.store.insert_replay(replay).await.unwrap(), ReplayOutcome::Inserted(_)));
}
