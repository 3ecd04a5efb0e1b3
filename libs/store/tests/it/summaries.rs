//! Summaries: asked for under a session's fence, made under one of their own.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::event::{LlmInteractionKind, SummaryStatus, TimelineKind};
use tarsy_domain::id::{CallId, SummaryId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{
    AbandonedSummary, Batch, Error, NewLlmInteraction, NewSummary, Op, SummaryClaim, SummaryEnd,
    SummaryUsage,
};

use crate::setup::{Db, LEASE, Work, call_end, close, db, end, payload};

const WHOLE: &str = "the whole result, which is long";

/// A call that is finished, whose result wants to be summarized.
async fn asked(db: &Db) -> (Work, CallId, SummaryId) {
    let work = db.working().await;
    let event = work.open(TimelineKind::LlmToolCall, TimelineStatus::Streaming);
    let call = work.call(event.id);
    let mut answer = call_end(&call, "the whole");
    answer.whole_result = Some(WHOLE.to_owned());
    let id = SummaryId::new();
    let batch = Batch::new()
        .with(Op::OpenEvent(event.clone()))
        .with(Op::CallStarted(call.clone()))
        .with(Op::CallFinished(answer))
        .with(Op::CloseEvent(EndTimelineEvent {
            kind: TimelineKind::LlmToolCall,
            ..close(&event, "the whole")
        }))
        .with(Op::RequestSummary(NewSummary {
            id,
            call_id: call.call_id,
            request: json!({"tool_name": "logs"}),
        }));
    db.store.commit(work.fence, batch).await.unwrap();
    (work, call.call_id, id)
}

fn so_far() -> AbandonedSummary {
    AbandonedSummary { status: TimelineStatus::TimedOut, text: Some("so far".to_owned()) }
}

async fn claim(db: &Db) -> Option<SummaryClaim> {
    db.store.claim_summary("summarizer-1", LEASE).await.unwrap()
}

async fn lose(db: &Db, id: SummaryId) {
    sqlx::query(
        "update summaries set lease_expires_at = now() - interval '1 second' where id = $1",
    )
    .bind(id.uuid())
    .execute(&db.raw)
    .await
    .unwrap();
}

fn streaming(work: &Work) -> NewTimelineEvent {
    work.open(TimelineKind::McpToolSummary, TimelineStatus::Streaming)
}

fn text(work: &Work, event: &NewTimelineEvent, text: &str) -> SummaryEnd {
    let mut record = work.llm(None);
    record.kind = LlmInteractionKind::Summarization;
    SummaryEnd {
        summary: Some(text.to_owned()),
        error: None,
        batch: Batch::new().with(Op::LlmInteraction(record)).with(Op::CloseEvent(
            EndTimelineEvent { kind: TimelineKind::McpToolSummary, ..close(event, text) },
        )),
    }
}

#[tokio::test]
async fn a_summary_is_handed_out_once_with_the_whole_result() {
    let db = db().await;
    let (work, call, id) = asked(&db).await;
    assert_eq!(db.store.count_claimable_summaries().await.unwrap(), 1);
    let found = claim(&db).await.unwrap();
    assert_eq!((found.fence.summary_id, found.fence.session_id), (id, work.fence.session_id));
    assert_eq!(found.result, WHOLE);
    assert_eq!(found.request, json!({"tool_name": "logs"}));
    assert_eq!(found.attempts, 1);
    assert_eq!(claim(&db).await, None);
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!((row.id, row.status, row.summary), (id, SummaryStatus::InProgress, None));
    assert_eq!(db.store.find_summary(CallId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn a_finished_summary_returns_its_record_and_is_never_made_again() {
    let db = db().await;
    let (work, call, _) = asked(&db).await;
    let session = work.fence.session_id;
    assert_eq!(db.store.find_usage(session).await.unwrap().pending_summaries, [call]);
    let fence = claim(&db).await.unwrap().fence;
    assert_eq!(db.store.find_usage(session).await.unwrap().pending_summaries, [call]);
    let event = streaming(&work);
    let opened = db.store.open_summary_event(fence, event.clone()).await.unwrap();
    assert_eq!(payload(&opened[0])["event_type"], "mcp_tool_summary");
    let committed =
        db.store.finish_summary(fence, text(&work, &event, "all is well")).await.unwrap();
    let kinds: Vec<_> = committed.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["interaction.created", "timeline_event.completed"]);
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!(
        (row.status, row.summary.as_deref()),
        (SummaryStatus::Completed, Some("all is well"))
    );
    let used = SummaryUsage {
        llm_calls: 1,
        input_tokens: 100,
        output_tokens: 20,
        total_tokens: 120,
        ..SummaryUsage::default()
    };
    assert_eq!(row.usage, used);
    assert!(db.store.find_usage(session).await.unwrap().pending_summaries.is_empty());
    assert_eq!(claim(&db).await, None);
    let again = db.store.finish_summary(fence, text(&work, &event, "twice")).await;
    assert!(matches!(again, Err(Error::Fenced { .. })), "{again:?}");
    let seqs = db.seqs(work.fence.session_id).await;
    assert_eq!(seqs, (1..=i64::try_from(seqs.len()).unwrap()).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_history_of_a_call_has_the_summary_that_was_finished() {
    let db = db().await;
    let (work, _, id) = asked(&db).await;
    let before = db.store.list_history(work.fence.session_id).await.unwrap();
    let call = before[0].call.as_ref().unwrap();
    assert_eq!((call.number, call.summary.as_deref()), (1, None));
    assert!(call.arguments.is_some());
    let lost = claim(&db).await.unwrap().fence;
    db.store.open_summary_event(lost, streaming(&work)).await.unwrap();
    lose(&db, id).await;
    let fence = claim(&db).await.unwrap().fence;
    let event = streaming(&work);
    db.store.open_summary_event(fence, event.clone()).await.unwrap();
    db.store.finish_summary(fence, text(&work, &event, "all is well")).await.unwrap();
    let history = db.store.list_execution_history(work.execution).await.unwrap();
    assert_eq!(history, db.store.list_history(work.fence.session_id).await.unwrap());
    let kinds: Vec<_> = history.iter().map(|one| (one.event.kind, one.event.status)).collect();
    let summary = TimelineKind::McpToolSummary;
    assert_eq!(
        kinds,
        [
            (TimelineKind::LlmToolCall, TimelineStatus::Completed),
            (summary, TimelineStatus::Failed),
            (summary, TimelineStatus::Completed),
        ]
    );
    let call = history[0].call.as_ref().unwrap();
    assert_eq!(call.summary.as_deref(), Some("all is well"));
    assert!(history[1].call.is_none() && history[2].call.is_none());
}

#[tokio::test]
async fn every_attempt_is_counted_once_whoever_made_it_and_however_it_ends() {
    let db = db().await;
    let (work, call, id) = asked(&db).await;
    let session = work.fence.session_id;
    let before = db.store.find_usage(session).await.unwrap();
    let tried = || NewLlmInteraction { total_tokens: Some(7), ..work.llm(None) };
    let lost = claim(&db).await.unwrap().fence;
    let committed = db.store.add_summary_usage(lost, tried()).await.unwrap();
    assert_eq!(
        committed.iter().map(|one| one.kind.as_str()).collect::<Vec<_>>(),
        ["interaction.created"]
    );
    // Whoever reads it now counts the whole cost at the end.
    assert_eq!(db.store.find_usage(session).await.unwrap(), before);
    lose(&db, id).await;
    let fence = claim(&db).await.unwrap().fence;
    let late = db.store.add_summary_usage(lost, tried()).await;
    assert!(matches!(late, Err(Error::Fenced { .. })), "{late:?}");
    db.store.add_summary_usage(fence, tried()).await.unwrap();
    let known = SummaryUsage {
        llm_calls: 2,
        input_tokens: 200,
        output_tokens: 40,
        total_tokens: 14,
        ..SummaryUsage::default()
    };
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!(row.usage, known);
    db.store.abandon_summary(work.fence, id, "it took too long", so_far()).await.unwrap();
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!((row.status, row.usage), (SummaryStatus::Failed, known));
    let after = db.store.find_usage(session).await.unwrap();
    assert_eq!((after.llm_calls, after.tokens), (before.llm_calls + 2, before.tokens + 14));
}

#[tokio::test]
async fn a_lost_summarizers_text_is_closed_and_its_late_writes_are_refused() {
    let db = db().await;
    let (work, call, id) = asked(&db).await;
    let lost = claim(&db).await.unwrap().fence;
    let first = streaming(&work);
    db.store.open_summary_event(lost, first.clone()).await.unwrap();
    assert!(!db.store.renew_summary(lost, LEASE).await.unwrap());

    lose(&db, id).await;
    let found = claim(&db).await.unwrap();
    assert_eq!(found.attempts, 2);
    let second = streaming(&work);
    let committed = db.store.open_summary_event(found.fence, second.clone()).await.unwrap();
    assert_eq!(payload(&committed[0])["event_id"], first.id.to_string());
    assert_eq!(payload(&committed[0])["status"], "failed");
    assert_eq!(payload(&committed[0])["metadata"], json!({"interrupted": true}));
    assert_eq!(payload(&committed[1])["event_id"], second.id.to_string());

    let late = [
        db.store.renew_summary(lost, LEASE).await.map(drop),
        db.store.open_summary_event(lost, streaming(&work)).await.map(drop),
        db.store.finish_summary(lost, text(&work, &first, "late")).await.map(drop),
    ];
    for refused in late {
        assert!(matches!(refused, Err(Error::Fenced { .. })), "{refused:?}");
    }
    db.store.finish_summary(found.fence, text(&work, &second, "in time")).await.unwrap();
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!(row.summary.as_deref(), Some("in time"));
    let completed = "select count(*) from timeline_events
        where event_type = 'mcp_tool_summary' and status = 'completed'";
    assert_eq!(db.count(completed).await, 1);
}

#[tokio::test]
async fn a_new_owner_of_the_session_leaves_a_summary_streaming() {
    let db = db().await;
    let (work, _, _) = asked(&db).await;
    let fence = claim(&db).await.unwrap().fence;
    let event = streaming(&work);
    db.store.open_summary_event(fence, event.clone()).await.unwrap();
    db.expire(work.fence.session_id).await;
    let owner = db.claim().await.unwrap().fence;
    assert!(db.store.interrupt_streaming(owner).await.unwrap().is_empty());
    db.store.finish_summary(fence, text(&work, &event, "done")).await.unwrap();
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_summaries() {
    let db = db().await;
    let (work, call, _) = asked(&db).await;
    let fence = claim(&db).await.unwrap().fence;
    let event = streaming(&work);
    db.store.open_summary_event(fence, event.clone()).await.unwrap();
    db.store.finish_session(work.fence, end(SessionStatus::Failed)).await.unwrap();
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!(row.status, SummaryStatus::Failed);
    let late = db.store.finish_summary(fence, text(&work, &event, "late")).await;
    assert!(matches!(late, Err(Error::Fenced { .. })), "{late:?}");
    assert_eq!(claim(&db).await, None);
}

#[tokio::test]
async fn an_owner_that_waits_no_longer_ends_the_summary_and_its_event() {
    let db = db().await;
    let (work, call, id) = asked(&db).await;
    let fence = claim(&db).await.unwrap().fence;
    let event = streaming(&work);
    db.store.open_summary_event(fence, event.clone()).await.unwrap();
    let committed =
        db.store.abandon_summary(work.fence, id, "it takes too long", so_far()).await.unwrap();
    assert_eq!(payload(&committed[0])["event_id"], event.id.to_string());
    let committed = payload(&committed[0]);
    assert_eq!(
        (&committed["status"], &committed["content"]),
        (&json!("timed_out"), &json!("so far"))
    );
    let row = db.store.find_summary(call).await.unwrap().unwrap();
    assert_eq!((row.error.as_deref(), row.event), (Some("it takes too long"), Some(event.id)));
    assert!(db.store.abandon_summary(work.fence, id, "again", so_far()).await.unwrap().is_empty());
    let late = db.store.finish_summary(fence, text(&work, &event, "late")).await;
    assert!(matches!(late, Err(Error::Fenced { .. })), "{late:?}");
}

#[tokio::test]
async fn a_summarizer_that_stops_gives_its_summary_back_without_counting_it() {
    let db = db().await;
    asked(&db).await;
    let fence = claim(&db).await.unwrap().fence;
    db.store.release_summary(fence).await.unwrap();
    let again = db.store.claim_summary("summarizer-2", Duration::from_secs(5)).await.unwrap();
    assert_eq!(again.unwrap().attempts, 1);
}
