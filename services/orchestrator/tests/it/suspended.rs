//! Sessions and questions that wait for a person hold no slot.

use std::time::Duration;

use serde_json::json;
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::mcp::{Requirement, Tool, ToolTerms};
use tarsy_domain::event::{ApprovalDecision, TimelineKind};
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_llm::{Chunk, Script, ToolCall};
use tarsy_store::{CancelOutcome, NewSession};
use tarsy_testkit::eventually;
use tarsy_tools::ScriptedToolbox;

use crate::approvals::{decide, waiting};
use crate::chat::ask;
use crate::stack::{
    Stack, SubmittedSession, alert, answer, answer_with, call, calls, chain, read_only, usage,
};

/// A stack with one worker that may have one session, and a tool whose calls wait for approval beside one that reads.
async fn stack(turns: impl IntoIterator<Item = Script>) -> Stack {
    let restart = Tool {
        read_only: false,
        terms: ToolTerms {
            requirement: Requirement::Approval,
            pinned: true,
            definition: "0123".to_owned(),
            ..ToolTerms::default()
        },
        ..read_only("host", "restart")
    };
    let toolbox = ScriptedToolbox::new()
        .with_tool(restart)
        .answers("host.restart", "restarted")
        .tool("host.load")
        .answers("host.load", "0.4");
    let mut stack = Stack::with(turns, toolbox).await;
    stack.queue.worker_count = 1;
    stack.queue.max_concurrent_sessions = 1;
    stack
}

/// Waits until a session has no owner.
async fn suspended(stack: &Stack, sessions: i64) {
    eventually("the suspension", async || {
        stack.store.count_suspended_sessions().await.unwrap() == sessions
    })
    .await;
}

#[tokio::test]
async fn a_session_that_waits_for_approval_stops_no_other() {
    let (restart, done) = (calls("host.restart"), answer_with("Nothing to do."));
    let turns = [restart, done, answer_with("Short."), answer_with("Done."), answer_with("Short.")];
    let stack = stack(turns).await;
    stack.worker("one").await;
    let mut waits = stack.submit(&chain()).await;
    let approval = waiting(&stack, waits.id).await;
    let mut other = stack.submit(&chain()).await;
    other.ends(SessionStatus::Completed).await;
    assert_eq!(stack.session(waits.id).await.status, SessionStatus::InProgress);
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    waits.ends(SessionStatus::Completed).await;
    stack.check_end(&waits, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
    assert_eq!(stack.llm.requests().len(), 5, "no model is called again");
    assert_eq!(stack.prompt(3), answer(1, "restarted"));
    assert_eq!(
        stack.texts(waits.id, TimelineKind::ToolApproval).await,
        ["Approved by anna, signed in."]
    );
    waits.receive_all_events(&stack).await;
    waits.check_order();
}

#[tokio::test]
async fn a_call_whose_arguments_are_masked_is_made_after_a_decision_that_takes_long() {
    const PASSWORD: &str = "Hunter2hunter2";
    let masked = ToolCall {
        id: "c1".to_owned(),
        name: "host.restart".to_owned(),
        arguments: json!({ "password": PASSWORD }).to_string(),
        ..ToolCall::default()
    };
    let masked = Script::Answer(vec![Chunk::ToolCall(masked), usage()]);
    let done = ["Done.", "Short.", "Done.", "Short."].map(answer_with);
    let mut stack = stack([masked, calls("host.restart")].into_iter().chain(done)).await;
    stack.queue.worker_count = 2;
    stack.queue.max_concurrent_sessions = 2;
    stack.masked_worker("one").await;
    let mut first = stack.submit(&chain()).await;
    let approval = waiting(&stack, first.id).await;
    let second = stack.submit(&chain()).await;
    waiting(&stack, second.id).await;
    // The first one has waited longer by then.
    suspended(&stack, 1).await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    first.ends(SessionStatus::Completed).await;
    let [made] = &*stack.toolbox.calls() else { panic!("one call") };
    assert!(made.call.arguments.contains(PASSWORD), "{}", made.call.arguments);
    assert_eq!(stack.session(second.id).await.status, SessionStatus::InProgress);
}

#[tokio::test]
async fn a_decision_about_a_suspended_session_is_found_by_another_orchestrator() {
    let turns = [calls("host.restart"), answer_with("Done."), answer_with("Short.")];
    let stack = stack(turns).await;
    let first = stack.doomed("one").await;
    let mut waits = stack.submit(&chain()).await;
    let approval = waiting(&stack, waits.id).await;
    suspended(&stack, 1).await;
    first.kill().await;
    stack.worker("two").await;
    decide(&stack, &approval, ApprovalDecision::Denied).await;
    waits.ends(SessionStatus::Completed).await;
    stack.check_end(&waits, SessionStatus::Completed).await;
    assert_eq!((stack.toolbox.calls().len(), stack.llm.requests().len()), (0, 3));
    assert!(stack.prompt(1).contains("a person denied it"), "{}", stack.prompt(1));
    assert_eq!(stack.store.count_suspended_sessions().await.unwrap(), 0);
}

#[tokio::test]
async fn a_suspended_session_is_cancelled_although_nobody_has_it() {
    let stack = stack([calls("host.restart")]).await;
    stack.worker("one").await;
    let mut waits = stack.submit(&chain()).await;
    waiting(&stack, waits.id).await;
    suspended(&stack, 1).await;
    let outcome = stack.store.request_cancel(waits.id).await.unwrap();
    let CancelOutcome::Cancelling { events } = outcome else { panic!("{outcome:?}") };
    for event in &events {
        stack.bus.publish_event(event).await.unwrap();
    }
    waits.ends(SessionStatus::Cancelled).await;
    stack.check_end(&waits, SessionStatus::Cancelled).await;
    assert_eq!(stack.toolbox.calls().len(), 0);
    assert!(stack.store.list_open_approvals(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_time_of_a_session_goes_on_while_it_is_suspended() {
    let stack = stack([calls("host.restart")]).await;
    stack.worker("one").await;
    let chain = ResolvedChain { session_timeout_ms: 300_000, ..chain() };
    let mut waits = stack.submit(&chain).await;
    suspended(&stack, 1).await;
    stack.let_an_hour_pass(waits.id).await;
    waits.ends(SessionStatus::TimedOut).await;
    stack.check_end(&waits, SessionStatus::TimedOut).await;
    assert_eq!(stack.toolbox.calls().len(), 0);
    assert_eq!(stack.llm.requests().len(), 1);
}

#[tokio::test]
async fn a_request_that_nobody_decides_ends_although_nobody_has_its_session() {
    let turns = [calls("host.restart"), answer_with("Done."), answer_with("Short.")];
    let mut stack = stack(turns).await;
    stack.queue.approval_timeout = Duration::from_secs(3);
    stack.worker("one").await;
    let mut waits = stack.submit(&chain()).await;
    suspended(&stack, 1).await;
    waits.ends(SessionStatus::Completed).await;
    stack.check_end(&waits, SessionStatus::Completed).await;
    assert!(stack.prompt(1).contains("nobody gave it in time"), "{}", stack.prompt(1));
}

/// A turn that asks for one call that waits and one that reads.
fn both() -> Script {
    Script::Answer(vec![
        Chunk::Text("Both.".to_owned()),
        call("c1", "host.restart"),
        call("c2", "host.load"),
        usage(),
    ])
}

#[tokio::test]
async fn what_can_go_on_does_before_its_session_is_suspended_and_is_not_done_again() {
    let turns = [both(), answer_with("Done."), answer_with("Short.")];
    let stack = stack(turns).await;
    stack.worker("one").await;
    let mut waits = stack.submit(&chain()).await;
    let approval = waiting(&stack, waits.id).await;
    suspended(&stack, 1).await;
    assert_eq!(stack.toolbox.calls().len(), 1, "the call that reads is made meanwhile");
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    waits.ends(SessionStatus::Completed).await;
    stack.check_end(&waits, SessionStatus::Completed).await;
    let made: Vec<String> =
        stack.toolbox.calls().iter().map(|made| made.call.name.clone()).collect();
    assert_eq!(made, ["host.load", "host.restart"]);
    assert_eq!(stack.llm.requests().len(), 3);
}

#[tokio::test]
async fn more_calls_than_run_at_once_may_wait_and_hold_no_slot() {
    let calls = (1..=6).map(|number| call(&format!("c{number}"), "host.restart"));
    let asks = Script::Answer(calls.chain([usage()]).collect());
    let stack = stack([asks, answer_with("Nothing."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let waits = stack.submit(&chain()).await;
    suspended(&stack, 1).await;
    let mut other = stack.submit(&chain()).await;
    other.ends(SessionStatus::Completed).await;
    assert_eq!(stack.session(waits.id).await.status, SessionStatus::InProgress);
}

async fn of(stack: &Stack, sender: &str) -> SubmittedSession {
    let new = NewSession { principal: Some(sender.to_owned()), ..alert(&chain()) };
    stack.submit_session(new).await
}

#[tokio::test]
async fn a_sender_has_only_so_many_sessions_that_wait_for_approval() {
    let turns = [
        calls("host.restart"),
        calls("host.restart"),
        answer_with("Without it."),
        answer_with("Short."),
        calls("host.restart"),
    ];
    let mut stack = stack(turns).await;
    stack.queue.max_waiting_for_approval = 1;
    stack.worker("one").await;
    let first = of(&stack, "user:mallory").await;
    suspended(&stack, 1).await;
    let mut second = of(&stack, "user:mallory").await;
    second.ends(SessionStatus::Completed).await;
    assert!(stack.prompt(2).contains("1 other sessions of this sender"), "{}", stack.prompt(2));
    of(&stack, "user:anna").await;
    suspended(&stack, 2).await;
    assert_eq!(stack.session(first.id).await.status, SessionStatus::InProgress);
    assert_eq!(stack.toolbox.calls().len(), 0);
}

#[tokio::test]
async fn a_question_that_waits_for_approval_stops_no_session() {
    let turns = [
        answer_with("The load is high."),
        answer_with("Short."),
        calls("host.restart"),
        answer_with("Nothing to do."),
        answer_with("Short."),
        answer_with("I restarted it."),
    ];
    let stack = stack(turns).await;
    stack.worker("one").await;
    let mut over = stack.submit(&chain()).await;
    over.ends(SessionStatus::Completed).await;
    let stage = ask(&stack, over.id, "Please restart it.").await;
    let approval = waiting(&stack, over.id).await;
    suspended(&stack, 1).await;
    let mut other = stack.submit(&chain()).await;
    other.ends(SessionStatus::Completed).await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    over.until("stage.status", "completed").await;
    let stages = stack.store.list_stages(over.id).await.unwrap();
    let answered = stages.into_iter().find(|one| one.id == stage).unwrap();
    assert_eq!(answered.status, WorkStatus::Completed);
    assert_eq!(stack.prompt(5), answer(1, "restarted"));
    assert_eq!((stack.toolbox.calls().len(), stack.llm.requests().len()), (1, 6));
    assert_eq!(stack.store.count_suspended_sessions().await.unwrap(), 0);
}

#[tokio::test]
async fn a_question_that_waits_for_approval_is_cancelled() {
    let turns = [answer_with("The load is high."), answer_with("Short."), calls("host.restart")];
    let stack = stack(turns).await;
    stack.worker("one").await;
    let mut over = stack.submit(&chain()).await;
    over.ends(SessionStatus::Completed).await;
    ask(&stack, over.id, "Please restart it.").await;
    waiting(&stack, over.id).await;
    suspended(&stack, 1).await;
    let outcome = stack.store.request_cancel(over.id).await.unwrap();
    assert_eq!(outcome, CancelOutcome::ChatCancelling);
    over.until("stage.status", "cancelled").await;
    assert_eq!(stack.toolbox.calls().len(), 0);
    assert_eq!(stack.store.count_claimable_chats().await.unwrap(), 0);
}
