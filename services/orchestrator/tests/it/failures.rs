//! Models and tools that do not do what they should.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::event::McpInteractionKind;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Error, Script};
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::stack::{Stack, answer_with, calls, chain, text};

fn refusal(retryable: bool) -> Error {
    Error::Provider {
        message: "the provider is overloaded".to_owned(),
        code: "overloaded".to_owned(),
        retryable,
        retry_after: Some(Duration::from_millis(5)),
        variable: None,
    }
}

#[tokio::test]
async fn an_empty_answer_is_asked_for_again() {
    let stack = Stack::new([
        Script::Answer(vec![]),
        answer_with("  "),
        answer_with("Found."),
        answer_with("S."),
    ])
    .await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    assert_eq!(stack.texts(submitted.id, TimelineKind::Error).await.len(), 2);
}

#[tokio::test]
async fn a_model_with_only_empty_answers_fails_the_session() {
    let stack =
        Stack::new([Script::Answer(vec![]), Script::Answer(vec![]), Script::Answer(vec![])]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Failed).await;
    let session = stack.check_end(&submitted, SessionStatus::Failed).await;
    assert_eq!(
        session.error_message.as_deref(),
        Some(
            "stage \"investigation\" failed: HostAgent failed: the model returned an empty answer, 3 times"
        )
    );
}

#[tokio::test]
async fn a_refusal_that_passes_is_waited_out() {
    let busy = || Script::Failure(vec![], refusal(true));
    let stack = Stack::new([busy(), busy(), answer_with("Found."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.llm.requests().len(), 4);
}

#[tokio::test]
async fn a_refusal_that_lasts_fails_the_session_and_stands_on_the_timeline() {
    let stack = Stack::new([Script::Failure(vec![], refusal(false))]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Failed).await;
    submitted.check_order();
    let session = stack.check_end(&submitted, SessionStatus::Failed).await;
    assert!(session.error_message.unwrap().contains("the provider is overloaded"));
    let errors = stack.texts(submitted.id, TimelineKind::Error).await;
    assert_eq!(errors, ["LLM request failed: the provider is overloaded"]);
    assert_eq!(stack.llm.requests().len(), 1);
}

#[tokio::test]
async fn a_stream_that_breaks_is_closed_as_interrupted_and_taken_again() {
    let breaks = Script::Failure(vec![text("The load is ")], refusal(true));
    let stack = Stack::new([breaks, answer_with("The load is high."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    let events = stack.timeline(submitted.id).await;
    let first = &events[0];
    assert_eq!((first.kind, first.status), (TimelineKind::LlmResponse, TimelineStatus::Failed));
    assert_eq!(first.content, "The load is ");
    assert_eq!(first.metadata, Some(json!({"interrupted": true})));
    assert_eq!(
        stack.llm.requests()[1].messages.len(),
        2,
        "what broke is no part of the conversation"
    );
}

#[tokio::test]
async fn a_server_that_cannot_be_opened_is_named_to_the_model_and_on_the_timeline() {
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .answers("host.load", "0.4")
        .without_server("kubernetes-server", "npx was not found");
    let stack = Stack::with([answer_with("Found."), answer_with("Short.")], toolbox).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(stack.instructions(0).contains("kubernetes-server: npx was not found"));
    let errors = stack.texts(submitted.id, TimelineKind::Error).await;
    assert_eq!(
        errors,
        ["The MCP server \"kubernetes-server\" could not be used: npx was not found"]
    );
}

#[tokio::test]
async fn a_call_that_a_policy_refused_is_marked_on_its_card_and_in_the_trace() {
    let refused = Answer::Refused("the policy of host denies 'load'".to_owned());
    let toolbox = ScriptedToolbox::new().tool("host.load").then("host.load", refused);
    let stack =
        Stack::with([calls("host.load"), answer_with("Found."), answer_with("S.")], toolbox).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let events = stack.timeline(submitted.id).await;
    let card = events.iter().find(|event| event.kind == TimelineKind::LlmToolCall).unwrap();
    assert_eq!(card.metadata.as_ref().unwrap()["refused_by_policy"], true);
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let calls = &trace.stages[0].executions[0].mcp_interactions;
    let marks: Vec<_> = calls.iter().map(|one| one.refused_by_policy).collect();
    assert_eq!(marks, [false, true], "the list of tools, and the call");
    let error = calls[1].error_message.as_deref();
    assert_eq!(error, Some("the policy of host denies 'load'"));
}

/// What the trace of a session's first agent says of its tools: server, status, words.
async fn offers(
    stack: &Stack,
    submitted: &crate::stack::SubmittedSession,
) -> Vec<(String, String, String)> {
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let items = trace.stages[0].executions[0].mcp_interactions.clone();
    let mut prompt = Vec::new();
    for item in items.into_iter().filter(|one| one.kind == McpInteractionKind::ToolList) {
        assert_eq!((item.tool_name, item.call_number), (None, None));
        let whole = stack.store.find_mcp_interaction(submitted.id, item.id).await.unwrap().unwrap();
        let words = item.error_message.unwrap_or_else(|| {
            format!("{}: {}", whole.tool_result.unwrap(), whole.available_tools.unwrap())
        });
        prompt.push((item.server_name, item.status.as_str().to_owned(), words));
    }
    prompt
}

#[tokio::test]
async fn what_each_server_offered_an_agent_is_recorded_once_also_after_a_takeover() {
    let pauses = Script::Pause(vec![text("The load ")], vec![]);
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .tool("host.disk")
        .without_server("kubernetes-server", "npx was not found");
    let stack = Stack::with([pauses, answer_with("Found."), answer_with("S.")], toolbox).await;
    let first = stack.doomed("one").await;
    let mut chain = chain();
    let agent = &mut chain.stages[0].agents[0];
    let mut second = agent.servers[0].clone();
    "kubernetes-server".clone_into(&mut second.id);
    agent.servers.push(second);
    let mut submitted = stack.submit(&chain).await;
    submitted.until("timeline_event.created", "streaming").await;
    let host = r#"2 tools: [{"name":"load","description":"Does load."},{"name":"disk","description":"Does disk."}]"#;
    let entry =
        |one: &str, two: &str, three: &str| (one.to_owned(), two.to_owned(), three.to_owned());
    let prompt = [
        entry("host", "completed", host),
        entry("kubernetes-server", "failed", "npx was not found"),
    ];
    assert_eq!(offers(&stack, &submitted).await, prompt);
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(offers(&stack, &submitted).await, prompt);
    assert_eq!(stack.toolbox.opens().len(), 2);
    let of_trace = submitted.events.iter().filter(|one| one["interaction_type"] == "mcp").count();
    assert_eq!(of_trace, 2, "viewers are told, too");
    assert_eq!(
        stack.store.find_usage(submitted.id).await.unwrap().tool_calls,
        0,
        "a list is no call"
    );
    let detail = stack.store.find_session_summary(submitted.id).await.unwrap().unwrap();
    assert_eq!(detail.mcp_interactions, 0);
}

#[tokio::test]
async fn without_an_executive_summary_the_session_still_completes() {
    let stack = Stack::new([answer_with("Found."), Script::Failure(vec![], refusal(false))]).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    assert_eq!(session.executive_summary, None);
    assert_eq!(session.executive_summary_error.as_deref(), Some("the provider is overloaded"));
}
