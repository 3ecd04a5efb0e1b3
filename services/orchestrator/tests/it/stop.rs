//! Sessions that are stopped: by a person, by time, by another owner, by the end of a process.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::{Chunk, Script};
use tarsy_store::{CancelOutcome, Fence};

use crate::stack::{Stack, WAIT, answer_with, calls, chain, text, two_stages};

#[tokio::test]
async fn a_cancel_ends_a_stream_at_once() {
    let mut stack = Stack::new([Script::Pause(vec![text("The load ")], vec![])]).await;
    stack.queue.heartbeat_interval = Duration::from_mins(10);
    stack.queue.orphan_threshold = Duration::from_mins(20);
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("timeline_event.created", "streaming").await;
    let asked = stack.store.request_cancel(submitted.id).await.unwrap();
    assert!(matches!(asked, CancelOutcome::Cancelling { .. }));
    let cancel = Cancel { session_id: submitted.id };
    stack.bus.publish(subject::control_cancel(submitted.id), &cancel).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    let session = stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert_eq!(session.error_message, None);
    let events = stack.timeline(submitted.id).await;
    let shown = (events[0].status, events[0].content.as_str());
    assert_eq!(shown, (TimelineStatus::Cancelled, "The load "), "who watched keeps what they read");
    assert_eq!(events[0].metadata, Some(json!({"interrupted": true})));
    let prompt = submitted.events.iter().find(|event| event["type"] == "timeline_event.completed");
    let prompt = prompt.unwrap();
    assert_eq!((&prompt["status"], &prompt["content"]), (&json!("cancelled"), &json!("The load ")));
    let stages = stack.store.list_stages(submitted.id).await.unwrap();
    assert_eq!(stages[0].status, WorkStatus::Cancelled);
    let call = &stack.model_calls(submitted.id).await[0];
    assert_eq!(call.llm_response["content"], "The load ", "the call is on record");
    assert_eq!(call.brief.error_message.as_deref(), Some("the call was cancelled"));
    let tokens = (call.brief.output_tokens, call.brief.tokens_estimated);
    assert_eq!((call.brief.timed_out, tokens), (false, (None, false)), "rules use none");
    assert_eq!(stack.store.find_usage(submitted.id).await.unwrap().llm_calls, 1);
}

#[tokio::test]
async fn a_cancel_ends_an_executive_summary_which_stays_on_record() {
    let summary = Script::Pause(vec![text("It is "), text("short")], vec![]);
    let stack = Stack::new([answer_with("Found."), summary]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    stack.asks(2).await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    let session = stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    assert_eq!((session.executive_summary, session.executive_summary_error), (None, None));
    let call = stack.model_calls(submitted.id).await.pop().unwrap();
    assert_eq!(call.brief.kind, LlmInteractionKind::ExecutiveSummary);
    assert_eq!(call.brief.error_message.as_deref(), Some("the call was cancelled"));
}

#[tokio::test]
async fn a_cancel_whose_message_is_lost_ends_a_tool_call_with_the_next_renewal() {
    let stack = Stack::new([calls("host.load")]).await;
    let gate = stack.toolbox.block("host.load");
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    gate.entered(1).await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    stack.check_end(&submitted, SessionStatus::Cancelled).await;
    let call = stack.toolbox.calls().remove(0);
    assert_eq!(stack.toolbox.cancelled(), [call.call.call_id]);
    assert!(stack.toolbox.opens()[0].closed);
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    assert_eq!(execution.status, WorkStatus::Cancelled);
    let stored = stack.store.list_calls(execution.id).await.unwrap().remove(0);
    assert_eq!(stored.status, CallStatus::Unknown);
}

#[tokio::test]
async fn a_session_that_runs_out_of_time_keeps_what_it_found() {
    let stack = Stack::new([answer_with("Disk is full."), Script::Pause(vec![], vec![])]).await;
    stack.worker("one").await;
    let mut chain = two_stages();
    chain.session_timeout_ms = 10_000;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::TimedOut).await;
    let session = stack.check_end(&submitted, SessionStatus::TimedOut).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
    assert_eq!(session.error_message.as_deref(), Some("the session ran out of time"));
    let ends: Vec<_> = stack
        .store
        .list_stages(submitted.id)
        .await
        .unwrap()
        .iter()
        .map(|stage| stage.status)
        .collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::TimedOut]);
}

#[tokio::test]
async fn a_session_whose_time_ends_with_its_summary_completes_without_it() {
    let stack =
        Stack::new([answer_with("Disk is full."), Script::Pause(vec![text("The ")], vec![])]).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.session_timeout_ms = 12_000;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
    assert_eq!((session.executive_summary, session.error_message), (None, None));
    let error = session.executive_summary_error.unwrap();
    assert_eq!(error, "the session ran out of time");
    let call = stack.model_calls(submitted.id).await.pop().unwrap();
    assert_eq!(call.brief.kind, LlmInteractionKind::ExecutiveSummary);
    assert_eq!(call.llm_response["content"], "The ", "the partial text is recorded");
}

#[tokio::test]
async fn a_stage_that_is_stopped_keeps_what_one_of_its_agents_concluded() {
    let pauses = Script::Pause(vec![text("It is the ")], vec![]);
    let stack = Stack::new([answer_with("Disk is full."), pauses]).await;
    stack.worker("one").await;
    let chain = crate::flows::replicas(2, tarsy_catalog::SuccessPolicy::Any);
    let mut submitted = stack.submit(&chain).await;
    let concluded = async {
        while stack.texts(submitted.id, TimelineKind::FinalAnalysis).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(WAIT, concluded).await.unwrap();
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    let session = stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
}

#[tokio::test]
async fn a_session_that_runs_out_of_time_keeps_what_its_models_were_saying() {
    let thinks = Script::Pause(vec![Chunk::Thinking("Perhaps the disk".to_owned())], vec![]);
    let answers = Script::Pause(vec![text("It is the "), text("disk")], vec![]);
    let stack = Stack::new([thinks, answers]).await;
    stack.worker("one").await;
    let mut chain = crate::flows::replicas(2, tarsy_catalog::SuccessPolicy::Any);
    chain.session_timeout_ms = 10_000;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::TimedOut).await;
    stack.check_end(&submitted, SessionStatus::TimedOut).await;
    let calls = stack.model_calls(submitted.id).await;
    assert_eq!(calls.len(), 2);
    for call in &calls {
        assert!(call.brief.timed_out);
        let why = call.brief.error_message.as_deref();
        assert_eq!(why, Some("the session ran out of time during the model's answer"));
    }
    let thoughts: Vec<_> = calls.iter().filter_map(|call| call.thinking_content.clone()).collect();
    assert_eq!(thoughts, ["Perhaps the disk"]);
    let mut output: Vec<_> =
        calls.iter().map(|call| call.llm_response["content"].clone()).collect();
    output.sort_by_key(ToString::to_string);
    assert_eq!(output, ["", "It is the disk"]);
    let events = stack.timeline(submitted.id).await;
    assert!(events.iter().all(|event| event.status == TimelineStatus::TimedOut));
    let mut texts: Vec<_> = events.into_iter().map(|event| event.content).collect();
    texts.sort();
    assert_eq!(texts, ["It is the disk", "Perhaps the disk"]);
}

#[tokio::test]
async fn a_stage_that_fails_late_keeps_what_earlier_ones_found() {
    let error = tarsy_llm::Error::Provider {
        message: "no such model".to_owned(),
        code: "invalid_request".to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    };
    let stack =
        Stack::new([answer_with("Disk is full."), Script::Failure(vec![text("Cl")], error)]).await;
    stack.worker("one").await;
    let mut chain = two_stages();
    chain.stages.push(chain.stages[1].clone());
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Failed).await;
    let session = stack.check_end(&submitted, SessionStatus::Failed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
    let error = session.error_message.unwrap();
    assert!(error.starts_with("stage \"verdict\" failed: "), "{error}");
    let ends: Vec<_> = stack
        .store
        .list_stages(submitted.id)
        .await
        .unwrap()
        .iter()
        .map(|stage| stage.status)
        .collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::Failed], "the third is not begun");
    assert_eq!(session.executive_summary, None);
}

#[tokio::test]
async fn a_worker_that_stops_hands_its_session_over_at_once() {
    let pauses = Script::Pause(vec![text("The load ")], vec![]);
    let mut stack =
        Stack::new([pauses, answer_with("The load is high."), answer_with("Short.")]).await;
    stack.queue.orphan_threshold = Duration::from_mins(20);
    let first = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("timeline_event.created", "streaming").await;
    first.drain(Duration::ZERO).await.unwrap();
    assert_eq!(stack.store.count_claimable_sessions(10).await.unwrap(), 1);
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let first = stack.timeline(submitted.id).await.remove(0);
    assert_eq!((first.status, first.content.as_str()), (TimelineStatus::Failed, "The load "));
}

#[tokio::test]
async fn a_worker_that_stops_softly_sees_its_session_out_and_publishes_its_end() {
    let stack =
        Stack::new([Script::Pause(vec![], vec![text("Found.")]), answer_with("Short.")]).await;
    let service = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("session.status", "in_progress").await;
    service.stop();
    stack.llm.resume();
    tokio::time::timeout(WAIT, service.drain(WAIT)).await.unwrap().unwrap();
    assert!(!service.hard_stop().is_cancelled(), "an idle process does not wait for the hard stop");
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(stack.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_owner_that_lost_its_session_writes_nothing_more() {
    let mut stack =
        Stack::new([Script::Pause(vec![text("The load ")], vec![text("is high.")])]).await;
    // It never renews its lease: it sleeps.
    stack.queue.heartbeat_interval = Duration::from_mins(10);
    let service = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("timeline_event.created", "streaming").await;
    stack.abandoned().await;
    let claimed = stack.store.claim_session("another", Duration::from_mins(10), 10).await;
    let claim = claimed.unwrap().unwrap();
    assert_eq!(claim.fence, Fence { session_id: submitted.id, epoch: 2 });
    let before = stack.store.find_last_event_seq(submitted.id).await.unwrap();
    stack.llm.resume();
    // With its one session gone the old owner is idle, and stops softly.
    tokio::time::timeout(WAIT, service.drain(WAIT)).await.unwrap().unwrap();
    assert!(!service.hard_stop().is_cancelled());
    assert_eq!(stack.store.find_last_event_seq(submitted.id).await.unwrap(), before);
    assert_eq!(stack.session(submitted.id).await.status, SessionStatus::InProgress);
    assert!(stack.texts(submitted.id, TimelineKind::FinalAnalysis).await.is_empty());
}

#[tokio::test]
async fn a_session_that_outlives_five_workers_fails() {
    let stack = Stack::new([]).await;
    let mut submitted = stack.submit(&chain()).await;
    for attempt in 1..=5 {
        let claim = stack.store.claim_session("dying", Duration::ZERO, 10).await.unwrap().unwrap();
        assert_eq!(claim.attempts, attempt);
    }
    stack.worker("one").await;
    submitted.ends(SessionStatus::Failed).await;
    let session = stack.check_end(&submitted, SessionStatus::Failed).await;
    let error = "failed after 5 attempts; each of its workers was lost";
    assert_eq!(session.error_message.as_deref(), Some(error));
    assert!(stack.llm.requests().is_empty());
}

#[tokio::test]
async fn a_cancel_outlives_the_owner_that_missed_it() {
    let stack = Stack::new([]).await;
    let mut submitted = stack.submit(&chain()).await;
    stack.store.claim_session("dying", Duration::ZERO, 10).await.unwrap().unwrap();
    stack.store.request_cancel(submitted.id).await.unwrap();
    stack.worker("one").await;
    submitted.ends(SessionStatus::Cancelled).await;
    stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert!(stack.llm.requests().is_empty());
}

#[tokio::test]
async fn a_cancel_that_comes_with_the_last_step_still_counts() {
    let mut stack =
        Stack::new([answer_with("Found."), Script::Pause(vec![], vec![text("Short.")])]).await;
    stack.queue.heartbeat_interval = Duration::from_mins(10);
    stack.queue.orphan_threshold = Duration::from_mins(20);
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("stage.status", "completed").await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    stack.llm.resume();
    submitted.ends(SessionStatus::Cancelled).await;
    let session = stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
}
