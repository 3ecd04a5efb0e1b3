//! Answers that their provider cut at the output limit, and summaries without a first token.

use serde_json::json;
use tarsy_domain::event::{FinishReason, TimelineKind};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, Script};

use crate::world::{World, chain, says, text, two_stages};

const NOTE: &str = "[This answer was cut off at the model's output limit.]";

fn cut(words: &str) -> Script {
    Script::Answer(vec![text(words), Chunk::Finish(FinishReason::Length)])
}

#[tokio::test]
async fn a_conclusion_cut_at_its_limit_is_marked_wherever_it_is_read() {
    let world = World::new([cut("The load is"), says("The load."), says("Short.")]).await;
    world.worker("one").await;
    let mut story = world.submit(&two_stages()).await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    let marked = format!("The load is\n\n{NOTE}");
    assert!(world.told(1).contains(&marked), "the next agent reads the mark");
    let events = world.timeline(story.id).await;
    let of = |kind| events.iter().find(|event| event.kind == kind).unwrap();
    let conclusion = of(TimelineKind::FinalAnalysis);
    assert_eq!(conclusion.content, marked);
    for event in [conclusion, of(TimelineKind::LlmResponse)] {
        assert_eq!(event.metadata, Some(json!({ "truncated": true })));
    }
    let calls = world.model_calls(story.id).await;
    let reasons: Vec<_> =
        calls.iter().map(|call| call.brief.finish_reason.map(FinishReason::as_str)).collect();
    assert_eq!(reasons, [Some("length"), None, None]);
}

#[tokio::test]
async fn an_executive_summary_cut_at_its_limit_is_marked() {
    let world = World::new([says("Found."), cut("In short")]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary, Some(format!("In short\n\n{NOTE}")));
    let events = world.timeline(story.id).await;
    let event = events.iter().find(|event| event.kind == TimelineKind::ExecutiveSummary).unwrap();
    assert_eq!(event.metadata, Some(json!({ "truncated": true })));
}

#[tokio::test]
async fn an_executive_summary_without_a_first_token_is_abandoned_and_recorded() {
    let world = World::new([says("Found."), Script::Unresponsive]).await;
    world.worker("one").await;
    let mut chain = chain();
    chain.first_token_timeout_ms = 300;
    let mut story = world.submit(&chain).await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.executive_summary, None);
    let why = "the model sent no first token within 300ms";
    assert_eq!(session.executive_summary_error.as_deref(), Some(why));
    let calls = world.model_calls(story.id).await;
    assert!(calls[1].brief.timed_out);
    assert_eq!(calls[1].llm_request["messages"][1]["role"], "user");
}
