//! Large results: a summary is asked for once, waited for, and stands in for the result. The
//! summarizer is played by the store's own statements.

use std::time::Duration;

use serde_json::json;
use tarsy_catalog::Budget;
use tarsy_contracts::live::{Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_contracts::timeline::NewTimelineEvent;
use tarsy_contracts::work::{SummaryFinished, SummaryRequest};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{InteractionId, SessionId, TimelineEventId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::Script;
use tarsy_store::{Batch, Fence, NewLlmInteraction, Op, SummaryClaim, SummaryEnd};
use tarsy_tools::ScriptedToolbox;
use tokio_util::sync::CancellationToken;

use crate::stack::{Stack, WAIT, answer, answer_with, call, calls, chain};

/// About 25,000 tokens; the threshold is 5,000.
fn large() -> String {
    "OOMKilled web-1 at 10:02\n".repeat(4_000)
}

fn tools(result: &str) -> ScriptedToolbox {
    ScriptedToolbox::new().tool("host.load").answers("host.load", result)
}

/// A stack whose agents wait long until their summaries are taken up.
async fn long_claim_timeout(
    turns: impl IntoIterator<Item = Script>,
    toolbox: ScriptedToolbox,
) -> Stack {
    let mut stack = Stack::with(turns, toolbox).await;
    stack.queue.orphan_threshold = Duration::from_mins(20);
    stack
}

/// Whoever claims next goes on where a worker died.
async fn lease_expires(stack: &Stack, session_id: SessionId) {
    stack.store.release_lease(Fence { session_id, epoch: 1 }).await.unwrap();
}

/// The summary that an agent waits for.
async fn claimed(stack: &Stack) -> SummaryClaim {
    let look = async {
        loop {
            let lease = Duration::from_mins(1);
            if let Some(claim) = stack.store.claim_summary("summarizer", lease).await.unwrap() {
                return claim;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(WAIT, look).await.unwrap()
}

async fn finish(stack: &Stack, claim: &SummaryClaim, end: SummaryEnd) {
    stack.store.finish_summary(claim.fence, end).await.unwrap();
    stack
        .bus
        .publish(subject::summary_finished(claim.fence.summary_id), &SummaryFinished {})
        .await
        .unwrap();
}

fn summary(text: &str) -> SummaryEnd {
    SummaryEnd { summary: Some(text.to_owned()), ..SummaryEnd::default() }
}

fn failure(error: &str) -> SummaryEnd {
    SummaryEnd { error: Some(error.to_owned()), ..SummaryEnd::default() }
}

/// An end with the record of a model's call that took so many tokens.
fn costly(claim: &SummaryClaim, tokens: i32) -> SummaryEnd {
    let request: SummaryRequest = serde_json::from_value(claim.request.clone()).unwrap();
    let record = NewLlmInteraction {
        id: InteractionId::new(),
        stage_id: Some(request.stage_id),
        execution_id: Some(request.execution_id),
        kind: LlmInteractionKind::Summarization,
        provider: "p".to_owned(),
        model_name: "m".to_owned(),
        last_message_id: None,
        llm_request: json!({}),
        llm_response: json!({}),
        thinking_content: None,
        response_metadata: None,
        input_tokens: None,
        output_tokens: None,
        total_tokens: Some(tokens),
        thinking_tokens: None,
        tokens_estimated: false,
        cost_micro_usd: None,
        duration_ms: None,
        first_token_ms: None,
        finish_reason: None,
        timed_out: false,
        error_message: None,
        compaction: None,
        record: Box::default(),
        tools: Vec::new(),
    };
    SummaryEnd {
        batch: Batch::new().with(Op::LlmInteraction(record)),
        ..summary("web-1 was OOMKilled 4,000 times")
    }
}

#[tokio::test]
async fn the_model_reads_the_summary_of_a_large_result_and_the_whole_is_kept() {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = long_claim_timeout(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;

    let claim = claimed(&stack).await;
    assert_eq!(claim.result, large());
    let request: SummaryRequest = serde_json::from_value(claim.request.clone()).unwrap();
    assert_eq!((request.server_name.as_str(), request.tool_name.as_str()), ("host", "load"));
    assert_eq!((request.call_number, request.max_tokens), (1, 1_000));
    assert_eq!(request.original_tokens, 25_000);
    finish(&stack, &claim, summary("web-1 was OOMKilled 4,000 times")).await;

    submitted.ends(SessionStatus::Completed).await;
    let prompt = stack.prompt(1);
    assert!(prompt.starts_with("[call 1] answered."), "{prompt}");
    assert!(prompt.contains("web-1 was OOMKilled 4,000 times"), "{prompt}");
    assert!(prompt.contains("The result has about 25000 tokens."), "{prompt}");
    assert!(!prompt.contains("OOMKilled web-1 at 10:02"), "{prompt}");
    let call = stack.texts(submitted.id, TimelineKind::LlmToolCall).await.remove(0);
    assert!(call.contains("[cut here:"), "the timeline shows the beginning");
    stack.check_end(&submitted, SessionStatus::Completed).await;
}

#[tokio::test]
async fn without_a_summary_the_model_reads_the_result_and_the_timeline_has_the_error() {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = long_claim_timeout(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let claim = claimed(&stack).await;
    finish(&stack, &claim, failure("the key was refused")).await;

    submitted.ends(SessionStatus::Completed).await;
    assert!(stack.prompt(1).contains("OOMKilled web-1 at 10:02"));
    let notes = stack.texts(submitted.id, TimelineKind::Error).await;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("[call 1] could not be summarized: the key was refused"),
        "{notes:?}"
    );
    stack.check_end(&submitted, SessionStatus::Completed).await;
}

#[tokio::test]
async fn a_summary_that_nobody_claims_is_abandoned() {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = Stack::with(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    assert!(stack.prompt(1).contains("OOMKilled web-1 at 10:02"));
    let notes = stack.texts(submitted.id, TimelineKind::Error).await;
    assert!(notes[0].contains("no summarizer runs"), "{notes:?}");
    assert_eq!(stack.store.count_claimable_summaries().await.unwrap(), 0);
}

#[tokio::test]
async fn a_summary_waits_in_line_while_all_summarizers_are_busy() {
    let asked = ["a", "b"].map(|id| call(id, "host.load")).into();
    let turns = [Script::Answer(asked), answer_with("It is memory."), answer_with("Memory.")];
    let stack = Stack::with(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let busy = claimed(&stack).await;
    // Longer than a summary may wait when no summarizer runs.
    tokio::time::sleep(stack.queue.orphan_threshold * 2).await;
    let next = claimed(&stack).await;
    for claim in [busy, next] {
        finish(&stack, &claim, summary("web-1 was OOMKilled 4,000 times")).await;
    }
    submitted.ends(SessionStatus::Completed).await;
    assert!(stack.texts(submitted.id, TimelineKind::Error).await.is_empty());
    stack.check_end(&submitted, SessionStatus::Completed).await;
}

#[tokio::test]
async fn a_small_result_is_not_summarized() {
    let turns = [calls("host.load"), answer_with("Fine."), answer_with("Fine.")];
    let stack = Stack::with(turns, tools(&"a line\n".repeat(1_000))).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    assert!(stack.prompt(1).contains("a line\na line\n"));
    assert!(stack.texts(submitted.id, TimelineKind::Error).await.is_empty());
}

#[tokio::test]
async fn a_server_may_forbid_summaries_of_its_results() {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = Stack::with(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut chain = chain();
    for server in &mut chain.stages[0].agents[0].servers {
        server.summarization.enabled = false;
    }
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    assert!(stack.prompt(1).contains("OOMKilled web-1 at 10:02"));
    assert!(stack.texts(submitted.id, TimelineKind::Error).await.is_empty());
}

#[tokio::test]
async fn a_new_owner_waits_for_the_summary_and_makes_no_call_again() {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = long_claim_timeout(turns, tools(&large())).await;
    let doomed = stack.doomed("doomed").await;
    let mut submitted = stack.submit(&chain()).await;
    let claim = claimed(&stack).await;
    doomed.kill().await;
    lease_expires(&stack, submitted.id).await;
    let _worker = stack.worker("next").await;
    finish(&stack, &claim, summary("web-1 was OOMKilled 4,000 times")).await;

    submitted.ends(SessionStatus::Completed).await;
    assert!(stack.prompt(1).contains("web-1 was OOMKilled 4,000 times"));
    let executions = stack.store.list_executions(submitted.id).await.unwrap();
    assert_eq!(stack.store.list_calls(executions[0].id).await.unwrap().len(), 1);
    assert_eq!(stack.toolbox.calls().len(), 1);
    stack.check_end(&submitted, SessionStatus::Completed).await;
}

#[tokio::test]
async fn a_cancel_ends_the_wait_and_the_summary() {
    let turns = [calls("host.load")];
    let stack = long_claim_timeout(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let claim = claimed(&stack).await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    let late = stack.store.finish_summary(claim.fence, summary("late")).await;
    assert!(late.unwrap_err().is_fenced());
    stack.check_end(&submitted, SessionStatus::Cancelled).await;
}

#[tokio::test]
async fn a_summary_counts_against_the_sessions_budget() {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = long_claim_timeout(turns, tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut chain = chain();
    chain.budget = Budget { llm_calls: 100, tokens: 500, tool_calls: 100, ..Budget::default() };
    let mut submitted = stack.submit(&chain).await;
    let claim = claimed(&stack).await;
    finish(&stack, &claim, costly(&claim, 600)).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let prompt = stack.texts(submitted.id, TimelineKind::BudgetReached).await;
    assert_eq!(prompt, ["The budget of 500 tokens is used up (615). The agent concludes now."]);
    let used = stack.store.find_usage(submitted.id).await.unwrap();
    assert_eq!((used.tokens, used.llm_calls), (645, 4));
}

/// What the session of a summary of 600 tokens says of its budget, when a new owner comes before or
/// after the summary ends.
async fn budget_events_after_a_takeover(ends_first: bool) -> Vec<String> {
    let turns = [calls("host.load"), answer_with("It is memory."), answer_with("Memory.")];
    let stack = long_claim_timeout(turns, tools(&large())).await;
    let doomed = stack.doomed("doomed").await;
    let mut chain = chain();
    chain.budget = Budget { llm_calls: 100, tokens: 500, tool_calls: 100, ..Budget::default() };
    let mut submitted = stack.submit(&chain).await;
    let claim = claimed(&stack).await;
    doomed.kill().await;
    lease_expires(&stack, submitted.id).await;
    let worker = if ends_first {
        finish(&stack, &claim, costly(&claim, 600)).await;
        stack.worker("next").await
    } else {
        let worker = stack.worker("next").await;
        let opened = async {
            while stack.toolbox.opens().len() < 2 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(WAIT, opened).await.unwrap();
        finish(&stack, &claim, costly(&claim, 600)).await;
        worker
    };
    submitted.ends(SessionStatus::Completed).await;
    drop(worker);
    stack.texts(submitted.id, TimelineKind::BudgetReached).await
}

#[tokio::test]
async fn a_new_owner_counts_a_summary_once_whenever_it_ends() {
    let prompt = ["The budget of 500 tokens is used up (615). The agent concludes now."];
    assert_eq!(budget_events_after_a_takeover(true).await, prompt);
    assert_eq!(budget_events_after_a_takeover(false).await, prompt);
}

#[tokio::test]
async fn calls_that_wait_for_their_summaries_do_not_keep_others_from_being_made() {
    let mut asked: Vec<_> = ["a", "b", "c", "d"].map(|id| call(id, "host.load")).into();
    asked.push(call("e", "host.disk"));
    let turns = [Script::Answer(asked), answer_with("It is memory."), answer_with("Memory.")];
    let toolbox = tools(&large()).tool("host.disk").answers("host.disk", "4 % free");
    let stack = long_claim_timeout(turns, toolbox).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let all_made = async {
        while stack.toolbox.calls().len() < 5 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(WAIT, all_made).await.expect("the fifth waits for nothing");
    for _ in 0..4 {
        let claim = claimed(&stack).await;
        finish(&stack, &claim, summary("web-1 was OOMKilled 4,000 times")).await;
    }
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let messages = stack.llm.requests()[1].messages.clone();
    let prompt: Vec<_> = messages.iter().filter(|one| one.role == Role::Tool).collect();
    let ids: Vec<_> = prompt.iter().map(|one| one.tool_call_id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c", "d", "e"], "in the order in which they were asked for");
    assert_eq!(prompt[4].content, answer(5, "4 % free"));
}

#[tokio::test]
async fn a_stopped_session_keeps_what_its_summarizer_was_saying() {
    let stack = long_claim_timeout([calls("host.load")], tools(&large())).await;
    let _worker = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let claim = claimed(&stack).await;
    let request: SummaryRequest = serde_json::from_value(claim.request.clone()).unwrap();
    let event_id = TimelineEventId::new();
    let event = NewTimelineEvent {
        id: event_id,
        stage_id: Some(request.stage_id),
        execution_id: Some(request.execution_id),
        kind: TimelineKind::McpToolSummary,
        status: TimelineStatus::Streaming,
        content: String::new(),
        metadata: None,
    };
    stack.store.open_summary_event(claim.fence, event).await.unwrap();
    let text = StreamingText { event_id, content: "web-1 was OOM".to_owned() };
    let snapshot = Snapshot { streams: vec![text], others: 0 };
    let (subject, done) = (subject::live_summaries(submitted.id), CancellationToken::new());
    let answer = move |_: SnapshotRequest| {
        let snapshot = snapshot.clone();
        async move { Ok(snapshot) }
    };
    let answering = stack.bus.respond(subject.clone(), None, 4, done.clone(), answer);
    let cancelling = async {
        // Nobody says when a subscription stands.
        let request = SnapshotRequest::default();
        let ask = async || {
            let wait = Duration::from_millis(200);
            stack.bus.request_many::<_, Snapshot>(subject.clone(), &request, 1, wait).await
        };
        while ask().await.is_ok_and(|answers| answers.is_empty()) {}
        stack.store.request_cancel(submitted.id).await.unwrap();
        submitted.ends(SessionStatus::Cancelled).await;
        done.cancel();
    };
    let (answered, ()) = tokio::join!(answering, cancelling);
    answered.unwrap();
    stack.check_end(&submitted, SessionStatus::Cancelled).await;
    let events = stack.timeline(submitted.id).await;
    let summary = events.iter().find(|event| event.id == event_id).unwrap();
    let kept = (summary.status, summary.content.as_str());
    assert_eq!(kept, (TimelineStatus::Cancelled, "web-1 was OOM"));
    assert_eq!(summary.metadata, Some(json!({"interrupted": true})));
}
