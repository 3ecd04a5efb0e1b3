//! No finding without a look: a model that concludes without a tool's answer is sent back once.

use tarsy_catalog::{Backend, ResolvedChain, Strategy};
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::event::{Role, TimelineKind};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;
use tarsy_tools::ScriptedToolbox;

use crate::stack::{Stack, SubmittedSession, answer_with, calls, shipped_chain, text};

const GUESS: &str = "Load: high, root file system: full.";

fn of_model() -> ResolvedChain {
    let mut chain = shipped_chain();
    chain.stages[0].agents[0].provider.backend = Backend::Langchain;
    chain
}

async fn ended(stack: &Stack, chain: &ResolvedChain) -> (SubmittedSession, String) {
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    (submitted, session.final_analysis.unwrap())
}

async fn reasons(stack: &Stack, submitted: &SubmittedSession) -> Vec<DegradedReason> {
    let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
    detail.item.degraded_reasons
}

#[tokio::test]
async fn a_model_that_did_not_look_is_sent_back_with_the_tools_that_fit() {
    let found = "The load is 0.4 [call 1].";
    let turns = [answer_with(GUESS), calls("host.load"), answer_with(found), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let (submitted, analysis) = ended(&stack, &of_model()).await;
    assert_eq!(analysis, found);
    let request = stack.prompt(1);
    assert!(request.contains("have not looked") && request.contains("- host.load"), "{request}");
    assert_eq!(stack.llm.requests()[1].tools.len(), 1, "it may call tools");
    assert_eq!(stack.texts(submitted.id, TimelineKind::FinalAnalysis).await, [found]);
    assert_eq!(reasons(&stack, &submitted).await, []);
}

#[tokio::test]
async fn a_model_that_never_looks_is_sent_back_once() {
    let guess = || answer_with(GUESS);
    let turns = [guess(), guess(), answer_with("Nothing to call."), answer_with("The load is 38.")];
    let stack = Stack::new(turns).await;
    let (submitted, analysis) = ended(&stack, &of_model()).await;
    assert!(analysis.starts_with("> **No tool was called** that answered"), "{analysis}");
    assert!(analysis.ends_with(GUESS), "{analysis}");
    assert_eq!(stack.llm.requests().len(), 4, "it is sent back once, then the analyst looks");
    assert_eq!(stack.texts(submitted.id, TimelineKind::FinalAnalysis).await, [GUESS]);
    let reasons = reasons(&stack, &submitted).await;
    assert!(reasons.starts_with(&[DegradedReason::NoSuccessfulCall, DegradedReason::NoToolCalled]));
    let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
    assert_eq!(
        detail.item.claims.map_or(0, |claims| claims.verified),
        0,
        "a guess verifies nothing"
    );
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    assert_eq!(execution.unseen, Some(Vec::new()));
}

#[tokio::test]
async fn a_model_that_calls_by_text_is_sent_back_too() {
    let look = "Thought: the load.\nAction: host.load\nAction Input: {}";
    let found = "Final Answer: The load is 0.4 [call 1].";
    let guess = format!("Final Answer: {GUESS}");
    let turns = [answer_with(&guess), answer_with(look), answer_with(found), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let mut chain = of_model();
    chain.stages[0].agents[0].strategy = Strategy::React;
    let (_, analysis) = ended(&stack, &chain).await;
    assert_eq!(analysis, "The load is 0.4 [call 1].");
    assert!(stack.prompt(1).contains("Action Input"), "{}", stack.prompt(1));
}

#[tokio::test]
async fn a_tool_that_the_chain_requires_is_called_before_the_conclusion() {
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .tool("host.disks")
        .answers("host.load", "0.4")
        .answers("host.disks", "12% used");
    let turns = [
        calls("host.load"),
        answer_with(GUESS),
        calls("host.disks"),
        answer_with("The disks are fine [call 2]."),
        answer_with("Short."),
    ];
    let stack = Stack::with(turns, toolbox).await;
    let required = Some(vec!["host.disks".to_owned(), "host.gone".to_owned()]);
    let chain = ResolvedChain { required_tools: required, ..of_model() };
    let (_, analysis) = ended(&stack, &chain).await;
    assert_eq!(analysis, "The disks are fine [call 2].");
    let request = stack.prompt(2);
    assert!(request.contains("- host.disks") && !request.contains("- host.load"), "{request}");
}

#[tokio::test]
async fn a_model_is_sent_back_once_whoever_owns_its_session() {
    let pause = Script::Pause(vec![text("Hm")], vec![]);
    let guess = || answer_with(GUESS);
    let turns = [guess(), pause, guess(), answer_with("Nothing to call."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&of_model()).await;
    stack.asks(2).await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(session.final_analysis.unwrap().starts_with("> **No tool was called**"));
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    let messages = stack.store.list_messages(execution.id).await.unwrap();
    let asked = messages.iter().filter(|one| one.role == Role::User).count();
    assert_eq!(asked, 3, "its task, one request to look, and that the analyst looks");
}
