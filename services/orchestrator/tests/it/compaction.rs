//! Conversations that outgrow the context window of their model.

use tarsy_catalog::{ResolvedChain, Strategy};
use tarsy_domain::event::Role;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Message, Script};
use tarsy_tools::ScriptedToolbox;

use crate::stack::{Stack, answer_with, calls, chain, text, usage};

const WINDOW: u32 = 64_000;
/// What the vendor leaves to the conversation: a quarter is for the answer.
const VENDOR_LIMIT: usize = 48_000;
const CALLS_BEFORE: usize = 120;
const CALLS: usize = 200;

/// About 4,000 tokens, which are not summarized.
fn big_result() -> String {
    let lines: Vec<String> =
        (0..400).map(|line| format!("OOMKilled web-{line} at 10:02")).collect();
    lines.join("\n")
}

fn small_window(strategy: Strategy) -> ResolvedChain {
    let mut chain = chain();
    let agent = &mut chain.stages[0].agents[0];
    agent.strategy = strategy;
    agent.max_iterations = 250;
    agent.provider.context_window_tokens = Some(WINDOW);
    for server in &mut agent.servers {
        server.summarization.enabled = false;
    }
    chain
}

/// A stack whose vendor refuses requests above its window. It answers nothing once, after `CALLS_BEFORE`
/// calls.
async fn strict_vendor(call: impl Fn() -> Script, conclusion: &str) -> Stack {
    let before = (0..CALLS_BEFORE).map(|_| call());
    let after = (CALLS_BEFORE..CALLS).map(|_| call());
    let ends = [answer_with(conclusion), answer_with("Memory.")];
    let turns: Vec<Script> =
        before.chain([Script::Unresponsive]).chain(after).chain(ends).collect();
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", &big_result());
    let mut stack = Stack::with(turns, toolbox).await;
    stack.llm = stack.llm.clone().with_window(VENDOR_LIMIT);
    stack
}

fn texts(messages: &[Message]) -> Vec<(Role, &str)> {
    messages.iter().map(|one| (one.role, one.content.as_str())).collect()
}

/// Runs the session with a takeover in its middle; returns the stack after its end.
async fn investigate(stack: &Stack, chain: &ResolvedChain) {
    let doomed = stack.doomed("one").await;
    let mut submitted = stack.submit(chain).await;
    stack.asks(CALLS_BEFORE + 1).await;
    doomed.kill().await;
    let _worker = stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;

    let requests = stack.llm.requests();
    let (before, after) = (&requests[CALLS_BEFORE], &requests[CALLS_BEFORE + 1]);
    assert_eq!(texts(&before.messages), texts(&after.messages), "the new owner sends the same");
    let trace = stack.model_calls(submitted.id).await;
    assert_eq!(trace[0].brief.compaction, None);
    let last = trace[trace.len() - 2].brief.compaction.unwrap();
    assert!(last.shortened_messages > 0 && last.whole_tokens > 500_000, "{last:?}");
}

#[tokio::test]
async fn a_session_with_two_hundred_big_results_stays_within_its_models_window() {
    let stack = strict_vendor(|| calls("host.load"), "It is memory.").await;
    investigate(&stack, &small_window(chain().stages[0].agents[0].strategy)).await;
    let requests = stack.llm.requests();
    let last = &requests[CALLS + 1].messages;
    assert!(last[1].content.starts_with(&requests[0].messages[1].content));
    let newest = last.last().unwrap();
    assert!(newest.content.starts_with("[call 200] answered.") && newest.content.len() > 10_000);
    for (turn, answer) in last.windows(2).map(|pair| (&pair[0], &pair[1])) {
        if answer.role == Role::Tool {
            assert_eq!(answer.tool_call_id.as_ref(), Some(&turn.tool_calls[0].id));
        }
    }
}

#[tokio::test]
async fn a_model_without_function_calls_stays_within_its_window_too() {
    let call = || Script::Answer(vec![text("Action: host.load\nAction Input: {}"), usage()]);
    let stack = strict_vendor(call, "Final Answer: It is memory.").await;
    investigate(&stack, &small_window(Strategy::React)).await;
    let requests = stack.llm.requests();
    let observation = requests[CALLS + 1].messages[3].content.clone();
    assert!(observation.starts_with("Observation: [call "), "{observation}");
}
