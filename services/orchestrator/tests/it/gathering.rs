//! A model that was sent back and still looks at nothing concludes from what the offline analyst gathers.

use tarsy_catalog::{Backend, ResolvedChain, Strategy};
use tarsy_domain::event::{Role, TimelineKind};
use tarsy_domain::status::SessionStatus;
use tarsy_domain::verdict::Source;
use tarsy_llm::{Error, Script};
use tarsy_store::Execution;
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::stack::{Stack, SubmittedSession, answer_with, calls, shipped_chain, text};

const GUESS: &str = "Load: high, root file system: full.";
const REPORT: &str = "Not confirmed: the load is 0.4 [call 1].";
const CONCLUSION: &str = "The load is 0.4 [call 1]: nothing is wrong.";

fn of_model() -> ResolvedChain {
    let mut chain = shipped_chain();
    let provider = &mut chain.stages[0].agents[0].provider;
    (provider.backend, provider.name) = (Backend::Langchain, "local".to_owned());
    chain
}

/// Two guesses, and then what comes.
fn after_two_guesses(turns: impl IntoIterator<Item = Script>) -> Vec<Script> {
    let guess = || answer_with(GUESS);
    [guess(), guess()].into_iter().chain(turns).collect()
}

async fn ended(stack: &Stack, chain: &ResolvedChain) -> (SubmittedSession, String) {
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    (submitted, session.final_analysis.unwrap())
}

async fn execution(stack: &Stack, submitted: &SubmittedSession) -> Execution {
    stack.store.list_executions(submitted.id).await.unwrap().remove(0)
}

/// The roles of what the model was sent in this turn.
fn roles(stack: &Stack, turn: usize) -> Vec<Role> {
    stack.llm.requests()[turn].messages.iter().map(|one| one.role).collect()
}

fn asked(stack: &Stack, turn: usize) -> String {
    stack.llm.requests()[turn].config.backend.clone()
}

#[tokio::test]
async fn the_model_concludes_from_the_report_of_the_analyst() {
    let turns =
        [calls("host.load"), answer_with(REPORT), answer_with(CONCLUSION), answer_with("Short.")];
    let stack = Stack::new(after_two_guesses(turns)).await;
    let (submitted, analysis) = ended(&stack, &of_model()).await;
    assert_eq!(analysis, CONCLUSION);
    let backends: Vec<String> = (0..5).map(|turn| asked(&stack, turn)).collect();
    assert_eq!(backends, ["langchain", "langchain", "offline", "offline", "langchain"]);
    assert_eq!(roles(&stack, 2), [Role::System, Role::User], "the analyst reads no guess");
    assert_eq!(stack.llm.requests()[2].tools.len(), 1);
    let prompt = stack.prompt(4);
    assert!(prompt.contains(&format!("<report>\n{REPORT}\n</report>")), "{prompt}");
    assert!(!roles(&stack, 4).contains(&Role::Tool), "its calls are in the report");
    assert_eq!(execution(&stack, &submitted).await.unseen, None);
    assert_eq!(stack.texts(submitted.id, TimelineKind::FinalAnalysis).await, [CONCLUSION]);
    let shown = stack.texts(submitted.id, TimelineKind::ProviderFallback).await;
    assert!(shown[0].contains("offline analyst"), "{shown:?}");
    let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
    assert_eq!(detail.item.degraded_reasons, []);
    assert!(detail.item.claims.is_some_and(|claims| claims.verified > 0), "{:?}", detail.item);
    let verdicts = stack.store.list_agent_verdicts(submitted.id).await.unwrap();
    assert_eq!(verdicts, [], "the model is asked for the verdict");
}

#[tokio::test]
async fn what_the_report_states_is_no_evidence_for_itself() {
    let turns = [
        calls("host.load"),
        answer_with("The queue holds 48213 messages [call 1]."),
        answer_with("The queue holds 48213 messages [call 1]."),
        answer_with("The load is 0.4 [call 1]."),
        answer_with("Short."),
    ];
    let stack = Stack::new(after_two_guesses(turns)).await;
    let (_, analysis) = ended(&stack, &of_model()).await;
    assert_eq!(analysis, "The load is 0.4 [call 1].", "it was asked to correct itself");
}

#[tokio::test]
async fn a_model_that_calls_by_text_gets_the_report_as_text() {
    let guess = || answer_with(&format!("Final Answer: {GUESS}"));
    let turns = [
        guess(),
        guess(),
        calls("host.load"),
        answer_with(REPORT),
        answer_with(&format!("Final Answer: {CONCLUSION}")),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    let mut chain = of_model();
    chain.stages[0].agents[0].strategy = Strategy::React;
    let (_, analysis) = ended(&stack, &chain).await;
    assert_eq!(analysis, CONCLUSION);
    assert!(stack.prompt(4).contains("Final Answer:"), "{}", stack.prompt(4));
    assert_eq!(stack.llm.requests()[2].tools.len(), 1, "the analyst calls with functions");
    assert!(roles(&stack, 3).contains(&Role::Tool) && !roles(&stack, 4).contains(&Role::Tool));
}

#[tokio::test]
async fn without_a_tool_that_works_the_guess_stands_under_its_heading() {
    let turns = [calls("host.load"), answer_with("Nothing answered."), answer_with("Short.")];
    let toolbox = ScriptedToolbox::new().tool("host.load");
    let toolbox = toolbox.then("host.load", Answer::Error("no route".to_owned()));
    let stack = Stack::with(after_two_guesses(turns), toolbox).await;
    let (submitted, analysis) = ended(&stack, &of_model()).await;
    assert!(analysis.starts_with("> **No tool was called**"), "{analysis}");
    assert!(analysis.ends_with(GUESS), "{analysis}");
    assert_eq!(stack.texts(submitted.id, TimelineKind::FinalAnalysis).await, [GUESS]);
    assert_eq!(execution(&stack, &submitted).await.unseen, Some(Vec::new()));
}

#[tokio::test]
async fn a_model_that_fails_then_leaves_the_report() {
    let refused = Script::Refusal(Error::Provider {
        message: "the key is not valid".to_owned(),
        code: "credentials".to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    });
    let turns = [calls("host.load"), answer_with(REPORT), refused, answer_with("Short.")];
    let stack = Stack::new(after_two_guesses(turns)).await;
    let (submitted, analysis) = ended(&stack, &of_model()).await;
    assert_eq!(analysis, REPORT);
    let execution = execution(&stack, &submitted).await;
    assert_eq!((execution.unseen, execution.active_provider.as_deref()), (None, Some("offline")));
    let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
    assert_eq!(detail.verdict_failure, None);
    assert_eq!(detail.verdict.unwrap().source, Source::Rules);
}

#[tokio::test]
async fn whoever_owns_the_session_goes_on_where_the_gathering_was() {
    let pause = || Script::Pause(vec![text("Hm")], vec![]);
    let turns = [
        pause(),
        calls("host.load"),
        pause(),
        answer_with(REPORT),
        pause(),
        answer_with(CONCLUSION),
        answer_with("Short."),
    ];
    let stack = Stack::new(after_two_guesses(turns)).await;
    let mut owner = stack.doomed("one").await;
    let mut submitted = stack.submit(&of_model()).await;
    for (asked, next) in [(3, "two"), (5, "three"), (7, "four")] {
        stack.asks(asked).await;
        owner.kill().await;
        stack.abandoned().await;
        owner = stack.doomed(next).await;
    }
    submitted.ends(SessionStatus::Completed).await;
    owner.kill().await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some(CONCLUSION));
    let backends: Vec<String> = (2..8).map(|turn| asked(&stack, turn)).collect();
    let offline = backends.iter().filter(|one| *one == "offline").count();
    assert_eq!((offline, stack.toolbox.calls().len()), (4, 1), "{backends:?}");
    let execution = execution(&stack, &submitted).await;
    assert!(execution.gathering_since < execution.gathering_until, "{execution:?}");
}
