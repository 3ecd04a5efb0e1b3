//! What a new owner finds and repairs.

use serde_json::json;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::InteractionId;
use tarsy_domain::status::{TimelineStatus, WorkStatus};
use tarsy_store::{Batch, NewToolList, Op};

use crate::setup::{close, db, payload};

#[tokio::test]
async fn what_was_streaming_is_interrupted_but_not_a_call_that_may_still_run() {
    let db = db().await;
    let work = db.working().await;
    let mut text = work.streaming();
    text.content = "so far".to_owned();
    text.metadata = Some(json!({"model": "offline"}));
    let done = work.streaming();
    let running = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let orphan = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let batch = Batch::new()
        .with(Op::OpenEvent(text.clone()))
        .with(Op::OpenEvent(done.clone()))
        .with(Op::OpenEvent(running.clone()))
        .with(Op::OpenEvent(orphan.clone()))
        .with(Op::CallStarted(work.call(running.id)))
        .with(Op::CloseEvent(close(&done, "whole")));
    let committed = db.store.commit(work.fence, batch).await.unwrap();
    let before = committed.last().unwrap().seq;

    db.expire(work.fence.session_id).await;
    let fence = db.claim().await.unwrap().fence;
    let committed = db.store.interrupt_streaming(fence).await.unwrap();
    assert_eq!(
        committed.iter().map(|event| event.seq).collect::<Vec<_>>(),
        [before + 1, before + 2]
    );
    let first = payload(&committed[0]);
    assert_eq!(first["event_id"], text.id.to_string());
    assert_eq!(first["status"], "failed");
    assert_eq!(first["content"], "so far");
    assert_eq!(first["metadata"], json!({"model": "offline", "interrupted": true}));
    assert_eq!(payload(&committed[1])["event_id"], orphan.id.to_string());

    let rows = db.store.list_execution_history(work.execution).await.unwrap();
    let statuses: Vec<_> = rows.iter().map(|row| row.event.status).collect();
    assert_eq!(
        statuses,
        [
            TimelineStatus::Failed,
            TimelineStatus::Completed,
            TimelineStatus::Streaming,
            TimelineStatus::Failed
        ]
    );
    let calls = db.store.list_calls(work.execution).await.unwrap();
    assert_eq!(calls[0].status, CallStatus::Started);
    assert!(db.store.interrupt_streaming(fence).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_session_with_a_tool_call_has_one_and_others_do_not() {
    let db = db().await;
    let (work, other) = (db.working().await, db.working().await);
    let list = NewToolList {
        id: InteractionId::new(),
        stage_id: work.stage,
        execution_id: work.execution,
        gateway_instance: None,
        server_name: "host".to_owned(),
        available_tools: Some(json!([])),
        description: None,
        duration_ms: None,
        error_message: None,
        tools: Vec::new(),
    };
    db.store.commit(work.fence, Batch::new().with(Op::ToolsListed(list))).await.unwrap();
    assert!(!db.store.has_tool_calls(work.fence.session_id).await.unwrap(), "a list is no call");
    let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let batch =
        Batch::new().with(Op::OpenEvent(event.clone())).with(Op::CallStarted(work.call(event.id)));
    db.store.commit(work.fence, batch).await.unwrap();
    assert!(db.store.has_tool_calls(work.fence.session_id).await.unwrap());
    assert!(!db.store.has_tool_calls(other.fence.session_id).await.unwrap());
}

#[tokio::test]
async fn a_conversation_is_read_back_in_its_order() {
    let db = db().await;
    let work = db.working().await;
    let mut answer = work.message(3, Role::Tool, "three pods");
    answer.tool_call_id = Some("call_1".to_owned());
    answer.tool_name = Some("pods_list".to_owned());
    let batch = Batch::new()
        .with(Op::AppendMessage(answer))
        .with(Op::AppendMessage(work.message(1, Role::System, "you are an SRE")))
        .with(Op::AppendMessage(work.message(2, Role::User, "why")));
    assert!(db.store.commit(work.fence, batch).await.unwrap().is_empty());
    let messages = db.store.list_messages(work.execution).await.unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Tool]);
    assert_eq!(messages[2].tool_call_id.as_deref(), Some("call_1"));
    assert_eq!(messages[2].tool_name.as_deref(), Some("pods_list"));
}

#[tokio::test]
async fn stages_and_executions_are_as_they_were_begun() {
    let db = db().await;
    let work = db.working().await;
    let stages = db.store.list_stages(work.fence.session_id).await.unwrap();
    assert_eq!(stages.len(), 1);
    assert_eq!((stages[0].id, stages[0].stage_index), (work.stage, 0));
    assert_eq!(stages[0].status, WorkStatus::Active);
    assert_eq!(stages[0].success_policy.as_deref(), Some("any"));
    assert!(stages[0].started_at.is_some() && stages[0].completed_at.is_none());
    let executions = db.store.list_executions(work.fence.session_id).await.unwrap();
    assert_eq!((executions[0].id, executions[0].stage_id), (work.execution, work.stage));
    assert_eq!(executions[0].agent_name, "KubernetesAgent-1");
    assert_eq!(executions[0].llm_provider.as_deref(), Some("offline"));
}

#[tokio::test]
async fn a_word_that_the_program_does_not_know_is_an_inconsistency_and_no_panic() {
    let db = db().await;
    let work = db.working().await;
    sqlx::raw_sql(
        "alter table stages drop constraint stages_status_check;
         update stages set status = 'dreaming'",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    let error = db.store.list_stages(work.fence.session_id).await.unwrap_err();
    assert!(matches!(error, tarsy_store::Error::Inconsistent { table: "stages" }), "{error:?}");
}

#[tokio::test]
async fn timeouts_are_counted_since_the_last_turn_that_was_kept() {
    let db = db().await;
    let work = db.working().await;
    let turn = async |provider: &str, error: Option<&str>, timed_out: bool| {
        let mut turn = work.llm(None);
        provider.clone_into(&mut turn.provider);
        turn.error_message = error.map(str::to_owned);
        turn.timed_out = timed_out;
        db.store.commit(work.fence, Batch::new().with(Op::LlmInteraction(turn))).await.unwrap();
        db.store.count_consecutive_timeouts(work.execution, "one").await.unwrap()
    };
    assert_eq!(db.store.count_consecutive_timeouts(work.execution, "one").await.unwrap(), 0);
    assert_eq!(turn("one", Some("late"), true).await, 1);
    assert_eq!(turn("one", Some("refused"), false).await, 1, "a refusal says nothing about time");
    assert_eq!(turn("two", Some("late"), true).await, 1, "another provider has its own count");
    for late in [false, true] {
        let mut summary = work.llm(None);
        "one".clone_into(&mut summary.provider);
        summary.kind = LlmInteractionKind::Summarization;
        summary.timed_out = late;
        summary.error_message = late.then(|| "late".to_owned());
        db.store.commit(work.fence, Batch::new().with(Op::LlmInteraction(summary))).await.unwrap();
    }
    assert_eq!(turn("one", Some("late"), true).await, 2, "a summary is no turn, late or not");
    assert_eq!(turn("two", None, false).await, 0);
    assert_eq!(turn("one", Some("late"), true).await, 1);
    let other = tarsy_domain::id::ExecutionId::new();
    assert_eq!(db.store.count_consecutive_timeouts(other, "one").await.unwrap(), 0);
}
