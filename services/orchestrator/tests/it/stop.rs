//! Sessions that are stopped: by a person, by time, by another owner, by the end of a process.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::{Chunk, Script};
use tarsy_store::{CancelOutcome, Fence};

use crate::world::{PATIENCE, World, calls, chain, says, text, two_stages};

#[tokio::test]
async fn a_cancel_ends_a_stream_at_once() {
    let mut world = World::new([Script::Pause(vec![text("The load ")], vec![])]).await;
    world.queue.heartbeat_interval = Duration::from_mins(10);
    world.queue.orphan_threshold = Duration::from_mins(20);
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("timeline_event.created", "streaming").await;
    let asked = world.store.request_cancel(story.id).await.unwrap();
    assert!(matches!(asked, CancelOutcome::Cancelling { .. }));
    let cancel = Cancel { session_id: story.id };
    world.bus.publish(subject::control_cancel(story.id), &cancel).await.unwrap();
    story.ends(SessionStatus::Cancelled).await;
    let session = world.check_end(&story, SessionStatus::Cancelled).await;
    assert_eq!(session.error_message, None);
    let events = world.timeline(story.id).await;
    let shown = (events[0].status, events[0].content.as_str());
    assert_eq!(shown, (TimelineStatus::Cancelled, "The load "), "who watched keeps what they read");
    assert_eq!(events[0].metadata, Some(json!({"interrupted": true})));
    let told = story.events.iter().find(|event| event["type"] == "timeline_event.completed");
    let told = told.unwrap();
    assert_eq!((&told["status"], &told["content"]), (&json!("cancelled"), &json!("The load ")));
    let stages = world.store.list_stages(story.id).await.unwrap();
    assert_eq!(stages[0].status, WorkStatus::Cancelled);
    let call = &world.model_calls(story.id).await[0];
    assert_eq!(call.llm_response["content"], "The load ", "the call is on record");
    assert_eq!(call.brief.error_message.as_deref(), Some("the call was cancelled"));
    assert_eq!((call.brief.timed_out, call.brief.total_tokens), (false, None));
    assert_eq!(world.store.find_usage(story.id).await.unwrap().llm_calls, 1);
}

#[tokio::test]
async fn a_cancel_ends_an_executive_summary_which_stays_on_record() {
    let summary = Script::Pause(vec![text("It is "), text("short")], vec![]);
    let world = World::new([says("Found."), summary]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    world.asks(2).await;
    world.store.request_cancel(story.id).await.unwrap();
    story.ends(SessionStatus::Cancelled).await;
    let session = world.check_end(&story, SessionStatus::Cancelled).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    assert_eq!((session.executive_summary, session.executive_summary_error), (None, None));
    let call = world.model_calls(story.id).await.pop().unwrap();
    assert_eq!(call.brief.kind, LlmInteractionKind::ExecutiveSummary);
    assert_eq!(call.brief.error_message.as_deref(), Some("the call was cancelled"));
}

#[tokio::test]
async fn a_cancel_whose_message_is_lost_ends_a_tool_call_with_the_next_renewal() {
    let world = World::new([calls("host.load")]).await;
    let gate = world.toolbox.block("host.load");
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    gate.entered(1).await;
    world.store.request_cancel(story.id).await.unwrap();
    story.ends(SessionStatus::Cancelled).await;
    world.check_end(&story, SessionStatus::Cancelled).await;
    let call = world.toolbox.calls().remove(0);
    assert_eq!(world.toolbox.cancelled(), [call.call.call_id]);
    assert!(world.toolbox.opens()[0].closed);
    let execution = world.store.list_executions(story.id).await.unwrap().remove(0);
    assert_eq!(execution.status, WorkStatus::Cancelled);
    let stored = world.store.list_calls(execution.id).await.unwrap().remove(0);
    assert_eq!(stored.status, CallStatus::Unknown);
}

#[tokio::test]
async fn a_session_that_runs_out_of_time_keeps_what_it_found() {
    let world = World::new([says("Disk is full."), Script::Pause(vec![], vec![])]).await;
    world.worker("one").await;
    let mut chain = two_stages();
    chain.session_timeout_ms = 10_000;
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::TimedOut).await;
    let session = world.check_end(&story, SessionStatus::TimedOut).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
    assert_eq!(session.error_message.as_deref(), Some("the session ran out of time"));
    let ends: Vec<_> =
        world.store.list_stages(story.id).await.unwrap().iter().map(|stage| stage.status).collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::TimedOut]);
}

#[tokio::test]
async fn a_session_whose_time_ends_with_its_summary_completes_without_it() {
    let world =
        World::new([says("Disk is full."), Script::Pause(vec![text("The ")], vec![])]).await;
    world.worker("one").await;
    let mut chain = chain();
    chain.session_timeout_ms = 12_000;
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
    assert_eq!((session.executive_summary, session.error_message), (None, None));
    let error = session.executive_summary_error.unwrap();
    assert_eq!(error, "the session ran out of time");
    let call = world.model_calls(story.id).await.pop().unwrap();
    assert_eq!(call.brief.kind, LlmInteractionKind::ExecutiveSummary);
    assert_eq!(call.llm_response["content"], "The ", "the partial text is recorded");
}

#[tokio::test]
async fn a_stage_that_is_stopped_keeps_what_one_of_its_agents_concluded() {
    let pauses = Script::Pause(vec![text("It is the ")], vec![]);
    let world = World::new([says("Disk is full."), pauses]).await;
    world.worker("one").await;
    let chain = crate::flows::replicas(2, tarsy_catalog::SuccessPolicy::Any);
    let mut story = world.submit(&chain).await;
    let concluded = async {
        while world.texts(story.id, TimelineKind::FinalAnalysis).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, concluded).await.unwrap();
    world.store.request_cancel(story.id).await.unwrap();
    story.ends(SessionStatus::Cancelled).await;
    let session = world.check_end(&story, SessionStatus::Cancelled).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
}

#[tokio::test]
async fn a_session_that_runs_out_of_time_keeps_what_its_models_were_saying() {
    let thinks = Script::Pause(vec![Chunk::Thinking("Perhaps the disk".to_owned())], vec![]);
    let talks = Script::Pause(vec![text("It is the "), text("disk")], vec![]);
    let world = World::new([thinks, talks]).await;
    world.worker("one").await;
    let mut chain = crate::flows::replicas(2, tarsy_catalog::SuccessPolicy::Any);
    chain.session_timeout_ms = 10_000;
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::TimedOut).await;
    world.check_end(&story, SessionStatus::TimedOut).await;
    let calls = world.model_calls(story.id).await;
    assert_eq!(calls.len(), 2);
    for call in &calls {
        assert!(call.brief.timed_out);
        let why = call.brief.error_message.as_deref();
        assert_eq!(why, Some("the session ran out of time during the model's answer"));
    }
    let thoughts: Vec<_> = calls.iter().filter_map(|call| call.thinking_content.clone()).collect();
    assert_eq!(thoughts, ["Perhaps the disk"]);
    let mut said: Vec<_> = calls.iter().map(|call| call.llm_response["content"].clone()).collect();
    said.sort_by_key(ToString::to_string);
    assert_eq!(said, ["", "It is the disk"]);
    let events = world.timeline(story.id).await;
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
    };
    let world = World::new([says("Disk is full."), Script::Failure(vec![text("Cl")], error)]).await;
    world.worker("one").await;
    let mut chain = two_stages();
    chain.stages.push(chain.stages[1].clone());
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::Failed).await;
    let session = world.check_end(&story, SessionStatus::Failed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Disk is full."));
    let error = session.error_message.unwrap();
    assert!(error.starts_with("stage \"verdict\" failed: "), "{error}");
    let ends: Vec<_> =
        world.store.list_stages(story.id).await.unwrap().iter().map(|stage| stage.status).collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::Failed], "the third is not begun");
    assert_eq!(session.executive_summary, None);
}

#[tokio::test]
async fn a_worker_that_stops_hands_its_session_over_at_once() {
    let pauses = Script::Pause(vec![text("The load ")], vec![]);
    let mut world = World::new([pauses, says("The load is high."), says("Short.")]).await;
    world.queue.orphan_threshold = Duration::from_mins(20);
    let first = world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("timeline_event.created", "streaming").await;
    first.drain(Duration::ZERO).await.unwrap();
    assert_eq!(world.store.count_claimable_sessions(10).await.unwrap(), 1);
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    story.check_order();
    world.check_end(&story, SessionStatus::Completed).await;
    let first = world.timeline(story.id).await.remove(0);
    assert_eq!((first.status, first.content.as_str()), (TimelineStatus::Failed, "The load "));
}

#[tokio::test]
async fn a_worker_that_stops_softly_sees_its_session_out_and_publishes_its_end() {
    let world = World::new([Script::Pause(vec![], vec![text("Found.")]), says("Short.")]).await;
    let service = world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("session.status", "in_progress").await;
    service.stop();
    world.llm.resume();
    tokio::time::timeout(PATIENCE, service.drain(PATIENCE)).await.unwrap().unwrap();
    assert!(!service.hard_stop().is_cancelled(), "an idle process does not wait for the hard stop");
    story.ends(SessionStatus::Completed).await;
    story.check_order();
    world.check_end(&story, SessionStatus::Completed).await;
    assert!(world.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_owner_that_lost_its_session_writes_nothing_more() {
    let mut world =
        World::new([Script::Pause(vec![text("The load ")], vec![text("is high.")])]).await;
    // It never renews its lease: it sleeps.
    world.queue.heartbeat_interval = Duration::from_mins(10);
    let service = world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("timeline_event.created", "streaming").await;
    world.abandoned().await;
    let claimed = world.store.claim_session("another", Duration::from_mins(10), 10).await;
    let claim = claimed.unwrap().unwrap();
    assert_eq!(claim.fence, Fence { session_id: story.id, epoch: 2 });
    let before = world.store.find_last_event_seq(story.id).await.unwrap();
    world.llm.resume();
    // With its one session gone the old owner is idle, and stops softly.
    tokio::time::timeout(PATIENCE, service.drain(PATIENCE)).await.unwrap().unwrap();
    assert!(!service.hard_stop().is_cancelled());
    assert_eq!(world.store.find_last_event_seq(story.id).await.unwrap(), before);
    assert_eq!(world.session(story.id).await.status, SessionStatus::InProgress);
    assert!(world.texts(story.id, TimelineKind::FinalAnalysis).await.is_empty());
}

#[tokio::test]
async fn a_session_that_outlives_five_workers_fails() {
    let world = World::new([]).await;
    let mut story = world.submit(&chain()).await;
    for attempt in 1..=5 {
        let claim = world.store.claim_session("dying", Duration::ZERO, 10).await.unwrap().unwrap();
        assert_eq!(claim.attempts, attempt);
    }
    world.worker("one").await;
    story.ends(SessionStatus::Failed).await;
    let session = world.check_end(&story, SessionStatus::Failed).await;
    let error = "failed after 5 attempts; each of its workers was lost";
    assert_eq!(session.error_message.as_deref(), Some(error));
    assert!(world.llm.requests().is_empty());
}

#[tokio::test]
async fn a_cancel_outlives_the_owner_that_missed_it() {
    let world = World::new([]).await;
    let mut story = world.submit(&chain()).await;
    world.store.claim_session("dying", Duration::ZERO, 10).await.unwrap().unwrap();
    world.store.request_cancel(story.id).await.unwrap();
    world.worker("one").await;
    story.ends(SessionStatus::Cancelled).await;
    world.check_end(&story, SessionStatus::Cancelled).await;
    assert!(world.llm.requests().is_empty());
}

#[tokio::test]
async fn a_cancel_that_comes_with_the_last_step_still_counts() {
    let mut world = World::new([says("Found."), Script::Pause(vec![], vec![text("Short.")])]).await;
    world.queue.heartbeat_interval = Duration::from_mins(10);
    world.queue.orphan_threshold = Duration::from_mins(20);
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("stage.status", "completed").await;
    world.store.request_cancel(story.id).await.unwrap();
    world.llm.resume();
    story.ends(SessionStatus::Cancelled).await;
    let session = world.check_end(&story, SessionStatus::Cancelled).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
}
