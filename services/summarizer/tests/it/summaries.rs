//! One behaviour a test, from the row to its end.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use tarsy_contracts::subject;
use tarsy_contracts::trace::LlmInteraction;
use tarsy_contracts::work::Cancel;
use tarsy_domain::event::{FinishReason, SummaryStatus};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Chunk, Error, Script, Usage};
use tarsy_store::{SessionEnd, SummaryUsage};

use tarsy_testkit::WAIT;

use crate::stack::{PendingSummary, Stack, answers, provider, words};

#[tokio::test]
async fn a_result_becomes_a_summary_that_streams_and_is_recorded() {
    let stack = Stack::new([answers("Nothing but 3 OOM kills at 10:02.")]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask(&"line\n".repeat(30_000)).await;

    let row = stack.ended(&asked).await;
    assert_eq!(row.status, SummaryStatus::Completed, "{:?}", row.error);
    assert_eq!(row.summary.as_deref(), Some("Nothing but 3 OOM kills at 10:02."));
    assert_eq!(row.usage.total_tokens, 912);
    let summaries = stack.timeline(&asked).await;
    assert_eq!(summaries.len(), 1);
    assert_eq!(summaries[0].status, TimelineStatus::Completed);
    assert_eq!(summaries[0].content, "Nothing but 3 OOM kills at 10:02.");
    let metadata = summaries[0].metadata.clone().unwrap();
    let expected = [
        ("server_name", json!("host")),
        ("tool_name", json!("journal")),
        ("call_number", json!(1)),
        ("original_tokens", json!(30_000)),
        ("summary_tokens", json!(12)),
        ("provider", json!("offline")),
        ("summarization_backend", metadata["backend"].clone()),
        ("summarization_model", metadata["model"].clone()),
    ];
    assert!(metadata["summarization_model"].is_string(), "{metadata}");
    for (field, value) in expected {
        assert_eq!(metadata[field], value, "{field}");
    }
    let trace = stack.store.find_trace(asked.session()).await.unwrap();
    let calls = &trace.stages[0].executions[0].llm_interactions;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].kind.as_str(), "summarization");
    assert_eq!(calls[0].total_tokens, Some(912));
    stack.check_gapless(&asked).await;

    let request = stack.llm.requests().remove(0);
    assert_eq!(request.max_output_tokens, Some(500));
    assert!(request.tools.is_empty());
    assert!(request.messages[1].content.contains("The load of web-1 is 40."));
    assert!(!request.messages[1].content.contains("You are an investigator."));
    assert!(request.messages[1].content.contains("line\nline\n"));
}

#[tokio::test]
async fn a_late_viewer_gets_the_text_so_far() {
    let script = Script::Pause(words("So far so good. "), words("And the rest."));
    let stack = Stack::new([script]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask("a long result").await;
    let begun = stack.started(&asked, 1).await;
    stack.until_streaming(asked.session(), Some("So far so good. ")).await;
    let text = stack.streaming(asked.session(), WAIT).await.remove(0);
    assert_eq!((text.event_id, text.content.as_str()), (begun[0].id, "So far so good. "));
    stack.llm.resume();
    assert_eq!(stack.ended(&asked).await.summary.unwrap(), "So far so good. And the rest.");
}

#[tokio::test]
async fn after_a_cancel_the_owner_receives_the_text_so_far() {
    let script = Script::Pause(words("So far so good. "), words("And the rest."));
    let stack = Stack::new([script, answers("The next.")]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask("a long result").await;
    stack.started(&asked, 1).await;
    let session = asked.session();
    stack.until_streaming(session, Some("So far so good. ")).await;
    let cancel = Cancel { session_id: session };
    stack.bus.publish(subject::control_cancel(session), &cancel).await.unwrap();
    // Answered at once, or as soon as a slow machine comes to it.
    let streams = stack.streaming(session, WAIT).await;
    assert_eq!(streams[0].content, "So far so good. ", "its owner asks for it now");
    stack.until_streaming(session, None).await;
    // The model is let go: what it would have said is not heard.
    stack.llm.resume();
    let next = stack.ask("another").await;
    assert_eq!(stack.ended(&next).await.summary.as_deref(), Some("The next."));
    assert_eq!(
        stack.timeline(&asked).await[0].status,
        TimelineStatus::Streaming,
        "its owner's to end"
    );
}

#[tokio::test]
async fn whoever_waits_is_notified() {
    let stack = Stack::new([Script::Pause(words("One "), words("two."))]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask("a long result").await;
    stack.started(&asked, 1).await;
    let id = stack.store.find_summary(asked.call).await.unwrap().unwrap().id;
    let mut done = stack.bus.subscribe(subject::summary_finished(id)).await.unwrap();
    stack.llm.resume();
    tokio::time::timeout(WAIT, done.next()).await.unwrap().unwrap();
    assert_eq!(stack.ended(&asked).await.status, SummaryStatus::Completed);
}

#[tokio::test]
async fn a_killed_summarizer_leaves_one_summary_to_the_next() {
    let stack = Stack::new([
        Script::Pause(words("This will be lost. "), words("Never streams.")),
        answers("The one summary."),
    ])
    .await;
    let killable = stack.killable_summarizer().await;
    let asked = stack.ask("a long result").await;
    stack.started(&asked, 1).await;
    killable.kill().await.unwrap();
    let _service = stack.summarizer("next").await;

    assert_eq!(stack.ended(&asked).await.summary.as_deref(), Some("The one summary."));
    let summaries = stack.timeline(&asked).await;
    assert_eq!(summaries.len(), 2);
    assert_eq!(summaries[0].status, TimelineStatus::Failed);
    assert_eq!(summaries[0].metadata.as_ref().unwrap()["interrupted"], true);
    assert_eq!(summaries[1].status, TimelineStatus::Completed);
    let trace = stack.store.find_trace(asked.session()).await.unwrap();
    assert_eq!(trace.stages[0].executions[0].llm_interactions.len(), 1);
    stack.check_gapless(&asked).await;
}

#[tokio::test]
async fn what_a_killed_summarizer_spent_on_a_try_before_is_on_the_bill() {
    let spent = Usage { input_tokens: 80, output_tokens: 8, total_tokens: 88, ..Usage::default() };
    let stack = Stack::new([
        Script::Failure([words("Half a "), vec![Chunk::Usage(spent)]].concat(), broken()),
        Script::Pause(words("This will be lost. "), words("Never streams.")),
        answers("The one summary."),
    ])
    .await;
    let killable = stack.killable_summarizer().await;
    let asked = stack.ask("a long result").await;
    stack.started(&asked, 2).await;
    killable.kill().await.unwrap();
    let _service = stack.summarizer("next").await;

    let row = stack.ended(&asked).await;
    assert_eq!(row.summary.as_deref(), Some("The one summary."));
    assert_eq!((row.usage.llm_calls, row.usage.total_tokens), (2, 1_000));
    let used = stack.store.find_usage(asked.session()).await.unwrap();
    assert_eq!((used.llm_calls, used.tokens), (2, 1_000));
    stack.check_gapless(&asked).await;
}

fn broken() -> Error {
    Error::Provider {
        code: "partial_stream_error".to_owned(),
        message: "the stream broke".to_owned(),
        retryable: true,
        retry_after: None,
        variable: None,
    }
}

#[tokio::test]
async fn a_model_that_breaks_off_is_asked_again_and_its_text_closed() {
    let stack =
        Stack::new([Script::Failure(words("Half a "), broken()), answers("A whole one.")]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask("a long result").await;
    assert_eq!(stack.ended(&asked).await.summary.as_deref(), Some("A whole one."));
    let summaries = stack.timeline(&asked).await;
    let statuses: Vec<_> = summaries.iter().map(|event| event.status).collect();
    assert_eq!(statuses, [TimelineStatus::Failed, TimelineStatus::Completed]);
    let trace = stack.store.find_trace(asked.session()).await.unwrap();
    let calls = &trace.stages[0].executions[0].llm_interactions;
    assert_eq!(calls.len(), 2, "every call of a model is on record, and on the bill");
    // The first one reported nothing before it broke off.
    let estimated: Vec<bool> = calls.iter().map(|call| call.tokens_estimated).collect();
    assert_eq!(estimated, [true, false]);
    let usage = stack.ended(&asked).await.usage;
    let tokens: i64 = calls.iter().map(|call| i64::from(call.total_tokens.unwrap_or(0))).sum();
    assert_eq!((usage.llm_calls, usage.total_tokens), (2, tokens));
    assert!(tokens > 912, "{tokens}");
    stack.check_gapless(&asked).await;
}

#[tokio::test]
async fn a_model_that_cannot_be_used_ends_the_summary_with_the_reason() {
    let refused = Error::Provider {
        code: "credentials".to_owned(),
        message: "the key was refused".to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    };
    let stack = Stack::new([Script::Failure(Vec::new(), refused)]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask("a long result").await;
    let row = stack.ended(&asked).await;
    assert_eq!(row.status, SummaryStatus::Failed);
    assert!(row.error.unwrap().contains("the key was refused"));
    assert_eq!((row.usage.llm_calls, row.usage.total_tokens), (1, 0), "a model was called");
    assert!(stack.timeline(&asked).await.is_empty());
    let trace = stack.store.find_trace(asked.session()).await.unwrap();
    let calls = &trace.stages[0].executions[0].llm_interactions;
    assert!(calls[0].error_message.as_ref().unwrap().contains("the key was refused"));
    assert_eq!(stack.llm.requests().len(), 1);
}

/// The records of all model calls, in order.
async fn model_calls(stack: &Stack, asked: &PendingSummary) -> Vec<LlmInteraction> {
    let trace = stack.store.find_trace(asked.session()).await.unwrap();
    let mut calls = Vec::new();
    let executions = trace.stages.iter().flat_map(|stage| &stage.executions);
    for call in executions.flat_map(|execution| &execution.llm_interactions) {
        let call = stack.store.find_llm_interaction(asked.session(), call.id).await.unwrap();
        calls.push(call.unwrap());
    }
    calls
}

#[tokio::test]
async fn a_summary_whose_model_sends_no_first_token_fails_with_its_prompt_on_record() {
    let stack = Stack::new([Script::Unresponsive]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack
        .ask_with("a long result", |mut request| {
            request["first_token_timeout_ms"] = json!(200);
            request
        })
        .await;
    let row = stack.ended(&asked).await;
    assert_eq!(row.status, SummaryStatus::Failed);
    let why = "the model sent no first token within 200ms (`llm_timeouts.first_token` of the provider or the defaults)";
    assert_eq!(row.error.as_deref(), Some(why));
    assert_eq!(row.usage.llm_calls, 1);
    let calls = model_calls(&stack, &asked).await;
    assert_eq!((calls.len(), calls[0].brief.timed_out), (1, true));
    let prompt = calls[0].llm_request["messages"][1]["content"].as_str().unwrap();
    assert!(prompt.contains("a long result"), "{prompt}");
}

#[tokio::test]
async fn a_summary_whose_provider_is_down_is_written_by_its_fallback() {
    let down = || Script::Refusal(Error::Transport("connection refused".to_owned()));
    let stack = Stack::new([down(), down(), down(), answers("Nothing unusual.")]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack
        .ask_with("a long result", |mut request| {
            request["fallbacks"] = json!([provider("second")]);
            request
        })
        .await;
    let row = stack.ended(&asked).await;
    assert_eq!(row.summary.as_deref(), Some("Nothing unusual."));
    assert_eq!(row.usage.llm_calls, 4);
    let calls = model_calls(&stack, &asked).await;
    let providers: Vec<_> = calls.iter().map(|call| &call.llm_request["provider"]).collect();
    assert_eq!(providers, ["offline", "offline", "offline", "second"]);
    let event = stack.timeline(&asked).await.remove(0);
    assert_eq!(event.metadata.unwrap()["provider"], "second");
    stack.check_gapless(&asked).await;
}

#[tokio::test]
async fn a_summary_that_is_cut_at_its_limit_is_marked_as_truncated() {
    let mut chunks = words("Pods a, b and");
    chunks.push(Chunk::Finish(FinishReason::Length));
    let stack = Stack::new([Script::Answer(chunks)]).await;
    let _service = stack.summarizer("one").await;
    let asked = stack.ask("a long result").await;
    let summary = stack.ended(&asked).await.summary.unwrap();
    assert_eq!(summary, "Pods a, b and\n[The summary was cut at its limit of 500 tokens.]");
    let event = stack.timeline(&asked).await.remove(0);
    assert_eq!(
        (event.content.as_str(), event.status),
        ("Pods a, b and", TimelineStatus::Completed)
    );
    assert_eq!(event.metadata.unwrap()["truncated"], true);
    let calls = model_calls(&stack, &asked).await;
    assert_eq!(calls[0].brief.finish_reason, Some(FinishReason::Length));
}

#[tokio::test]
async fn the_end_of_the_session_stops_its_summary() {
    let stack =
        Stack::new([Script::Pause(words("Not "), words("wanted.")), answers("The next.")]).await;
    let _service = stack.watchful_summarizer("one").await;
    let asked = stack.ask("a long result").await;
    stack.started(&asked, 1).await;
    stack.until_streaming(asked.session(), Some("Not ")).await;
    let end = SessionEnd {
        status: SessionStatus::Failed,
        final_analysis: None,
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure: None,
        error_message: Some("over".to_owned()),
        failure: None,
    };
    stack.store.finish_session(asked.fence, end).await.unwrap();
    assert_eq!(stack.ended(&asked).await.error.as_deref(), Some("the investigation ended"));
    stack.until_streaming(asked.session(), None).await;
    // The summarizer is free for the next one, and nothing was written late.
    stack.llm.resume();
    let next = stack.ask("another").await;
    assert_eq!(stack.ended(&next).await.summary.as_deref(), Some("The next."));
    assert_eq!(stack.timeline(&asked).await.len(), 1);
    stack.check_gapless(&asked).await;
}

#[tokio::test]
async fn a_summarizer_that_stops_hands_its_summary_over() {
    let stack =
        Stack::new([Script::Pause(words("Not "), words("streams.")), answers("The next one's.")])
            .await;
    let first = stack.summarizer("first").await;
    let asked = stack.ask("a long result").await;
    stack.started(&asked, 1).await;
    let _second = stack.summarizer("second").await;
    first.drain(Duration::from_millis(100)).await.unwrap();
    assert_eq!(stack.ended(&asked).await.summary.as_deref(), Some("The next one's."));
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_ended_and_not_tried_for_ever() {
    let stack = Stack::new([]).await;
    let asked = stack.ask_with("a long result", |_| json!({ "of": "another version" })).await;
    let _service = stack.summarizer("one").await;
    let row = stack.ended(&asked).await;
    assert_eq!(row.status, SummaryStatus::Failed);
    assert_eq!(row.error.as_deref(), Some("its request cannot be read"));
    assert_eq!(row.usage, SummaryUsage::default());
}
