//! A call that reads and repeats one of the last minute is answered by its number.

use serde_json::{Value, json};
use tarsy_catalog::{ResolvedChain, Strategy};
use tarsy_contracts::mcp::{Tool, ToolClass, ToolTerms};
use tarsy_contracts::trace::McpBrief;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, TimelineKind};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, Script, ToolCall};
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::stack::{Stack, SubmittedSession, answer_with, call, chain, text, usage};

fn tool(name: &str, class: ToolClass) -> Tool {
    Tool {
        server: "host".to_owned(),
        name: name.to_owned(),
        description: "Looks.".to_owned(),
        input_schema: json!({"type": "object"}),
        read_only: class == ToolClass::ReadOnly,
        idempotent: false,
        terms: ToolTerms { class, ..ToolTerms::default() },
    }
}

fn toolbox() -> ScriptedToolbox {
    ScriptedToolbox::new()
        .with_tool(tool("load", ToolClass::ReadOnly))
        .with_tool(tool("restart", ToolClass::Write))
        .answers("host.load", "load 40")
        .answers("host.restart", "done")
}

/// A turn that calls `host.load` with these arguments.
fn loads(arguments: &str) -> Script {
    let call = ToolCall {
        id: "c".to_owned(),
        name: "host.load".to_owned(),
        arguments: arguments.to_owned(),
        ..ToolCall::default()
    };
    Script::Answer(vec![text("Looking."), Chunk::ToolCall(call), usage()])
}

fn restarts() -> Script {
    Script::Answer(vec![call("r", "host.restart"), usage()])
}

async fn stack(turns: impl IntoIterator<Item = Script>) -> Stack {
    Stack::with(turns, toolbox()).await
}

async fn ended(stack: &Stack, chain: &ResolvedChain) -> SubmittedSession {
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted
}

async fn made(stack: &Stack, submitted: &SubmittedSession) -> Vec<McpBrief> {
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let mut calls = trace.stages[0].executions[0].mcp_interactions.clone();
    calls.retain(|call| call.call_number.is_some());
    calls
}

async fn answered_from(stack: &Stack, submitted: &SubmittedSession) -> Vec<Option<i64>> {
    made(stack, submitted).await.iter().map(|call| call.answered_from).collect()
}

/// What the tool was called with.
fn run(stack: &Stack) -> Vec<Value> {
    let calls = stack.toolbox.calls();
    calls.iter().map(|one| serde_json::from_str(&one.call.arguments).unwrap()).collect()
}

#[tokio::test]
async fn the_same_call_is_answered_by_its_number_and_not_made() {
    let turns = [
        loads(r#"{"host": "web-1", "last": 5}"#),
        loads(r#"{"last": 5.0, "host": "web-1"}"#),
        loads(r#"{"host": "web-2"}"#),
        answer_with("The load is 40 [call 2]."),
        answer_with("Short."),
    ];
    let stack = stack(turns).await;
    let submitted = ended(&stack, &chain()).await;
    assert_eq!(run(&stack), [json!({"host": "web-1", "last": 5}), json!({"host": "web-2"})]);
    let prompt = stack.prompt(2);
    assert!(prompt.contains("[call 2] was not made: it is the same as [call 1]"), "{prompt}");
    assert!(!prompt.contains("load 40"), "its result is not sent again: {prompt}");
    assert_eq!(answered_from(&stack, &submitted).await, [None, Some(1), None]);
    let events = stack.timeline(submitted.id).await;
    let mut shown = events.iter().filter(|event| event.kind == TimelineKind::LlmToolCall);
    let repeated = shown.nth(1).unwrap();
    assert_eq!(repeated.content, "load 40", "a citation of it leads to the result");
    assert_eq!(repeated.metadata.as_ref().unwrap()["answered_from"], 1);
    let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
    assert!(detail.item.claims.is_some_and(|claims| claims.verified > 0), "{:?}", detail.item);
    let usage = stack.store.find_usage(submitted.id).await.unwrap();
    assert_eq!(usage.tool_calls, 3, "the budget counts it");
}

#[tokio::test]
async fn a_reason_has_the_call_made_again() {
    let turns = [
        loads("{}"),
        loads(r#"{"_again": "I restarted it by hand"}"#),
        answer_with("The load is 41 [call 2]."),
        answer_with("Short."),
    ];
    let toolbox = toolbox().then("host.load", Answer::Text("load 40".to_owned()));
    let toolbox = toolbox.then("host.load", Answer::Text("load 41".to_owned()));
    let stack = Stack::with(turns, toolbox).await;
    let submitted = ended(&stack, &chain()).await;
    assert_eq!(run(&stack), [json!({}), json!({})], "the reason is ours");
    assert!(stack.prompt(2).contains("load 41"), "{}", stack.prompt(2));
    let events = stack.timeline(submitted.id).await;
    let again = events.iter().filter_map(|event| event.metadata.as_ref()?.get("again"));
    assert_eq!(again.collect::<Vec<_>>(), ["I restarted it by hand"]);
}

#[tokio::test]
async fn after_a_minute_the_call_is_made_again_and_compared() {
    let paused = |script: Script| match script {
        Script::Answer(chunks) => Script::Pause(vec![], chunks),
        other => other,
    };
    let turns = [
        loads("{}"),
        paused(loads("{}")),
        paused(loads("{}")),
        answer_with("The load is 41 [call 3]."),
        answer_with("Short."),
    ];
    let toolbox = toolbox()
        .then("host.load", Answer::Text("load 40".to_owned()))
        .then("host.load", Answer::Text("load 40".to_owned()))
        .then("host.load", Answer::Text("load 41".to_owned()));
    let stack = Stack::with(turns, toolbox).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    for asked in [2, 3] {
        stack.asks(asked).await;
        stack.let_a_minute_pass(submitted.id).await;
        stack.llm.resume();
    }
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(answered_from(&stack, &submitted).await, [None, None, None]);
    let same = stack.prompt(2);
    assert!(same.contains("[call 2] answered the same as [call 1], word for word"), "{same}");
    assert!(stack.prompt(3).contains("load 41"), "{}", stack.prompt(3));
}

#[tokio::test]
async fn what_may_change_something_is_made_each_time_and_what_reads_after_it() {
    let turns = [
        loads("{}"),
        restarts(),
        loads("{}"),
        restarts(),
        answer_with("Restarted [call 2]."),
        answer_with("Short."),
    ];
    let stack = stack(turns).await;
    let submitted = ended(&stack, &chain()).await;
    assert_eq!(answered_from(&stack, &submitted).await, [None; 4]);
    assert_eq!(run(&stack).len(), 4);
}

#[tokio::test]
async fn a_failed_call_may_be_tried_again() {
    let turns = [loads("{}"), loads("{}"), answer_with("Load 40 [call 2]."), answer_with("Short.")];
    let toolbox = toolbox().then("host.load", Answer::Error("no route".to_owned()));
    let stack = Stack::with(turns, toolbox).await;
    let submitted = ended(&stack, &chain()).await;
    let made = made(&stack, &submitted).await;
    let statuses: Vec<_> = made.iter().map(|call| (call.status, call.answered_from)).collect();
    assert_eq!(statuses, [(CallStatus::Failed, None), (CallStatus::Completed, None)]);
}

#[tokio::test]
async fn two_calls_of_one_turn_are_one() {
    let both = Script::Answer(vec![call("a", "host.load"), call("b", "host.load"), usage()]);
    let stack = stack([both, answer_with("Load 40 [call 1]."), answer_with("Short.")]).await;
    let submitted = ended(&stack, &chain()).await;
    assert_eq!(answered_from(&stack, &submitted).await, [None, Some(1)]);
    assert_eq!(run(&stack).len(), 1);
}

#[tokio::test]
async fn the_third_time_the_model_is_asked_to_conclude_whoever_owns_its_session() {
    let stack = stack([
        loads("{}"),
        loads("{}"),
        loads("{}"),
        Script::Pause(vec![text("The load")], vec![]),
        answer_with("The load is 40 [call 1]."),
        answer_with("Short."),
    ])
    .await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain()).await;
    stack.asks(4).await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(answered_from(&stack, &submitted).await, [None, Some(1), Some(1)]);
    for turn in [3, 4] {
        let request = &stack.llm.requests()[turn];
        assert!(request.tools.is_empty(), "no more tools are on offer");
        let shown: Vec<_> = request.messages.iter().map(|one| one.content.as_str()).collect();
        let asked =
            shown.iter().filter(|one| one.contains("You have asked for it 3 times")).count();
        assert_eq!(asked, 1, "{shown:?}");
        assert!(shown.last().unwrap().contains("three times"), "{shown:?}");
    }
    let calls = stack.model_calls(submitted.id).await;
    let concluded =
        calls.iter().filter(|call| call.brief.kind == LlmInteractionKind::ForcedConclusion);
    assert!(concluded.count() >= 1);
}

#[tokio::test]
async fn a_model_that_calls_by_text_is_answered_in_the_same_way() {
    let look = || answer_with("Thought: the load.\nAction: host.load\nAction Input: {}");
    let concluded = "Final Answer: The load is 40 [call 1].";
    let turns = [look(), look(), look(), answer_with(concluded), answer_with("Short.")];
    let stack = stack(turns).await;
    let mut chain = chain();
    chain.stages[0].agents[0].strategy = Strategy::React;
    let submitted = ended(&stack, &chain).await;
    assert_eq!(answered_from(&stack, &submitted).await, [None, Some(1), Some(1)]);
    assert!(
        stack.prompt(2).starts_with("Observation: [call 2] was not made"),
        "{}",
        stack.prompt(2)
    );
    assert!(stack.prompt(3).contains("Conclude now"), "{}", stack.prompt(3));
}
