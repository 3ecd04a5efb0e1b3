//! Answers that their provider cut at the output limit, and summaries without a first token.

use serde_json::json;
use tarsy_domain::event::{FinishReason, TimelineKind};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, Script};

use crate::stack::{Stack, answer_with, chain, text, two_stages};

const NOTE: &str = "[This answer was cut off at the model's output limit.]";

fn cut(words: &str) -> Script {
    Script::Answer(vec![text(words), Chunk::Finish(FinishReason::Length)])
}

#[tokio::test]
async fn a_conclusion_cut_at_its_limit_is_marked_wherever_it_is_read() {
    let stack =
        Stack::new([cut("The load is"), answer_with("The load."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&two_stages()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let marked = format!("The load is\n\n{NOTE}");
    assert!(stack.prompt(1).contains(&marked), "the next agent reads the mark");
    let events = stack.timeline(submitted.id).await;
    let of = |kind| events.iter().find(|event| event.kind == kind).unwrap();
    let conclusion = of(TimelineKind::FinalAnalysis);
    assert_eq!(conclusion.content, marked);
    for event in [conclusion, of(TimelineKind::LlmResponse)] {
        assert_eq!(event.metadata, Some(json!({ "truncated": true })));
    }
    let calls = stack.model_calls(submitted.id).await;
    let reasons: Vec<_> =
        calls.iter().map(|call| call.brief.finish_reason.map(FinishReason::as_str)).collect();
    assert_eq!(reasons, [Some("length"), None, None]);
}

#[tokio::test]
async fn an_executive_summary_cut_at_its_limit_is_marked() {
    let stack = Stack::new([answer_with("Found."), cut("In short")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary, Some(format!("In short\n\n{NOTE}")));
    let events = stack.timeline(submitted.id).await;
    let event = events.iter().find(|event| event.kind == TimelineKind::ExecutiveSummary).unwrap();
    assert_eq!(event.metadata, Some(json!({ "truncated": true })));
}

#[tokio::test]
async fn an_executive_summary_without_a_first_token_is_abandoned_and_recorded() {
    let stack = Stack::new([answer_with("Found."), Script::Unresponsive]).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.first_token_timeout_ms = 300;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary, None);
    let why = "the model sent no first token within 300ms (`llm_timeouts.first_token` of the provider or the defaults)";
    assert_eq!(session.executive_summary_error.as_deref(), Some(why));
    let calls = stack.model_calls(submitted.id).await;
    assert!(calls[1].brief.timed_out);
    assert_eq!(calls[1].llm_request["messages"][1]["role"], "user");
}
