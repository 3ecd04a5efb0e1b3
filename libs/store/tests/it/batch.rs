//! What an owner writes, all or nothing.

use futures::future::join_all;
use serde_json::json;
use tarsy_contracts::event::Event;
use tarsy_domain::event::{CallStatus, Role, TimelineKind};
use tarsy_domain::id::{CallId, ExecutionId, StageId, TimelineEventId};
use tarsy_domain::status::{TimelineStatus, WorkStatus};
use tarsy_store::{
    Batch, Conflict, DeliveredResult, Error, NewCall, Op, ReassignCall, RunbookContent,
};

use crate::setup::{
    Work, call_end, close, db, end_execution, end_stage, new_execution, new_stage, payload,
};

#[tokio::test]
async fn an_empty_batch_writes_nothing() {
    let db = db().await;
    let fence = db.claimed().await.fence;
    assert!(Batch::new().is_empty());
    assert!(db.store.commit(fence, Batch::new()).await.unwrap().is_empty());
    assert_eq!(db.seqs(fence.session_id).await, [1, 2]);
}

#[tokio::test]
async fn an_event_alone_is_written_and_published_as_one_in_a_batch_is() {
    let db = db().await;
    let work = db.working().await;
    let mut event = work.streaming();
    event.content = "so \"far\" \u{1F600} \\ \n".to_owned();
    event.metadata = Some(json!({"a": [1, null]}));
    let alone =
        db.store.commit(work.fence, Batch::new().with(Op::OpenEvent(event.clone()))).await.unwrap();
    let second = work.streaming();
    let pair = Batch::new()
        .with(Op::OpenEvent(second.clone()))
        .with(Op::OpenEvent(work.open(TimelineKind::Error, TimelineStatus::Completed)));
    let pair = db.store.commit(work.fence, pair).await.unwrap();

    // Number 3 is the stage's.
    assert_eq!(
        alone.iter().chain(&pair).map(|committed| committed.seq).collect::<Vec<_>>(),
        [4, 5, 6]
    );
    let committed = payload(&alone[0]);
    assert_eq!(committed["db_event_id"], 4);
    assert_eq!(committed["sequence_number"], 1);
    assert_eq!(committed["content"], event.content);
    assert_eq!(committed["metadata"], json!({"a": [1, null]}));
    assert_eq!(committed["stage_id"], work.stage.to_string());
    assert_eq!(payload(&pair[1])["sequence_number"], 3);
    serde_json::from_str::<Event>(&alone[0].payload).unwrap();

    // The stored events equal the returned ones.
    let stored = db.store.list_events(work.fence.session_id, 3, 10).await.unwrap();
    for (stored, committed) in stored.iter().zip(alone.iter().chain(&pair)) {
        assert_eq!(payload(stored), payload(committed));
        assert_eq!((stored.seq, &stored.kind), (committed.seq, &committed.kind));
    }
    let rows = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.sequence_number).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(rows[0].content, event.content);
    assert_eq!(rows[1].id, second.id);
}

#[tokio::test]
async fn calls_are_stored_as_they_are_published_and_each_event_names_its_call() {
    let db = db().await;
    let work = db.working().await;
    let open = |kind, status| work.open(kind, status);
    let note = open(TimelineKind::Error, TimelineStatus::Completed);
    let bare = open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let mut detailed = open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    detailed.metadata = Some(json!({"arguments": {"query": "$2 \"x\""}}));
    let (first, second) = (work.call(detailed.id), work.call(bare.id));
    let begun = Batch::new()
        .with(Op::OpenEvent(note))
        .with(Op::OpenEvent(detailed.clone()))
        .with(Op::CallStarted(first.clone()))
        .with(Op::OpenEvent(bare))
        .with(Op::CallStarted(second));
    let begun = db.store.commit_calls(work.fence, begun).await.unwrap();
    let end = DeliveredResult { call_id: first.call_id, result_tokens: 9, delivered_tokens: 3 };
    let ended = Batch::new()
        .with(Op::CallFinished(call_end(&first, "fine")))
        .with(Op::CloseEvent(close(&detailed, "fine")))
        .with(Op::DeliverResult(end))
        .with(Op::AppendMessage(work.message(0, Role::Tool, "fine")))
        .with(Op::LlmInteraction(work.llm(None)));
    let ended = db.store.commit(work.fence, ended).await.unwrap();

    let published: Vec<_> = begun.events.iter().chain(&ended).map(payload).collect();
    let before = begun.events[0].seq - 1;
    let stored = db.store.list_events(work.fence.session_id, before, 20).await.unwrap();
    assert_eq!(stored.iter().map(payload).collect::<Vec<_>>(), published);
    assert_eq!(published.len(), 7);
    assert_eq!(begun.first, 1);
    assert_eq!(published[1]["metadata"]["call_number"], 1);
    assert_eq!(published[1]["metadata"]["arguments"]["query"], "$2 \"x\"");
    assert_eq!(published[3]["metadata"], json!({"call_number": 2}));
    let timeline = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    assert_eq!(timeline[0].metadata, None);
    assert_eq!(timeline[1].metadata.as_ref().unwrap()["call_number"], 1);
    assert_eq!(timeline[2].metadata, Some(json!({"call_number": 2})));
    let calls = db.store.list_calls(work.execution).await.unwrap();
    assert_eq!(calls.iter().map(|call| call.call_number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(calls[0].tool_result.as_deref(), Some("fine"));
}

#[tokio::test]
async fn what_begins_may_end_in_the_same_batch() {
    let db = db().await;
    let work = db.working().await;
    let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let call = work.call(event.id);
    let batch = Batch::new()
        .with(Op::OpenEvent(event.clone()))
        .with(Op::CallStarted(call.clone()))
        .with(Op::CallFinished(call_end(&call, "fine")))
        .with(Op::CloseEvent(close(&event, "fine")));
    let committed = db.store.commit(work.fence, batch).await.unwrap();
    let stored = db.store.list_events(work.fence.session_id, 3, 10).await.unwrap();
    assert_eq!(
        stored.iter().map(payload).collect::<Vec<_>>(),
        committed.iter().map(payload).collect::<Vec<_>>()
    );
    let calls = db.store.list_calls(work.execution).await.unwrap();
    assert_eq!((calls.len(), calls[0].status), (1, CallStatus::Completed));
    let timeline = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    assert_eq!((timeline.len(), timeline[0].status), (1, TimelineStatus::Completed));
}

#[tokio::test]
async fn an_event_ends_once_alone_or_among_others() {
    let db = db().await;
    let work = db.working().await;
    let (first, second) = (work.streaming(), work.streaming());
    let open = Batch::new().with(Op::OpenEvent(first.clone())).with(Op::OpenEvent(second.clone()));
    db.store.commit(work.fence, open).await.unwrap();

    let mut ended = close(&first, "whole");
    ended.metadata = Some(json!({"tokens": 3}));
    let batch = Batch::new().with(Op::CloseEvent(ended));
    let committed = db.store.commit(work.fence, batch.clone()).await.unwrap();
    assert_eq!(committed[0].kind, "timeline_event.completed");
    assert_eq!(payload(&committed[0])["content"], "whole");
    assert_eq!(payload(&committed[0])["metadata"], json!({"tokens": 3}));
    let stored =
        db.store.list_events(work.fence.session_id, committed[0].seq - 1, 1).await.unwrap();
    assert_eq!(payload(&stored[0]), payload(&committed[0]));

    let again = db.store.commit(work.fence, batch).await.unwrap_err();
    assert!(matches!(again, Error::Conflict(Conflict::NotOpen { .. })), "{again:?}");
    let both = Batch::new()
        .with(Op::CloseEvent(close(&second, "whole")))
        .with(Op::CloseEvent(close(&first, "other")));
    let error = db.store.commit(work.fence, both).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(Conflict::NotOpen { .. })), "{error:?}");

    let rows = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    assert_eq!((rows[0].status, rows[0].content.as_str()), (TimelineStatus::Completed, "whole"));
    assert_eq!(rows[1].status, TimelineStatus::Streaming);
    // The refused ends took no number.
    let last = db.store.find_last_event_seq(work.fence.session_id).await.unwrap();
    assert_eq!(last, Some(committed[0].seq));
    db.store
        .commit(work.fence, Batch::new().with(Op::CloseEvent(close(&second, ""))))
        .await
        .unwrap();
    let seqs = db.seqs(work.fence.session_id).await;
    assert_eq!(seqs, (1..=committed[0].seq + 1).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_end_of_an_event_is_merged_into_its_metadata() {
    let db = db().await;
    let work = db.working().await;
    for alone in [true, false] {
        let mut event = work.streaming();
        event.metadata = Some(json!({"tool": "pods_list", "n": 1}));
        let mut ended = close(&event, "whole");
        ended.metadata = Some(json!({"n": 2}));
        let mut batch = Batch::new().with(Op::CloseEvent(ended));
        if !alone {
            batch.push(Op::AppendMessage(work.message(1, Role::User, "hello")));
        }
        db.store.commit(work.fence, Batch::new().with(Op::OpenEvent(event.clone()))).await.unwrap();
        db.store.commit(work.fence, batch).await.unwrap();
        let rows = db.store.list_execution_history(work.execution).await.unwrap();
        let row = &rows.iter().find(|row| row.event.id == event.id).unwrap().event;
        assert_eq!(row.metadata, Some(json!({"tool": "pods_list", "n": 2})));
        assert_eq!(row.status, TimelineStatus::Completed);
    }
}

#[tokio::test]
async fn an_end_that_is_no_end_is_refused() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let mut still = close(&event, "");
    still.status = TimelineStatus::Streaming;
    for op in [
        Op::CloseEvent(still),
        Op::EndStage(end_stage(work.stage, 0, "triage", WorkStatus::Active)),
        Op::EndExecution(end_execution(work.execution, WorkStatus::Pending)),
    ] {
        let error = db.store.commit(work.fence, Batch::new().with(op)).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(Conflict::Transition(_))), "{error:?}");
    }
}

#[tokio::test]
async fn one_operation_that_fails_takes_all_others_with_it() {
    let db = db().await;
    let work = db.working().await;
    let before = db.store.find_last_event_seq(work.fence.session_id).await.unwrap();
    let event = work.streaming();
    let batch = Batch::new()
        .with(Op::OpenEvent(event.clone()))
        .with(Op::AppendMessage(work.message(1, Role::System, "you are an SRE")))
        .with(Op::LlmInteraction(work.llm(None)))
        .with(Op::CallStarted(work.call(event.id)))
        .with(Op::EndExecution(end_execution(ExecutionId::new(), WorkStatus::Completed)));
    let error = db.store.commit(work.fence, batch).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(Conflict::NotOpen { what: "execution" })), "{error:?}");
    assert!(db.store.list_timeline(work.fence.session_id, None, None).await.unwrap().is_empty());
    assert!(db.store.list_messages(work.execution).await.unwrap().is_empty());
    assert!(db.store.list_calls(work.execution).await.unwrap().is_empty());
    assert_eq!(db.count("select count(*) from llm_interactions").await, 0);
    assert_eq!(db.store.find_last_event_seq(work.fence.session_id).await.unwrap(), before);
}

#[tokio::test]
async fn what_is_written_already_is_a_conflict_and_not_a_second_row() {
    let db = db().await;
    let work = db.working().await;
    let event = Batch::new().with(Op::OpenEvent(work.streaming()));
    let more = event.clone().with(Op::AppendMessage(work.message(1, Role::User, "hello")));
    let committed = db.store.commit(work.fence, event.clone()).await.unwrap();
    for batch in [event, more] {
        let error = db.store.commit(work.fence, batch).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(Conflict::Exists { .. })), "{error:?}");
        assert_eq!(error.to_string(), "it is written already");
    }
    let last = db.store.find_last_event_seq(work.fence.session_id).await.unwrap();
    assert_eq!(last, Some(committed[0].seq));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_have_no_gap_however_many_write_at_once_and_some_fail() {
    let db = db().await;
    let work = db.working().await;
    db.open(8).await;
    let writers = (0..8).map(|writer| {
        let store = db.store.clone();
        async move {
            for round in 0..12 {
                write_round(&store, work, writer, round).await;
            }
        }
    });
    join_all(writers).await;
    let seqs = db.seqs(work.fence.session_id).await;
    assert!(seqs.len() > 150, "{}", seqs.len());
    let last = i64::try_from(seqs.len()).unwrap();
    assert_eq!(seqs, (1..=last).collect::<Vec<_>>());
    assert_eq!(db.store.find_last_event_seq(work.fence.session_id).await.unwrap(), Some(last));
    let places = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    let expected = 1..=i64::try_from(places.len()).unwrap();
    assert!(places.iter().map(|row| row.sequence_number).eq(expected));
}

/// Some rounds succeed, alone or together; some are refused.
async fn write_round(store: &tarsy_store::Store, work: Work, writer: usize, round: usize) {
    let event = work.streaming();
    let open = Op::OpenEvent(event.clone());
    match (writer + round) % 4 {
        0 | 1 => {
            store.commit(work.fence, Batch::new().with(open)).await.unwrap();
            let ended = Batch::new().with(Op::CloseEvent(close(&event, "whole")));
            store.commit(work.fence, ended).await.unwrap();
        }
        2 => {
            let batch = Batch::new()
                .with(open)
                .with(Op::OpenEvent(work.streaming()))
                .with(Op::OpenEvent(work.open(TimelineKind::Error, TimelineStatus::Completed)));
            store.commit(work.fence, batch).await.unwrap();
        }
        _ => {
            let mut unknown = event.clone();
            unknown.id = TimelineEventId::new();
            let alone = Batch::new().with(Op::CloseEvent(close(&unknown, "")));
            store.commit(work.fence, alone.clone()).await.unwrap_err();
            store.commit(work.fence, alone.with(open)).await.unwrap_err();
        }
    }
}

#[tokio::test]
async fn a_stage_begins_and_ends_once_with_an_event_each() {
    let db = db().await;
    let work = db.working().await;
    let second = StageId::new();
    let execution = ExecutionId::new();
    let batch = Batch::new()
        .with(Op::EndExecution(end_execution(work.execution, WorkStatus::Completed)))
        .with(Op::EndStage(end_stage(work.stage, 0, "triage", WorkStatus::Completed)))
        .with(Op::BeginStage(new_stage(second, 1, "fix")))
        .with(Op::BeginExecution(new_execution(execution, second, 1)));
    let committed = db.store.commit(work.fence, batch).await.unwrap();
    let committed: Vec<_> = committed.iter().map(payload).collect();
    assert_eq!(committed.len(), 2);
    assert_eq!(
        (&committed[0]["status"], &committed[0]["stage_index"]),
        (&json!("completed"), &json!(1))
    );
    assert_eq!(
        (&committed[1]["status"], &committed[1]["stage_index"]),
        (&json!("started"), &json!(2))
    );

    let stages = db.store.list_stages(work.fence.session_id).await.unwrap();
    assert_eq!(stages[0].status, WorkStatus::Completed);
    assert!(stages[0].completed_at.is_some());
    assert_eq!((stages[1].id, stages[1].status), (second, WorkStatus::Active));
    let executions = db.store.list_executions(work.fence.session_id).await.unwrap();
    assert_eq!(executions[0].status, WorkStatus::Completed);
    assert_eq!((executions[1].id, executions[1].status), (execution, WorkStatus::Active));
    let session = db.store.find_session(work.fence.session_id).await.unwrap().unwrap();
    assert_eq!((session.current_stage_index, session.current_stage_id), (Some(1), Some(second)));

    let again = Op::EndStage(end_stage(work.stage, 0, "triage", WorkStatus::Failed));
    let error = db.store.commit(work.fence, Batch::new().with(again)).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(Conflict::NotOpen { what: "stage" })), "{error:?}");
}

#[tokio::test]
async fn a_call_is_written_down_moved_and_finished_once() {
    let db = db().await;
    let work = db.working().await;
    let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let call = work.call(event.id);
    let batch = Batch::new().with(Op::OpenEvent(event.clone())).with(Op::CallStarted(call.clone()));
    let committed = db.store.commit(work.fence, batch).await.unwrap();
    assert_eq!(payload(&committed[1])["interaction_type"], "mcp");
    assert_eq!(payload(&committed[1])["interaction_id"], call.id.to_string());
    assert_eq!(payload(&committed[0])["metadata"], json!({"call_number": 1}));
    assert_eq!(db.store.find_call_number(call.call_id).await.unwrap(), 1);

    let moved = ReassignCall { call_id: call.call_id, gateway_instance: "gateway-2".to_owned() };
    db.store.commit(work.fence, Batch::new().with(Op::ReassignCall(moved.clone()))).await.unwrap();
    let [stored] = &db.store.list_calls(work.execution).await.unwrap()[..] else {
        panic!("one call")
    };
    assert_eq!(stored.status, CallStatus::Started);
    assert_eq!(stored.gateway_instance.as_deref(), Some("gateway-2"));
    assert_eq!(stored.timeline_event_id, Some(event.id));
    assert_eq!(stored.tool_arguments, Some(json!({"namespace": "default"})));

    let mut outcome = call_end(&call, "cut");
    outcome.whole_result = Some("the whole of it".to_owned());
    let finish = Batch::new()
        .with(Op::CallFinished(outcome))
        .with(Op::CloseEvent(close(&event, "cut")))
        .with(Op::AppendMessage(work.message(1, Role::Tool, "cut")));
    db.store.commit(work.fence, finish).await.unwrap();
    let [stored] = &db.store.list_calls(work.execution).await.unwrap()[..] else {
        panic!("one call")
    };
    assert_eq!(stored.status, CallStatus::Completed);
    assert_eq!(stored.tool_result.as_deref(), Some("cut"));
    let whole =
        db.store.find_mcp_interaction(work.fence.session_id, call.id).await.unwrap().unwrap();
    assert_eq!(whole.tool_result.as_deref(), Some("the whole of it"));
    let session = db.store.find_session(work.fence.session_id).await.unwrap().unwrap();
    assert!(session.last_interaction_at.is_some());

    for op in [Op::CallFinished(call_end(&call, "again")), Op::ReassignCall(moved)] {
        let error = db.store.commit(work.fence, Batch::new().with(op)).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(Conflict::NotOpen { .. })), "{error:?}");
    }
}

#[tokio::test]
async fn many_calls_and_messages_go_in_one_batch() {
    let db = db().await;
    let work = db.working().await;
    let mut batch = Batch::new();
    for number in 1..=5 {
        let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
        let mut call = work.call(event.id);
        call.tool_call_id = format!("call_{number}");
        batch.push(Op::OpenEvent(event));
        batch.push(Op::CallStarted(call));
        let mut message = work.message(number, Role::Assistant, "calls");
        message.tool_calls = Some(json!([{"id": format!("call_{number}")}]));
        message.provider_state = Some(vec![0, 1, 255]);
        batch.push(Op::AppendMessage(message));
    }
    assert_eq!(batch.len(), 15);
    let committed = db.store.commit(work.fence, batch).await.unwrap();
    let kinds: Vec<_> = committed.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(
        kinds[..4],
        [
            "timeline_event.created",
            "interaction.created",
            "timeline_event.created",
            "interaction.created"
        ]
    );
    let calls = db.store.list_calls(work.execution).await.unwrap();
    let names: Vec<_> = calls.iter().filter_map(|call| call.tool_call_id.as_deref()).collect();
    assert_eq!(names, ["call_1", "call_2", "call_3", "call_4", "call_5"]);
    assert!(calls.iter().map(|call| call.call_number).eq(1..=5));
    let events = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    for (event, call) in events.iter().zip(&calls) {
        assert_eq!(call.timeline_event_id, Some(event.id));
        assert_eq!(event.metadata, Some(json!({"call_number": call.call_number})));
    }
    let messages = db.store.list_messages(work.execution).await.unwrap();
    assert_eq!(messages.len(), 5);
    assert_eq!(messages[4].tool_calls, Some(json!([{"id": "call_5"}])));
    assert_eq!(messages[4].provider_state, Some(vec![0, 1, 255]));
}

#[tokio::test]
async fn text_with_a_nul_character_is_stored_without_it() {
    let db = db().await;
    let work = db.working().await;
    let mut event = work.streaming();
    event.content = "a\0b".to_owned();
    event.metadata = Some(json!({"x": "\0"}));
    let mut call = work.llm(None);
    call.llm_response = json!({"text": ["\0"]});
    let batch = Batch::new()
        .with(Op::OpenEvent(event))
        .with(Op::LlmInteraction(call))
        .with(Op::AppendMessage(work.message(1, Role::Tool, "\0")));
    db.store.commit(work.fence, batch).await.unwrap();
    let rows = db.store.list_timeline(work.fence.session_id, None, None).await.unwrap();
    assert_eq!(rows[0].content, "a\u{fffd}b");
}

#[tokio::test]
async fn an_owner_writes_to_its_own_session_only() {
    let db = db().await;
    let (one, other) = (db.working().await, db.working().await);
    let event = one.streaming();
    db.store.commit(one.fence, Batch::new().with(Op::OpenEvent(event.clone()))).await.unwrap();
    for op in [
        Op::CloseEvent(close(&event, "mine")),
        Op::EndStage(end_stage(one.stage, 0, "triage", WorkStatus::Failed)),
        Op::EndExecution(end_execution(one.execution, WorkStatus::Failed)),
    ] {
        let error = db.store.commit(other.fence, Batch::new().with(op)).await.unwrap_err();
        assert!(matches!(error, Error::Conflict(Conflict::NotOpen { .. })), "{error:?}");
    }
}

#[tokio::test]
async fn a_call_that_was_refused_takes_no_number_and_another_owner_counts_on() {
    let db = db().await;
    let work = db.working().await;
    let note = |call: NewCall| {
        let batch = Batch::new().with(Op::CallStarted(call));
        db.store.commit(work.fence, batch)
    };
    let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let (first, second) = (work.call(event.id), work.call(event.id));
    let opened = Batch::new().with(Op::OpenEvent(event)).with(Op::CallStarted(first.clone()));
    db.store.commit(work.fence, opened).await.unwrap();
    let error = note(first.clone()).await.unwrap_err();
    assert!(matches!(error, Error::Conflict(Conflict::Exists { .. })), "{error:?}");
    let batch = Batch::new().with(Op::CallStarted(second.clone()));
    let committed = db.store.commit_calls(work.fence, batch).await.unwrap();
    assert_eq!(committed.first, 2);
    assert_eq!(db.store.find_call_number(second.call_id).await.unwrap(), 2);
    let error = db.store.find_call_number(CallId::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no such tool call");
}

#[tokio::test]
async fn a_runbook_is_kept_with_its_session() {
    let db = db().await;
    let fence = db.claimed().await.fence;
    let keep = |text: Option<&str>, error: Option<&str>| {
        Batch::new().with(Op::SetRunbook(RunbookContent {
            text: text.map(str::to_owned),
            error: error.map(str::to_owned),
        }))
    };
    assert!(db.store.commit(fence, keep(Some("Look\0."), None)).await.unwrap().is_empty());
    let session = db.store.find_session(fence.session_id).await.unwrap().unwrap();
    assert_eq!(session.runbook.as_deref(), Some("Look\u{fffd}."));
    db.store.commit(fence, keep(None, Some("answered 404"))).await.unwrap();
    let session = db.store.find_session(fence.session_id).await.unwrap().unwrap();
    assert_eq!((session.runbook, session.runbook_error.as_deref()), (None, Some("answered 404")));
}
