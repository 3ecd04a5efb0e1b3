//! Sessions that are replayed, and what is recorded so that they can be.

use std::collections::BTreeMap;

use tarsy_catalog::ResolvedChain;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, ResponseInfo, Script};
use tarsy_store::{NewReplay, ReplayOutcome, SessionSettings};
use tarsy_testkit::eventually;
use tarsy_tools::Caller;

use crate::stack::{Stack, SubmittedSession, answer_with, calls, chain, usage};

const TURNS: [&str; 3] = ["calls", "It is the load.", "Short."];

/// A stack that investigates one alert and replays it.
async fn stack() -> Stack {
    let [_, answer, summary] = TURNS;
    let turns = || [calls("host.load"), answer_with(answer), answer_with(summary)];
    Stack::new(turns().into_iter().chain(turns())).await
}

async fn investigated(stack: &Stack) -> SubmittedSession {
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted
}

/// Replays a session with these prompt templates to this end.
async fn replayed(
    stack: &Stack,
    original: SessionId,
    prompts: &[(&str, &str)],
    status: SessionStatus,
) -> SessionId {
    replayed_with(stack, (original, &chain()), prompts, status).await
}

/// The same with a chain.
pub(crate) async fn replayed_with(
    stack: &Stack,
    (original, chain): (SessionId, &ResolvedChain),
    prompts: &[(&str, &str)],
    status: SessionStatus,
) -> SessionId {
    let id = SessionId::new();
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let new = NewReplay {
        id,
        replay_of: original,
        author: None,
        principal: None,
        chain_id: chain.chain_id.clone(),
        settings: SessionSettings::default(),
        config_snapshot: serde_json::to_value(chain).unwrap(),
        traceparent: None,
        requested_provider: None,
        prompts: prompts.iter().map(own).collect::<BTreeMap<_, _>>(),
    };
    let outcome = stack.store.insert_replay(new).await.unwrap();
    assert!(matches!(outcome, ReplayOutcome::Inserted(_)), "{outcome:?}");
    stack.bus.wake_session_workers(id).await.unwrap();
    let ended = async || stack.session(id).await.status == status;
    eventually("the replay ends", ended).await;
    id
}

#[tokio::test]
async fn a_replay_asks_the_gateway_for_the_record_and_sends_the_same_prompts() {
    let stack = stack().await;
    stack.worker("one").await;
    let original = investigated(&stack).await;
    let id = replayed(&stack, original.id, &[], SessionStatus::Completed).await;
    let callers: Vec<_> = stack.toolbox.opens().into_iter().map(|open| open.caller).collect();
    assert!(matches!(callers[0], Caller::Model { .. }));
    assert_eq!(callers[1], Caller::Replay);
    let requests = stack.llm.requests();
    let (first, second) = requests.split_at(3);
    let texts = |requests: &[tarsy_llm::Request]| {
        let messages = requests.iter().flat_map(|request| request.messages.clone());
        messages.map(|message| message.content).collect::<Vec<_>>()
    };
    assert_eq!(texts(first), texts(second));
    assert_eq!(stack.session(id).await.final_analysis.as_deref(), Some("It is the load."));
}

#[tokio::test]
async fn a_template_of_a_replay_replaces_the_built_in_one() {
    let stack = stack().await;
    stack.worker("one").await;
    let original = investigated(&stack).await;
    let prompts = [("task", "Only this: {{ alert }}")];
    let id = replayed(&stack, original.id, &prompts, SessionStatus::Completed).await;
    let task = stack.llm.requests()[3].messages[1].content.clone();
    assert!(task.starts_with("Only this: ") && task.contains("the load of web-1 is 40"), "{task}");
    let version = |calls: &[tarsy_contracts::trace::LlmInteraction]| {
        calls[0].record.prompt_version.clone().unwrap()
    };
    let (before, after) = (stack.model_calls(original.id).await, stack.model_calls(id).await);
    assert_ne!(version(&before), version(&after));
    assert_eq!(version(&before).len(), 64);
}

#[tokio::test]
async fn a_template_that_cannot_be_used_ends_the_replay_with_the_reason() {
    let stack = stack().await;
    stack.worker("one").await;
    let original = investigated(&stack).await;
    for (name, text, reason) in
        [("tasks", "x", "\"tasks\"; there are"), ("task", "{% if %}", "is not valid")]
    {
        let id = replayed(&stack, original.id, &[(name, text)], SessionStatus::Failed).await;
        let error = stack.session(id).await.error_message.unwrap();
        assert!(error.contains(reason), "{error}");
    }
    let endless = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
    let id = replayed(&stack, original.id, &[("task", endless)], SessionStatus::Completed).await;
    let task = stack.llm.requests()[3].messages[1].content.clone();
    assert_eq!(task, "", "a rendering ends when its instructions are used up ({id})");
}

#[tokio::test]
async fn what_was_sent_beside_the_messages_is_recorded() {
    let info = ResponseInfo {
        response_id: "resp_1".to_owned(),
        model_version: "model-2026-10-01".to_owned(),
        finish_reason: "end_turn".to_owned(),
        ..ResponseInfo::default()
    };
    let text = Chunk::Text("It is the load.".to_owned());
    let concluding = Script::Answer(vec![text, Chunk::Response(Box::new(info)), usage()]);
    let stack = Stack::new([calls("host.load"), concluding, answer_with("Short.")]).await;
    stack.worker("one").await;
    let submitted = investigated(&stack).await;
    let calls = stack.model_calls(submitted.id).await;
    let offered: Vec<_> = calls[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(offered, ["load"]);
    assert_eq!(calls[0].record.tool_set, calls[1].record.tool_set);
    let record = &calls[1].record;
    assert_eq!(record.model_version.as_deref(), Some("model-2026-10-01"));
    assert_eq!(record.response_id.as_deref(), Some("resp_1"));
    assert_eq!(record.vendor_finish_reason.as_deref(), Some("end_turn"));
    assert_eq!(calls[2].record.max_output_tokens, Some(1_024), "the executive summary");
    assert!(calls[2].tools.is_empty());
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let made = trace.stages[0].executions[0].mcp_interactions.iter();
    let tokens: Vec<_> =
        made.filter_map(|call| call.result_tokens.zip(call.delivered_tokens)).collect();
    assert_eq!(tokens, [(1, 1)], "the result 0.4");
}
