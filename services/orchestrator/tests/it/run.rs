//! Sessions that run from their beginning to their end.

use serde_json::{Value, json};
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::{Chunk, Script};
use tarsy_tools::ScriptedToolbox;

use crate::stack::{Stack, answer, answer_with, call, calls, chain, text, two_stages, usage};

#[tokio::test]
async fn a_session_with_two_rounds_of_tools_completes() {
    let both = Script::Answer(vec![
        Chunk::Thinking("load first".to_owned()),
        text("Looking at both."),
        call("a", "host.load"),
        call("b", "host.disks"),
        usage(),
    ]);
    let again = Script::Answer(vec![call("a", "host.load"), usage()]);
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .tool("host.disks")
        .answers("host.load", "load 40")
        .answers("host.disks", "disks are fine");
    let turns = [both, again, answer_with("The load is high."), answer_with("In short: load.")];
    let stack = Stack::with(turns, toolbox).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    check_events_of_a_call(&submitted.events);
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    assert_eq!(session.executive_summary.as_deref(), Some("In short: load."));
    assert_eq!(session.error_message, None);

    let kinds: Vec<_> = stack.timeline(submitted.id).await.iter().map(|event| event.kind).collect();
    assert_eq!(kinds[..2], [TimelineKind::LlmThinking, TimelineKind::LlmResponse]);
    assert_eq!(kinds[2..5], [TimelineKind::LlmToolCall; 3]);
    assert_eq!(
        kinds[5..],
        [TimelineKind::LlmResponse, TimelineKind::FinalAnalysis, TimelineKind::ExecutiveSummary]
    );

    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    assert_eq!(execution.status, WorkStatus::Completed);
    let messages = stack.store.list_messages(execution.id).await.unwrap();
    let prompt = [answer(1, "load 40"), answer(2, "disks are fine"), answer(3, "load 40")];
    let output: Vec<_> =
        messages.iter().map(|one| (one.sequence_number, one.role, one.content.as_str())).collect();
    assert_eq!(
        output[2..],
        [
            (2, Role::Assistant, "Looking at both."),
            (3, Role::Tool, prompt[0].as_str()),
            (4, Role::Tool, prompt[1].as_str()),
            (5, Role::Assistant, ""),
            (6, Role::Tool, prompt[2].as_str()),
            (7, Role::Assistant, "The load is high."),
        ]
    );
    assert_ne!(messages[6].tool_call_id.as_deref(), Some("a"), "a name is used once");
    let calls = stack.store.list_calls(execution.id).await.unwrap();
    assert_eq!(calls.iter().map(|call| call.call_number).collect::<Vec<_>>(), [1, 2, 3]);
    let events = stack.timeline(submitted.id).await;
    let numbers: Vec<_> =
        events[2..5].iter().map(|one| &one.metadata.as_ref().unwrap()["call_number"]).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(calls.iter().all(|call| call.status == CallStatus::Completed));
    assert!(stack.toolbox.opens().iter().all(|open| open.closed));

    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let kinds: Vec<_> =
        trace.stages[0].executions[0].llm_interactions.iter().map(|one| one.kind).collect();
    assert_eq!(
        kinds,
        [
            LlmInteractionKind::Iteration,
            LlmInteractionKind::Iteration,
            LlmInteractionKind::FinalAnalysis
        ]
    );
    assert_eq!(trace.session_interactions[0].kind, LlmInteractionKind::ExecutiveSummary);
    assert_eq!(trace.session_interactions[0].total_tokens, Some(15));
}

/// "Single-Event Lifecycle Pattern" and "Stage Status Event", architecture document, lines 1210 to 1222 and 1331 to 1339: one
/// event a call, and all fields of a stage's.
fn check_events_of_a_call(events: &[Value]) {
    let is = |event: &&Value, kind: &str, status: &str| {
        event["type"] == kind && event["status"] == status
    };
    let created = events
        .iter()
        .find(|one| {
            is(one, "timeline_event.created", "streaming") && one["event_type"] == "llm_tool_call"
        })
        .unwrap();
    for field in ["server_name", "tool_name", "arguments"] {
        assert!(!created["metadata"][field].is_null(), "{field}: {created}");
    }
    let ends = events.iter().filter(|one| {
        one["type"] == "timeline_event.completed" && one["event_id"] == created["event_id"]
    });
    let ends: Vec<&Value> = ends.collect();
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert_eq!(ends[0]["status"], "completed");
    assert!(ends[0]["content"].as_str().is_some_and(|text| !text.is_empty()), "{}", ends[0]);
    assert_eq!(ends[0]["metadata"]["is_error"], json!(false));
    let started = events.iter().find(|one| is(one, "stage.status", "started")).unwrap();
    for field in ["session_id", "stage_id", "stage_name", "timestamp"] {
        assert!(started[field].is_string(), "{field}: {started}");
    }
    assert_eq!(started["stage_index"], json!(1));
}

#[tokio::test]
async fn an_error_of_a_tool_is_a_result_that_the_model_sees() {
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .then("host.load", tarsy_tools::fake::Answer::Error("no such file".to_owned()));
    let turns = [calls("host.load"), answer_with("It cannot be read."), answer_with("Short.")];
    let stack = Stack::with(turns, toolbox).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(stack.prompt(1).starts_with("[call 1] failed."), "{}", stack.prompt(1));
    assert!(stack.prompt(1).contains("\nno such file\n"));
    let events = stack.timeline(submitted.id).await;
    let called = events.iter().find(|event| event.kind == TimelineKind::LlmToolCall).unwrap();
    assert_eq!(called.status, TimelineStatus::Failed);
    let metadata = called.metadata.as_ref().unwrap();
    assert_eq!(metadata["is_error"], json!(true));
    assert_eq!(metadata["server_name"], json!("host"));
}

#[tokio::test]
async fn a_session_concludes_when_its_iterations_are_used() {
    let stubborn = Script::Answer(vec![text("That is all."), call("more", "host.load"), usage()]);
    let stack = Stack::new([calls("host.load"), stubborn, answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.stages[0].agents[0].max_iterations = 1;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("That is all."));
    let asked = stack.llm.requests();
    assert_eq!(asked[0].tools[0].name, "host.load");
    assert!(asked[1].tools.is_empty());
    assert!(stack.prompt(1).contains("no more tools"), "{}", stack.prompt(1));
    assert_eq!(stack.toolbox.calls().len(), 1);
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let last = trace.stages[0].executions[0].llm_interactions.last().unwrap();
    assert_eq!(last.kind, LlmInteractionKind::ForcedConclusion);
    let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
    assert!(detail.item.degraded_reasons.contains(&DegradedReason::IterationsUsedUp));
}

#[tokio::test]
async fn a_stage_is_given_what_the_stages_before_it_found() {
    let stack = Stack::new([
        answer_with("Disk is full."),
        answer_with("Clean /var."),
        answer_with("Short."),
    ])
    .await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&two_stages()).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Clean /var."));
    assert!(stack.prompt(1).contains("Disk is full."));
    assert!(stack.prompt(2).contains("Clean /var."));
}
