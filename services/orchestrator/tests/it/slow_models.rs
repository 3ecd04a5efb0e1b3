//! Models whose answers are still being written when their time is up.

use serde_json::json;
use tarsy_catalog::ResolvedChain;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Chunk, Script};

use crate::stack::{Stack, SubmittedSession, answer_with, chain, text, two_stages};

/// One answer may take two seconds.
fn hurried() -> ResolvedChain {
    ResolvedChain { iteration_timeout_ms: 2_000, ..chain() }
}

fn streams(chunk: Chunk) -> Script {
    Script::Pause(vec![chunk], Vec::new())
}

async fn completed(
    turns: Vec<Script>,
    chain: &ResolvedChain,
) -> (Stack, SubmittedSession, Option<String>) {
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    (stack, submitted, session.final_analysis)
}

#[tokio::test]
async fn a_model_goes_on_from_what_came_of_its_answer() {
    let turns = vec![
        streams(text("The disk is full.\nIts log gr")),
        answer_with("Its log grew by 40 GiB."),
        answer_with("Short."),
    ];
    let (stack, submitted, analysis) = completed(turns, &hurried()).await;
    assert_eq!(analysis.as_deref(), Some("The disk is full.\nIts log grew by 40 GiB."));
    assert!(
        stack.prompt(1).contains("The time for one answer (2 s) was up"),
        "{}",
        stack.prompt(1)
    );
    let calls = stack.model_calls(submitted.id).await;
    let ends: Vec<_> =
        calls.iter().map(|call| (call.brief.timed_out, call.brief.error_message.clone())).collect();
    assert_eq!(ends[..2], [(true, None), (false, None)]);
    let events = stack.timeline(submitted.id).await;
    let of = |kind| events.iter().find(|event| event.kind == kind).unwrap();
    let part = of(TimelineKind::LlmResponse);
    assert_eq!(part.metadata, Some(json!({ "truncated": true, "time_up": true })));
    assert_eq!(part.status, TimelineStatus::Completed);
    assert_eq!(Some(of(TimelineKind::FinalAnalysis).content.clone()), analysis);
}

#[tokio::test]
async fn a_model_that_only_thought_is_given_its_reasoning() {
    let turns = vec![
        streams(Chunk::Thinking("Hm, the load is 40.".to_owned())),
        answer_with("The load."),
        answer_with("Short."),
    ];
    let (stack, submitted, analysis) = completed(turns, &hurried()).await;
    assert_eq!(analysis.as_deref(), Some("The load."));
    assert!(stack.prompt(1).contains("Hm, the load is 40."), "{}", stack.prompt(1));
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    let messages = stack.store.list_messages(execution.id).await.unwrap();
    let roles: Vec<_> = messages.iter().map(|one| (one.role, one.continues)).collect();
    let user = |continues| (Role::User, continues);
    assert_eq!(
        roles,
        [(Role::System, false), user(false), user(true), (Role::Assistant, false)],
        "no message is empty"
    );
}

#[tokio::test]
async fn a_model_that_stays_slow_concludes() {
    let part = || streams(text("So far."));
    let turns = vec![part(), part(), part(), answer_with("The load."), answer_with("Short.")];
    let (stack, submitted, analysis) = completed(turns, &hurried()).await;
    assert_eq!(analysis.as_deref(), Some("The load."));
    assert!(stack.prompt(3).contains("this one must be short"), "{}", stack.prompt(3));
    let calls = stack.model_calls(submitted.id).await;
    let kinds: Vec<_> = calls.iter().map(|call| call.brief.kind).collect();
    let iteration = LlmInteractionKind::Iteration;
    assert_eq!(kinds[..3], [iteration; 3]);
    assert_eq!(kinds[3], LlmInteractionKind::ForcedConclusion);
}

#[tokio::test]
async fn what_came_of_a_conclusion_is_reported_and_marked() {
    let part = || streams(text("So far."));
    let turns =
        vec![part(), part(), part(), streams(text("The load is 40.")), streams(text("The load"))];
    let (stack, submitted, analysis) = completed(turns, &hurried()).await;
    let note = "\n\n[This answer was cut off when its time was up.]";
    assert_eq!(analysis, Some(format!("The load is 40.{note}")));
    let session = stack.session(submitted.id).await;
    assert_eq!(session.executive_summary, Some(format!("The load{note}")));
}

#[tokio::test]
async fn another_owner_goes_on_from_what_came() {
    let turns = vec![
        streams(text("The disk is full.\nIts log gr")),
        streams(text("never stored")),
        answer_with("Its log grew by 40 GiB."),
        answer_with("Second stage."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let chain = ResolvedChain { iteration_timeout_ms: 2_000, ..two_stages() };
    let mut submitted = stack.submit(&chain).await;
    submitted.until("timeline_event.completed", "completed").await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let asked = stack.llm.requests();
    assert_eq!(asked[2].messages.len(), asked[1].messages.len(), "the request is not repeated");
    let whole = "The disk is full.\nIts log grew by 40 GiB.";
    assert!(stack.prompt(3).contains(whole), "{}", stack.prompt(3));
}
