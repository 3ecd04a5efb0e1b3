//! Models and tools that do not do what they should.

use std::time::Duration;

use serde_json::json;
use tarsy_domain::event::McpInteractionKind;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Error, Script};
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::world::{World, calls, chain, says, text};

fn refusal(retryable: bool) -> Error {
    Error::Provider {
        message: "the provider is overloaded".to_owned(),
        code: "overloaded".to_owned(),
        retryable,
        retry_after: Some(Duration::from_millis(5)),
    }
}

#[tokio::test]
async fn an_empty_answer_is_asked_for_again() {
    let world = World::new([Script::Answer(vec![]), says("  "), says("Found."), says("S.")]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    assert_eq!(world.texts(story.id, TimelineKind::Error).await.len(), 2);
}

#[tokio::test]
async fn a_model_with_only_empty_answers_fails_the_session() {
    let world =
        World::new([Script::Answer(vec![]), Script::Answer(vec![]), Script::Answer(vec![])]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Failed).await;
    let session = world.check_end(&story, SessionStatus::Failed).await;
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
    let world = World::new([busy(), busy(), says("Found."), says("Short.")]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(world.llm.requests().len(), 4);
}

#[tokio::test]
async fn a_refusal_that_lasts_fails_the_session_and_stands_on_the_timeline() {
    let world = World::new([Script::Failure(vec![], refusal(false))]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Failed).await;
    story.check_order();
    let session = world.check_end(&story, SessionStatus::Failed).await;
    assert!(session.error_message.unwrap().contains("the provider is overloaded"));
    let errors = world.texts(story.id, TimelineKind::Error).await;
    assert_eq!(errors, ["The model's turn did not succeed: the provider is overloaded"]);
    assert_eq!(world.llm.requests().len(), 1);
}

#[tokio::test]
async fn a_stream_that_breaks_is_closed_as_interrupted_and_taken_again() {
    let breaks = Script::Failure(vec![text("The load is ")], refusal(true));
    let world = World::new([breaks, says("The load is high."), says("Short.")]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    story.check_order();
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    let events = world.timeline(story.id).await;
    let first = &events[0];
    assert_eq!((first.kind, first.status), (TimelineKind::LlmResponse, TimelineStatus::Failed));
    assert_eq!(first.content, "The load is ");
    assert_eq!(first.metadata, Some(json!({"interrupted": true})));
    assert_eq!(
        world.llm.requests()[1].messages.len(),
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
    let world = World::with([says("Found."), says("Short.")], toolbox).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    assert!(world.instructions(0).contains("kubernetes-server: npx was not found"));
    let errors = world.texts(story.id, TimelineKind::Error).await;
    assert_eq!(
        errors,
        ["The MCP server \"kubernetes-server\" could not be used: npx was not found"]
    );
}

#[tokio::test]
async fn a_call_that_a_policy_refused_is_marked_on_its_card_and_in_the_trace() {
    let refused = Answer::Refused("the policy of host denies 'load'".to_owned());
    let toolbox = ScriptedToolbox::new().tool("host.load").then("host.load", refused);
    let world = World::with([calls("host.load"), says("Found."), says("S.")], toolbox).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    let events = world.timeline(story.id).await;
    let card = events.iter().find(|event| event.kind == TimelineKind::LlmToolCall).unwrap();
    assert_eq!(card.metadata.as_ref().unwrap()["refused_by_policy"], true);
    let trace = world.store.find_trace(story.id).await.unwrap();
    let calls = &trace.stages[0].executions[0].mcp_interactions;
    let marks: Vec<_> = calls.iter().map(|one| one.refused_by_policy).collect();
    assert_eq!(marks, [false, true], "the list of tools, and the call");
    let error = calls[1].error_message.as_deref();
    assert_eq!(error, Some("the policy of host denies 'load'"));
}

/// What the trace of a session's first agent says of its tools: server, status, words.
async fn offers(world: &World, story: &crate::world::Story) -> Vec<(String, String, String)> {
    let trace = world.store.find_trace(story.id).await.unwrap();
    let items = trace.stages[0].executions[0].mcp_interactions.clone();
    let mut told = Vec::new();
    for item in items.into_iter().filter(|one| one.kind == McpInteractionKind::ToolList) {
        assert_eq!((item.tool_name, item.call_number), (None, None));
        let whole = world.store.find_mcp_interaction(story.id, item.id).await.unwrap().unwrap();
        let words = item.error_message.unwrap_or_else(|| {
            format!("{}: {}", whole.tool_result.unwrap(), whole.available_tools.unwrap())
        });
        told.push((item.server_name, item.status.as_str().to_owned(), words));
    }
    told
}

#[tokio::test]
async fn what_each_server_offered_an_agent_is_recorded_once_also_after_a_takeover() {
    let pauses = Script::Pause(vec![text("The load ")], vec![]);
    let toolbox = ScriptedToolbox::new()
        .tool("host.load")
        .tool("host.disk")
        .without_server("kubernetes-server", "npx was not found");
    let world = World::with([pauses, says("Found."), says("S.")], toolbox).await;
    let first = world.doomed("one").await;
    let mut chain = chain();
    let agent = &mut chain.stages[0].agents[0];
    let mut second = agent.servers[0].clone();
    "kubernetes-server".clone_into(&mut second.id);
    agent.servers.push(second);
    let mut story = world.submit(&chain).await;
    story.until("timeline_event.created", "streaming").await;
    let host = r#"2 tools: [{"name":"load","description":"Does load."},{"name":"disk","description":"Does disk."}]"#;
    let entry =
        |one: &str, two: &str, three: &str| (one.to_owned(), two.to_owned(), three.to_owned());
    let told = [
        entry("host", "completed", host),
        entry("kubernetes-server", "failed", "npx was not found"),
    ];
    assert_eq!(offers(&world, &story).await, told);
    first.kill().await;
    world.abandoned().await;
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(offers(&world, &story).await, told);
    assert_eq!(world.toolbox.opens().len(), 2);
    let of_trace = story.events.iter().filter(|one| one["interaction_type"] == "mcp").count();
    assert_eq!(of_trace, 2, "viewers are told, too");
    assert_eq!(world.store.find_usage(story.id).await.unwrap().tool_calls, 0, "a list is no call");
    let detail = world.store.find_session_summary(story.id).await.unwrap().unwrap();
    assert_eq!(detail.mcp_interactions, 0);
}

#[tokio::test]
async fn without_an_executive_summary_the_session_still_completes() {
    let world = World::new([says("Found."), Script::Failure(vec![], refusal(false))]).await;
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    assert_eq!(session.executive_summary, None);
    assert_eq!(session.executive_summary_error.as_deref(), Some("the provider is overloaded"));
}
