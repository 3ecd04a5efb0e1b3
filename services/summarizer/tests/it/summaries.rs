//! One behaviour a test, from the row to its end.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::event::{FinishReason, SummaryStatus};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Chunk, Error, Script, Usage};
use tarsy_store::{LlmInteraction, SessionEnd, SummaryUsage};

use crate::world::{Asked, PATIENCE, World, provider, says, words};

#[tokio::test]
async fn a_result_becomes_a_summary_that_streams_and_is_recorded() {
    let world = World::new([says("Nothing but 3 OOM kills at 10:02.")]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask(&"line\n".repeat(30_000)).await;

    let row = world.over(&asked).await;
    assert_eq!(row.status, SummaryStatus::Completed, "{:?}", row.error);
    assert_eq!(row.summary.as_deref(), Some("Nothing but 3 OOM kills at 10:02."));
    assert_eq!(row.usage.total_tokens, 912);
    let told = world.told(&asked).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].status, TimelineStatus::Completed);
    assert_eq!(told[0].content, "Nothing but 3 OOM kills at 10:02.");
    let metadata = told[0].metadata.clone().unwrap();
    let expected = [
        ("server_name", json!("host")),
        ("tool_name", json!("journal")),
        ("call_number", json!(1)),
        ("original_tokens", json!(30_000)),
        ("summary_tokens", json!(12)),
        ("provider", json!("offline")),
    ];
    for (field, value) in expected {
        assert_eq!(metadata[field], value, "{field}");
    }
    let trace = world.store.find_trace(asked.session()).await.unwrap();
    let calls = &trace.stages[0].executions[0].llm_interactions;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].kind.as_str(), "summarization");
    assert_eq!(calls[0].total_tokens, Some(912));
    world.check_gapless(&asked).await;

    let request = world.llm.requests().remove(0);
    assert_eq!(request.max_output_tokens, Some(500));
    assert!(request.tools.is_empty());
    assert!(request.messages[1].content.contains("The load of web-1 is 40."));
    assert!(!request.messages[1].content.contains("You are an investigator."));
    assert!(request.messages[1].content.contains("line\nline\n"));
}

#[tokio::test]
async fn a_late_viewer_gets_the_text_so_far() {
    let script = Script::Pause(words("So far so good. "), words("And the rest."));
    let world = World::new([script]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask("a long result").await;
    let begun = world.begun(&asked, 1).await;
    world.until_said(asked.session(), Some("So far so good. ")).await;
    let text = world.said(asked.session(), PATIENCE).await.remove(0);
    assert_eq!((text.event_id, text.content.as_str()), (begun[0].id, "So far so good. "));
    world.llm.resume();
    assert_eq!(world.over(&asked).await.summary.unwrap(), "So far so good. And the rest.");
}

#[tokio::test]
async fn after_a_cancel_the_owner_is_told_what_was_said_so_far() {
    let script = Script::Pause(words("So far so good. "), words("And the rest."));
    let world = World::new([script, says("The next.")]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask("a long result").await;
    world.begun(&asked, 1).await;
    let session = asked.session();
    world.until_said(session, Some("So far so good. ")).await;
    let cancel = Cancel { session_id: session };
    world.bus.publish(subject::control_cancel(session), &cancel).await.unwrap();
    // Answered at once, or as soon as a slow machine comes to it.
    let said = world.said(session, PATIENCE).await;
    assert_eq!(said[0].content, "So far so good. ", "its owner asks for it now");
    world.until_said(session, None).await;
    // The model is let go: what it would have said is not heard.
    world.llm.resume();
    let next = world.ask("another").await;
    assert_eq!(world.over(&next).await.summary.as_deref(), Some("The next."));
    assert_eq!(world.told(&asked).await[0].status, TimelineStatus::Streaming, "its owner's to end");
}

#[tokio::test]
async fn whoever_waits_is_told() {
    let world = World::new([Script::Pause(words("One "), words("two."))]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask("a long result").await;
    world.begun(&asked, 1).await;
    let id = world.store.find_summary(asked.call).await.unwrap().unwrap().id;
    let mut done = world.bus.subscribe(subject::summary_finished(id)).await.unwrap();
    world.llm.resume();
    tokio::time::timeout(PATIENCE, done.next()).await.unwrap().unwrap();
    assert_eq!(world.over(&asked).await.status, SummaryStatus::Completed);
}

#[tokio::test]
async fn a_killed_summarizer_leaves_one_summary_to_the_next() {
    let world = World::new([
        Script::Pause(words("This will be lost. "), words("Never said.")),
        says("The one summary."),
    ])
    .await;
    let doomed = world.doomed().await;
    let asked = world.ask("a long result").await;
    world.begun(&asked, 1).await;
    doomed.kill().await;
    let _shell = world.summarizer("next").await;

    assert_eq!(world.over(&asked).await.summary.as_deref(), Some("The one summary."));
    let told = world.told(&asked).await;
    assert_eq!(told.len(), 2);
    assert_eq!(told[0].status, TimelineStatus::Failed);
    assert_eq!(told[0].metadata.as_ref().unwrap()["interrupted"], true);
    assert_eq!(told[1].status, TimelineStatus::Completed);
    let trace = world.store.find_trace(asked.session()).await.unwrap();
    assert_eq!(trace.stages[0].executions[0].llm_interactions.len(), 1);
    world.check_gapless(&asked).await;
}

#[tokio::test]
async fn what_a_killed_summarizer_spent_on_a_try_before_is_on_the_bill() {
    let spent = Usage { input_tokens: 80, output_tokens: 8, total_tokens: 88, ..Usage::default() };
    let world = World::new([
        Script::Failure([words("Half a "), vec![Chunk::Usage(spent)]].concat(), broken()),
        Script::Pause(words("This will be lost. "), words("Never said.")),
        says("The one summary."),
    ])
    .await;
    let doomed = world.doomed().await;
    let asked = world.ask("a long result").await;
    world.begun(&asked, 2).await;
    doomed.kill().await;
    let _shell = world.summarizer("next").await;

    let row = world.over(&asked).await;
    assert_eq!(row.summary.as_deref(), Some("The one summary."));
    assert_eq!((row.usage.llm_calls, row.usage.total_tokens), (2, 1_000));
    let used = world.store.find_usage(asked.session()).await.unwrap();
    assert_eq!((used.llm_calls, used.tokens), (2, 1_000));
    world.check_gapless(&asked).await;
}

fn broken() -> Error {
    Error::Provider {
        code: "partial_stream_error".to_owned(),
        message: "the stream broke".to_owned(),
        retryable: true,
        retry_after: None,
    }
}

#[tokio::test]
async fn a_model_that_breaks_off_is_asked_again_and_its_text_closed() {
    let world =
        World::new([Script::Failure(words("Half a "), broken()), says("A whole one.")]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask("a long result").await;
    assert_eq!(world.over(&asked).await.summary.as_deref(), Some("A whole one."));
    let told = world.told(&asked).await;
    let statuses: Vec<_> = told.iter().map(|event| event.status).collect();
    assert_eq!(statuses, [TimelineStatus::Failed, TimelineStatus::Completed]);
    let trace = world.store.find_trace(asked.session()).await.unwrap();
    let calls = &trace.stages[0].executions[0].llm_interactions;
    assert_eq!(calls.len(), 2, "every call of a model is on record, and on the bill");
    let usage = world.over(&asked).await.usage;
    assert_eq!((usage.llm_calls, usage.total_tokens), (2, 912));
    world.check_gapless(&asked).await;
}

#[tokio::test]
async fn a_model_that_cannot_be_used_ends_the_summary_with_the_reason() {
    let refused = Error::Provider {
        code: "credentials".to_owned(),
        message: "the key was refused".to_owned(),
        retryable: false,
        retry_after: None,
    };
    let world = World::new([Script::Failure(Vec::new(), refused)]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask("a long result").await;
    let row = world.over(&asked).await;
    assert_eq!(row.status, SummaryStatus::Failed);
    assert!(row.error.unwrap().contains("the key was refused"));
    assert_eq!((row.usage.llm_calls, row.usage.total_tokens), (1, 0), "a model was called");
    assert!(world.told(&asked).await.is_empty());
    let trace = world.store.find_trace(asked.session()).await.unwrap();
    let calls = &trace.stages[0].executions[0].llm_interactions;
    assert!(calls[0].error_message.as_ref().unwrap().contains("the key was refused"));
    assert_eq!(world.llm.requests().len(), 1);
}

/// The records of all model calls, in order.
async fn model_calls(world: &World, asked: &Asked) -> Vec<LlmInteraction> {
    let trace = world.store.find_trace(asked.session()).await.unwrap();
    let mut calls = Vec::new();
    let executions = trace.stages.iter().flat_map(|stage| &stage.executions);
    for call in executions.flat_map(|execution| &execution.llm_interactions) {
        let call = world.store.find_llm_interaction(asked.session(), call.id).await.unwrap();
        calls.push(call.unwrap());
    }
    calls
}

#[tokio::test]
async fn a_summary_whose_model_sends_no_first_token_fails_with_its_prompt_on_record() {
    let world = World::new([Script::Unresponsive]).await;
    let _shell = world.summarizer("one").await;
    let asked = world
        .ask_with("a long result", |mut request| {
            request["first_token_timeout_ms"] = json!(200);
            request
        })
        .await;
    let row = world.over(&asked).await;
    assert_eq!(row.status, SummaryStatus::Failed);
    assert_eq!(row.error.as_deref(), Some("the model sent no first token within 200ms"));
    assert_eq!(row.usage.llm_calls, 1);
    let calls = model_calls(&world, &asked).await;
    assert_eq!((calls.len(), calls[0].brief.timed_out), (1, true));
    let prompt = calls[0].llm_request["messages"][1]["content"].as_str().unwrap();
    assert!(prompt.contains("a long result"), "{prompt}");
}

#[tokio::test]
async fn a_summary_whose_provider_is_down_is_written_by_its_fallback() {
    let down = || Script::Refusal(Error::Transport("connection refused".to_owned()));
    let world = World::new([down(), down(), down(), says("Nothing unusual.")]).await;
    let _shell = world.summarizer("one").await;
    let asked = world
        .ask_with("a long result", |mut request| {
            request["fallbacks"] = json!([provider("second")]);
            request
        })
        .await;
    let row = world.over(&asked).await;
    assert_eq!(row.summary.as_deref(), Some("Nothing unusual."));
    assert_eq!(row.usage.llm_calls, 4);
    let calls = model_calls(&world, &asked).await;
    let providers: Vec<_> = calls.iter().map(|call| &call.llm_request["provider"]).collect();
    assert_eq!(providers, ["offline", "offline", "offline", "second"]);
    let event = world.told(&asked).await.remove(0);
    assert_eq!(event.metadata.unwrap()["provider"], "second");
    world.check_gapless(&asked).await;
}

#[tokio::test]
async fn a_summary_that_is_cut_at_its_limit_is_marked_as_truncated() {
    let mut chunks = words("Pods a, b and");
    chunks.push(Chunk::Finish(FinishReason::Length));
    let world = World::new([Script::Answer(chunks)]).await;
    let _shell = world.summarizer("one").await;
    let asked = world.ask("a long result").await;
    let summary = world.over(&asked).await.summary.unwrap();
    assert_eq!(summary, "Pods a, b and\n[The summary was cut at its limit of 500 tokens.]");
    let event = world.told(&asked).await.remove(0);
    assert_eq!(
        (event.content.as_str(), event.status),
        ("Pods a, b and", TimelineStatus::Completed)
    );
    assert_eq!(event.metadata.unwrap()["truncated"], true);
    let calls = model_calls(&world, &asked).await;
    assert_eq!(calls[0].brief.finish_reason, Some(FinishReason::Length));
}

#[tokio::test]
async fn the_end_of_the_session_stops_its_summary() {
    let world =
        World::new([Script::Pause(words("Not "), words("wanted.")), says("The next.")]).await;
    let _shell = world.watchful_summarizer("one").await;
    let asked = world.ask("a long result").await;
    world.begun(&asked, 1).await;
    world.until_said(asked.session(), Some("Not ")).await;
    let end = SessionEnd {
        status: SessionStatus::Failed,
        final_analysis: None,
        executive_summary: None,
        executive_summary_error: None,
        error_message: Some("over".to_owned()),
    };
    world.store.finish_session(asked.fence, end).await.unwrap();
    assert_eq!(world.over(&asked).await.error.as_deref(), Some("the investigation ended"));
    world.until_said(asked.session(), None).await;
    // The summarizer is free for the next one, and nothing was written late.
    world.llm.resume();
    let next = world.ask("another").await;
    assert_eq!(world.over(&next).await.summary.as_deref(), Some("The next."));
    assert_eq!(world.told(&asked).await.len(), 1);
    world.check_gapless(&asked).await;
}

#[tokio::test]
async fn a_summarizer_that_stops_hands_its_summary_over() {
    let world =
        World::new([Script::Pause(words("Not "), words("said.")), says("The next one's.")]).await;
    let first = world.summarizer("first").await;
    let asked = world.ask("a long result").await;
    world.begun(&asked, 1).await;
    let _second = world.summarizer("second").await;
    first.drain(Duration::from_millis(100)).await.unwrap();
    assert_eq!(world.over(&asked).await.summary.as_deref(), Some("The next one's."));
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_ended_and_not_tried_for_ever() {
    let world = World::new([]).await;
    let asked = world.ask_with("a long result", |_| json!({ "of": "another version" })).await;
    let _shell = world.summarizer("one").await;
    let row = world.over(&asked).await;
    assert_eq!(row.status, SummaryStatus::Failed);
    assert_eq!(row.error.as_deref(), Some("its request cannot be read"));
    assert_eq!(row.usage, SummaryUsage::default());
}
