//! Scores: asked for in two turns, survive their owners, and are never made up.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_catalog::{Backend, Catalog, Env, ResolvedChain};
use tarsy_contracts::score::Score;
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::SessionId;
use tarsy_domain::score::{FailureTag, ScoreFailure, ScoreStatus};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::stack::{Stack, WAIT, answer_with, calls, chain, text};

/// A chain whose sessions a model judges.
fn judged() -> ResolvedChain {
    let catalog = Catalog::builtin(&Env::empty()).unwrap();
    let mut scoring =
        catalog.resolve_scoring("host", "2026-01-02T03:04:05Z".parse().unwrap()).unwrap();
    scoring.agent.provider.backend = Backend::Langchain;
    ResolvedChain { scoring: Some(scoring), verdict: false, ..chain() }
}

/// What an investigation says: one call, a conclusion, a summary.
fn investigation() -> [Script; 3] {
    [calls("host.load"), answer_with("The load is 0.4 [call 1]."), answer_with("Short.")]
}

fn judgement(score: &Value) -> Script {
    let answer = json!({"analysis": "Only one look.", "failure_tags": ["premature_conclusion"], "score": score});
    answer_with(&answer.to_string())
}

fn tools() -> Script {
    answer_with(
        &json!({"missing_tools": [{"name": "history", "why": "it shows since when"}]}).to_string(),
    )
}

async fn stack(judging: impl IntoIterator<Item = Script>) -> Stack {
    Stack::new(investigation().into_iter().chain(judging)).await
}

/// A session that completed, whatever becomes of its score.
async fn completed(stack: &Stack, chain: &ResolvedChain) -> SessionId {
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.id
}

/// The session's score, once it has come so far.
async fn score(stack: &Stack, id: SessionId, status: ScoreStatus) -> Score {
    let look = async {
        loop {
            let found = stack.store.list_scores(id).await.unwrap().unwrap().into_iter().next();
            match found {
                Some(score) if score.status == status => return score,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(WAIT, look).await.unwrap()
}

#[tokio::test]
async fn a_model_judges_in_two_turns_after_the_session_has_ended() {
    let stack = stack([judgement(&json!(64)), tools()]).await;
    stack.worker("one").await;
    let id = completed(&stack, &judged()).await;
    let score = score(&stack, id, ScoreStatus::Completed).await;
    assert_eq!((score.score, score.model_score), (Some(64), Some(64)));
    assert_eq!(score.failure_tags, [FailureTag::PrematureConclusion]);
    assert_eq!(score.missing_tools[0].name, "history");
    assert_eq!((score.llm_calls, score.total_tokens), (2, 30));
    let checks = score.checks.unwrap();
    assert_eq!((checks.score, checks.calls, checks.looked), (100, 1, true));
    let asked = stack.llm.requests();
    let [first, second] = &asked[3..] else { panic!("{asked:?}") };
    assert!(first.tools.is_empty() && second.tools.is_empty());
    assert!(first.messages[1].content.contains("[call 1] host.load"), "{first:?}");
    assert_eq!(second.messages[..2], first.messages[..2]);
    assert!(second.messages[2].content.contains("Only one look."), "{second:?}");
    let calls = stack.model_calls(id).await.into_iter();
    let of_score: Vec<_> =
        calls.filter(|call| call.brief.kind == LlmInteractionKind::Score).collect();
    let version = of_score[0].record.prompt_version.clone();
    assert_eq!((of_score.len(), version), (2, score.prompt_version));
    let used = stack.store.find_usage(id).await.unwrap();
    assert_eq!((used.llm_calls, used.tokens), (3, 45), "of the investigation");
}

#[tokio::test]
async fn who_resumes_a_score_asks_for_the_second_answer_alone() {
    let waits = Script::Pause(vec![text("{\"missing")], vec![]);
    let stack = stack([judgement(&json!(64)), waits, tools()]).await;
    let first = stack.doomed("one").await;
    let id = completed(&stack, &judged()).await;
    stack.asks(5).await;
    first.kill().await;
    stack.worker("two").await;
    let score = score(&stack, id, ScoreStatus::Completed).await;
    assert_eq!((score.score, stack.llm.requests().len()), (Some(64), 6));
    assert!(stack.llm.requests()[5].messages[2].content.contains("Only one look."));
}

#[tokio::test]
async fn a_stop_gives_a_score_back_after_its_own_time() {
    let waits = Script::Pause(vec![text("{\"ana")], vec![]);
    let mut stack = stack([waits, judgement(&json!(64)), tools()]).await;
    stack.queue.scoring_shutdown_timeout = Duration::from_millis(50);
    let one = stack.worker("one").await;
    let id = completed(&stack, &judged()).await;
    stack.asks(4).await;
    // It would wait for a session much longer.
    tokio::time::timeout(WAIT / 2, one.drain(WAIT)).await.unwrap().unwrap();
    stack.worker("two").await;
    let score = score(&stack, id, ScoreStatus::Completed).await;
    assert_eq!((score.score, score.llm_calls), (Some(64), 3), "the broken call is on record");
}

#[tokio::test]
async fn an_answer_without_a_number_is_repaired_once_and_never_made_up() {
    let stack = stack([judgement(&json!("good")), judgement(&json!(101))]).await;
    stack.worker("one").await;
    let id = completed(&stack, &judged()).await;
    let score = score(&stack, id, ScoreStatus::Failed).await;
    assert_eq!((score.score, score.model_score), (None, None));
    assert_eq!((score.failure, score.llm_calls), (Some(ScoreFailure::Invalid), 2));
    assert_eq!(score.checks.map(|checks| checks.score), Some(100), "what code counts is there");
    let repair = stack.llm.requests()[4].messages.last().unwrap().content.clone();
    assert!(repair.contains("score: it is no whole number from 0 to 100"), "{repair}");
    assert_eq!(stack.session(id).await.status, SessionStatus::Completed);
}

#[tokio::test]
async fn code_lowers_a_score_that_a_result_talked_a_model_into() {
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .then("host.load", Answer::Error("no such host".to_owned()));
    let turns = investigation().into_iter().chain([judgement(&json!(100)), answer_with("none")]);
    let stack = Stack::with(turns.chain([answer_with("none")]), toolbox).await;
    stack.worker("one").await;
    let id = completed(&stack, &judged()).await;
    let score = score(&stack, id, ScoreStatus::Completed).await;
    assert_eq!((score.model_score, score.score), (Some(100), Some(20)), "nothing was seen");
    assert_eq!(score.tools_failure, Some(ScoreFailure::Invalid), "the number counts all the same");
}

#[tokio::test]
async fn the_offline_analyst_judges_nobody_and_nobody_is_judged_unasked() {
    let stack = stack([]).await;
    stack.worker("one").await;
    let mut chain = judged();
    chain.scoring.as_mut().unwrap().agent.provider.backend = Backend::Offline;
    let id = completed(&stack, &chain).await;
    let score = score(&stack, id, ScoreStatus::Failed).await;
    assert_eq!((score.failure, score.llm_calls), (Some(ScoreFailure::NoModel), 0));
    assert_eq!(stack.llm.requests().len(), 3);
}
