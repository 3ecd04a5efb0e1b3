//! What models write is checked against the results of calls, once, when it is stored.

use tarsy_catalog::{Backend, OnUnverified, ResolvedChain};
use tarsy_contracts::claim::{ClaimCheck, ClaimCounts};
use tarsy_contracts::session::SessionItem;
use tarsy_domain::claim::{CheckFailure, CheckedText, DegradedReason, Verdict};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Error, Script};
use tarsy_tools::ScriptedToolbox;

use crate::chat::ask;
use crate::stack::{Stack, SubmittedSession, answer_with, calls, chain, text, two_stages};

const DISK: &str = "filesystem size used\n/var       40G  39G\n/home      90G  12G\n";

async fn stack(turns: impl IntoIterator<Item = Script>) -> Stack {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", DISK);
    Stack::with(turns, toolbox).await
}

async fn ended(turns: impl IntoIterator<Item = Script>) -> (Stack, SubmittedSession) {
    let stack = stack(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    (stack, submitted)
}

async fn checks(stack: &Stack, id: SessionId) -> Vec<ClaimCheck> {
    stack.store.list_claim_checks(id).await.unwrap().checks
}

async fn item(stack: &Stack, id: SessionId) -> SessionItem {
    stack.store.find_session_detail(id).await.unwrap().unwrap().item
}

fn verdicts(check: &ClaimCheck) -> Vec<(&str, Verdict)> {
    check.items.iter().map(|item| (item.text.as_str(), item.verdict)).collect()
}

#[tokio::test]
async fn a_conclusion_and_its_summary_are_checked_when_they_are_stored() {
    let conclusion = "🔥 On `/var`, 39G of 40G are used [call 1].";
    let turns = [calls("host.load"), answer_with(conclusion), answer_with("39G are used.")];
    let (stack, mut submitted) = ended(turns).await;
    let [conclusion, summary] = checks(&stack, submitted.id).await.try_into().unwrap();
    assert_eq!((conclusion.text, conclusion.successful_calls), (CheckedText::FinalAnalysis, 1));
    assert_eq!(conclusion.verified, conclusion.claims, "{:?}", verdicts(&conclusion));
    assert_eq!(conclusion.items[0].start, 7, "in UTF-16 code units");
    let used = conclusion.items.iter().find(|item| item.text == "39G").unwrap();
    assert_eq!((used.call, used.line), (Some(1), Some(2)));
    assert_eq!((summary.text, summary.execution_id), (CheckedText::ExecutiveSummary, None));
    assert_eq!(verdicts(&summary), [("39G", Verdict::Uncited)]);
    let events = stack.timeline(submitted.id).await;
    let shown = events.iter().find(|event| event.kind == TimelineKind::FinalAnalysis).unwrap();
    assert_eq!(conclusion.timeline_event_id, Some(shown.id));
    let item = item(&stack, submitted.id).await;
    let total = conclusion.claims + summary.claims;
    assert_eq!(item.claims, Some(ClaimCounts { total, verified: total }));
    assert!(!item.degraded, "{:?}", item.degraded_reasons);
    submitted.receive_all_events(&stack).await;
    let reported: Vec<_> =
        submitted.events.iter().filter(|event| event["type"] == "claims.checked").collect();
    assert_eq!(reported.len(), 2);
    assert_eq!(reported[0]["check_id"], conclusion.id.to_string());
}

#[tokio::test]
async fn what_no_result_shows_marks_the_session() {
    let conclusion = "On `/var`, 17G are used [call 1], and 812 pods restarted [call 4].";
    let turns = [calls("host.load"), answer_with(conclusion), answer_with("Restart 31 pods now.")];
    let (stack, submitted) = ended(turns).await;
    let checks = checks(&stack, submitted.id).await;
    let found = verdicts(&checks[0]);
    let used = checks[0].items.iter().find(|item| item.text == "17G").unwrap();
    assert_eq!(used.verdict, Verdict::Contradicted, "{found:?}");
    assert!(used.shown.as_deref().is_some_and(|shown| shown.contains("39G")), "{used:?}");
    assert!(found.contains(&("[call 4]", Verdict::NoSuchCall)), "{found:?}");
    let item = item(&stack, submitted.id).await;
    assert_eq!(item.degraded_reasons, [DegradedReason::UnverifiedClaims]);
}

#[tokio::test]
async fn a_conclusion_without_a_look_rests_on_nothing() {
    let (stack, submitted) =
        ended([answer_with("It is the load."), answer_with("The load.")]).await;
    let checks = checks(&stack, submitted.id).await;
    assert_eq!(checks[0].successful_calls, 0);
    let item = item(&stack, submitted.id).await;
    assert_eq!(item.degraded_reasons, [DegradedReason::NoSuccessfulCall]);
}

#[tokio::test]
async fn results_are_read_whole_and_not_as_the_model_was_shown_them() {
    let rows =
        (0..40_000).map(|row| format!("row {row} of /data: clean\n")).collect::<Vec<_>>().concat();
    let result = format!("{rows}filesystem used\n/var 4321G\n");
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", &result);
    let conclusion = answer_with("`/var` uses 4321G [call 1].");
    let stack = Stack::with([calls("host.load"), conclusion, answer_with("Full.")], toolbox).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.stages[0].agents[0].servers[0].summarization.enabled = false;
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let checks = checks(&stack, submitted.id).await;
    assert_eq!(checks[0].verified, checks[0].claims, "{:?}", verdicts(&checks[0]));
}

#[tokio::test]
async fn a_check_is_neither_lost_nor_repeated_when_its_owner_dies() {
    let conclusion = answer_with("On `/var`, 39G are used [call 1].");
    let pause = Script::Pause(vec![text("In ")], vec![]);
    let stack = stack([calls("host.load"), conclusion, pause, answer_with("39G are used.")]).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain()).await;
    // The executive summary is being written: the conclusion is stored.
    stack.asks(3).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let checks = checks(&stack, submitted.id).await;
    let texts: Vec<_> = checks.iter().map(|check| check.text).collect();
    assert_eq!(texts, [CheckedText::FinalAnalysis, CheckedText::ExecutiveSummary]);
}

#[tokio::test]
async fn the_session_has_the_claims_of_its_last_stage() {
    let stack = stack([
        calls("host.load"),
        answer_with("On `/var`, 999G are used [call 1]."),
        answer_with("On `/var`, 39G are used [call 1]."),
        answer_with("The disk is full."),
    ])
    .await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&two_stages()).await;
    submitted.ends(SessionStatus::Completed).await;
    let checks = checks(&stack, submitted.id).await;
    assert!(checks[0].verified < checks[0].claims);
    let item = item(&stack, submitted.id).await;
    assert_eq!(
        item.claims,
        Some(ClaimCounts { total: checks[1].claims, verified: checks[1].claims })
    );
    assert!(!item.degraded, "{:?}", item.degraded_reasons);
}

#[tokio::test]
async fn an_answer_may_rest_on_the_record_and_leaves_the_session_as_it_is() {
    let (stack, submitted) = ended([
        calls("host.load"),
        answer_with("On `/var`, 39G are used [call 1]; give it 77 GiB."),
        answer_with("The disk is full."),
        answer_with("I advised 77 GiB, because 39G are used [call 1]; 4444 files are open."),
    ])
    .await;
    let before = item(&stack, submitted.id).await;
    let stage = ask(&stack, submitted.id, "How much did you advise?").await;
    let mut submitted = submitted;
    submitted.until("stage.status", "completed").await;
    let checks = checks(&stack, submitted.id).await;
    let answer = &checks[2];
    assert_eq!(answer.text, CheckedText::ChatAnswer);
    let executions = stack.store.list_executions(submitted.id).await.unwrap();
    let of_answer = executions.iter().find(|one| one.stage_id == stage).unwrap();
    assert_eq!(answer.execution_id, Some(of_answer.id));
    let wrong: Vec<_> = verdicts(answer).into_iter().filter(|one| one.1.is_flagged()).collect();
    assert_eq!(wrong, [("4444", Verdict::Unsupported)]);
    let after = item(&stack, submitted.id).await;
    assert_eq!((after.claims, after.degraded), (before.claims, before.degraded));
}

#[tokio::test]
async fn a_text_that_is_too_long_to_be_checked_is_stored_as_not_checked() {
    let long =
        (0..40_000).map(|line| format!("line {line} of the log\n")).collect::<Vec<_>>().concat();
    let (stack, submitted) =
        ended([calls("host.load"), answer_with(&long), answer_with("Long.")]).await;
    let checks = checks(&stack, submitted.id).await;
    assert_eq!(checks[0].failure, Some(CheckFailure::TooLarge));
    let item = item(&stack, submitted.id).await;
    assert!(item.degraded_reasons.contains(&DegradedReason::NotChecked), "{item:?}");
}

const WRONG: &str = "On `/var`, 17G are used [call 1].";
const RIGHT: &str = "On `/var`, 39G are used [call 1].";

/// A chain whose agent is a model, and no rules.
fn of_model() -> ResolvedChain {
    let mut chain = chain();
    chain.stages[0].agents[0].provider.backend = Backend::Langchain;
    chain
}

async fn corrected(
    turns: impl IntoIterator<Item = Script>,
    chain: &ResolvedChain,
) -> (Stack, SubmittedSession) {
    let stack = stack([calls("host.load"), answer_with(WRONG)].into_iter().chain(turns)).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    (stack, submitted)
}

async fn conclusions(stack: &Stack, id: SessionId) -> Vec<String> {
    stack.texts(id, TimelineKind::FinalAnalysis).await
}

#[tokio::test]
async fn a_model_is_asked_once_to_correct_its_conclusion() {
    let (stack, submitted) =
        corrected([answer_with(RIGHT), answer_with("It is full.")], &of_model()).await;
    let request = stack.prompt(2);
    assert!(request.contains("- 17G: [call 1, line 2] shows"), "{request}");
    assert_eq!(conclusions(&stack, submitted.id).await, [RIGHT]);
    assert_eq!(stack.session(submitted.id).await.final_analysis.as_deref(), Some(RIGHT));
    let checks = checks(&stack, submitted.id).await;
    let events: Vec<bool> = checks.iter().map(|one| one.timeline_event_id.is_some()).collect();
    assert_eq!(events, [false, true, true]);
    assert!(checks[0].verified < checks[0].claims);
    let item = item(&stack, submitted.id).await;
    assert!(!item.degraded, "{:?}", item.degraded_reasons);
}

#[tokio::test]
async fn what_is_wrong_again_is_marked_and_not_asked_about_again() {
    let (stack, submitted) =
        corrected([answer_with(WRONG), answer_with("It is full.")], &of_model()).await;
    assert_eq!(stack.llm.requests().len(), 4);
    assert_eq!(conclusions(&stack, submitted.id).await, [WRONG]);
    let item = item(&stack, submitted.id).await;
    assert_eq!(item.degraded_reasons, [DegradedReason::UnverifiedClaims]);
}

#[tokio::test]
async fn a_correction_that_fails_leaves_the_first_conclusion() {
    let error = Error::Provider {
        message: "the key is not valid".to_owned(),
        code: "credentials".to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    };
    let turns = [Script::Failure(vec![], error), answer_with("It is full.")];
    let (stack, submitted) = corrected(turns, &of_model()).await;
    assert_eq!(conclusions(&stack, submitted.id).await, [WRONG]);
    let item = item(&stack, submitted.id).await;
    assert_eq!(item.degraded_reasons, [DegradedReason::UnverifiedClaims]);
}

#[tokio::test]
async fn a_correction_goes_on_when_its_owner_dies() {
    let pause = Script::Pause(vec![text("On ")], vec![]);
    let turns = [calls("host.load"), answer_with(WRONG), pause, answer_with(RIGHT)];
    let stack = stack(turns.into_iter().chain([answer_with("It is full.")])).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&of_model()).await;
    stack.asks(3).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(conclusions(&stack, submitted.id).await, [RIGHT]);
    assert_eq!(checks(&stack, submitted.id).await.len(), 3);
}

#[tokio::test]
async fn a_chain_may_leave_conclusions_as_they_are() {
    let mut chain = of_model();
    chain.claims.repair = false;
    let (stack, submitted) = corrected([answer_with("It is full.")], &chain).await;
    assert_eq!(conclusions(&stack, submitted.id).await, [WRONG]);
    assert_eq!(checks(&stack, submitted.id).await.len(), 2);
}

/// The chain of a model that does not correct itself, and reports by a policy.
fn reporting(policy: OnUnverified) -> ResolvedChain {
    let mut chain = of_model();
    (chain.claims.repair, chain.claims.on_unverified) = (false, policy);
    chain
}

const HALF_TRUE: &str = "On `/var`, 39G of 40G are used [call 1]. The queue holds 48213 messages.";

async fn ends_with(
    turns: impl IntoIterator<Item = Script>,
    chain: &ResolvedChain,
) -> (Stack, SubmittedSession) {
    let stack = stack(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    (stack, submitted)
}

#[tokio::test]
async fn what_no_result_shows_is_demoted_in_what_is_reported() {
    let turns = [calls("host.load"), answer_with(HALF_TRUE), answer_with("Of 40G, 17G are used.")];
    let (stack, submitted) = ends_with(turns, &reporting(OnUnverified::Demote)).await;
    assert_eq!(conclusions(&stack, submitted.id).await, [HALF_TRUE], "the timeline keeps it");
    let session = stack.session(submitted.id).await;
    let analysis = "On `/var`, 39G of 40G are used [call 1].\n\n## Not verified\n\n\
                    - The queue holds 48213 messages. (48213: no result shows it)";
    assert_eq!(session.final_analysis.as_deref(), Some(analysis));
    assert!(stack.prompt(2).contains("## Not verified"), "the summary is made of what is reported");
    let summary = session.executive_summary.unwrap();
    assert!(summary.starts_with("## Not verified") && summary.contains("17G"), "{summary}");
    let item = item(&stack, submitted.id).await;
    assert_eq!(item.degraded_reasons, [DegradedReason::UnverifiedClaims]);
}

#[tokio::test]
async fn what_no_result_shows_is_withheld_from_later_stages_and_reports() {
    let mut chain = two_stages();
    chain.claims.repair = false;
    chain.claims.on_unverified = OnUnverified::Withhold;
    let turns = [
        calls("host.load"),
        answer_with(HALF_TRUE),
        answer_with("The disk is full."),
        answer_with("It is full."),
    ];
    let (stack, submitted) = ends_with(turns, &chain).await;
    let second = stack.prompt(2);
    assert!(second.contains("1 statement is withheld") && !second.contains("48213"), "{second}");
    let texts = conclusions(&stack, submitted.id).await;
    assert_eq!(texts[0], HALF_TRUE);
}

#[tokio::test]
async fn a_conclusion_without_a_look_is_withheld_as_a_whole() {
    let turns = [answer_with("It is the load."), answer_with("Nothing is known.")];
    let (stack, submitted) = ends_with(turns, &reporting(OnUnverified::Withhold)).await;
    let analysis = stack.session(submitted.id).await.final_analysis.unwrap();
    assert!(
        analysis.starts_with("The analysis is withheld: no tool call succeeded."),
        "{analysis}"
    );
    assert_eq!(conclusions(&stack, submitted.id).await, ["It is the load."]);
}

#[tokio::test]
async fn a_conclusion_is_kept_once_although_its_owners_die() {
    let error = || Error::Provider {
        message: "the key is not valid".to_owned(),
        code: "credentials".to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    };
    let pause = Script::Pause(vec![text("It ")], vec![]);
    let turns = [
        calls("host.load"),
        answer_with(HALF_TRUE),
        Script::Failure(vec![], error()),
        pause,
        answer_with("It is full."),
    ];
    let stack = stack(turns).await;
    let first = stack.doomed("one").await;
    let mut chain = reporting(OnUnverified::Withhold);
    chain.claims.repair = true;
    let mut submitted = stack.submit(&chain).await;
    stack.asks(4).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(conclusions(&stack, submitted.id).await, [HALF_TRUE]);
    let analysis = stack.session(submitted.id).await.final_analysis.unwrap();
    assert!(analysis.contains("1 statement is withheld") && !analysis.contains("48213"));
}
