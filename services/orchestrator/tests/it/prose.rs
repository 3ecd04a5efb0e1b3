//! The prose of postmortems: written from stored facts alone, survives its owner, and states nothing else.

use serde_json::{Value, json};
use tarsy_catalog::{Backend, Catalog, Env, ResolvedChain, ResolvedWriter};
use tarsy_contracts::postmortem::{PostmortemFact, PostmortemProse};
use tarsy_domain::event::LlmInteractionKind;
use tarsy_domain::id::SessionId;
use tarsy_domain::postmortem::{ProseFailure, ProseSection, ProseStatus};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;
use tarsy_store::{NewProse, ProseRequest};
use tarsy_testkit::{Seen, eventually};

use crate::stack::{Stack, WAIT, answer_with, calls, chain, text};

fn fact(id: &str, text: &str) -> PostmortemFact {
    let (id, text, source) = (id.to_owned(), text.to_owned(), "call 1 (host.load)".to_owned());
    PostmortemFact { id, text, source }
}

/// A session that completed, and whose prose somebody asked for.
async fn asked(writing: impl IntoIterator<Item = Script>) -> (Stack, SessionId) {
    let investigation =
        [calls("host.load"), answer_with("The load is 0.4 [call 1]."), answer_with("Short.")];
    let stack = Stack::new(investigation.into_iter().chain(writing)).await;
    let worker = stack.worker("one").await;
    let mut submitted =
        stack.submit(&ResolvedChain { scoring: None, verdict: false, ..chain() }).await;
    submitted.ends(SessionStatus::Completed).await;
    worker.drain(WAIT).await.unwrap();
    let new = NewProse {
        session_id: submitted.id,
        writer: serde_json::to_value(writer()).unwrap(),
        facts: vec![fact("F1", "The disk was 98 % full"), fact("F2", "It lasted 12 min")],
        requested_by: "rosa".to_owned(),
        replaces_edited: false,
    };
    assert_eq!(stack.store.request_prose(new).await.unwrap(), ProseRequest::Added);
    (stack, submitted.id)
}

fn writer() -> ResolvedWriter {
    let chain = Catalog::builtin(&Env::empty()).unwrap().resolve_chain(Some("host"), None).unwrap();
    let mut provider = chain.executive_summary_provider;
    provider.backend = Backend::Langchain;
    ResolvedWriter {
        providers: vec![provider],
        iteration_timeout_ms: 60_000,
        first_token_timeout_ms: 30_000,
        stall_timeout_ms: 30_000,
    }
}

fn answer(summary: &Value) -> Script {
    answer_with(&json!({"summary": summary, "what_happened": [], "lessons": []}).to_string())
}

fn good() -> Value {
    json!([
        {"text": "The disk was 98 % full.", "facts": ["F1"]},
        {"text": "It lasted 45 min.", "facts": ["F2"]},
        {"text": "Everybody was happy.", "facts": []},
    ])
}

async fn prose(stack: &Stack, id: SessionId, status: ProseStatus) -> PostmortemProse {
    let find = async || stack.store.find_prose(id).await.unwrap();
    let has_status = async || {
        let found = find().await.map(|prose| prose.status);
        Seen::equal(found, Some(status))
    };
    eventually("the prose has the status", has_status).await;
    find().await.unwrap()
}

#[tokio::test]
async fn only_sentences_that_their_facts_state_are_kept() {
    let (stack, id) = asked([answer(&good())]).await;
    stack.worker("two").await;
    let prose = prose(&stack, id, ProseStatus::Completed).await;
    assert_eq!((prose.sentences.len(), prose.left_out), (1, 2), "{prose:?}");
    let kept = &prose.sentences[0];
    assert_eq!(
        (kept.section, kept.text.as_str()),
        (ProseSection::Summary, "The disk was 98 % full.")
    );
    let request = stack.llm.requests().last().unwrap().clone();
    assert!(request.tools.is_empty(), "{request:?}");
    let given = &request.messages[1].content;
    assert!(given.contains("F2 [call 1 (host.load)] It lasted 12 min"), "{given}");
    assert!(!given.contains("The load is 0.4"), "it is given facts alone: {given}");
    let calls = stack.model_calls(id).await.into_iter();
    let kinds = calls.filter(|call| call.brief.kind == LlmInteractionKind::Postmortem);
    assert_eq!(kinds.count(), 1);
}

#[tokio::test]
async fn an_owner_that_is_killed_is_followed_by_another() {
    let waits = Script::Pause(vec![text("{\"summary")], vec![]);
    let (stack, id) = asked([waits, answer(&good())]).await;
    let first = stack.doomed("two").await;
    stack.asks(4).await;
    first.kill().await;
    stack.worker("three").await;
    let prose = prose(&stack, id, ProseStatus::Completed).await;
    assert_eq!((prose.sentences.len(), stack.llm.requests().len()), (1, 5));
}

#[tokio::test]
async fn an_answer_without_a_fact_is_asked_for_once_more_and_then_there_is_none() {
    let guess = json!([{"text": "Everybody was happy.", "facts": ["F9"]}]);
    let (stack, id) = asked([answer(&guess), answer(&guess)]).await;
    stack.worker("two").await;
    let prose = prose(&stack, id, ProseStatus::Failed).await;
    assert_eq!((prose.failure, prose.sentences.len()), (Some(ProseFailure::Invalid), 0));
    let repair = stack.llm.requests()[4].messages.last().unwrap().content.clone();
    assert!(repair.contains("summary: none of its sentences names the facts"), "{repair}");
}
