//! Several agents at once and their synthesis.

use serde_json::json;
use tarsy_catalog::{ResolvedChain, Strategy, SuccessPolicy};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::{Error, Script};
use tarsy_store::Stage;

use crate::world::{Story, World, call, chain, says, text, usage};

/// So many replicas of the built-in agent, and one that joins their findings.
pub(crate) fn replicas(count: usize, policy: SuccessPolicy) -> ResolvedChain {
    let mut chain = chain();
    let stage = &mut chain.stages[0];
    let agent = stage.agents.remove(0);
    for number in 1..=count {
        let mut replica = agent.clone();
        replica.name = format!("HostAgent-{number}");
        stage.agents.push(replica);
    }
    stage.parallel_type = Some("replica".to_owned());
    stage.success_policy = policy;
    let mut joining = agent;
    "SynthesisAgent".clone_into(&mut joining.name);
    joining.strategy = Strategy::Synthesis;
    joining.servers.clear();
    "Be fair to all of them.".clone_into(&mut joining.custom_instructions);
    stage.synthesis = Some(joining);
    chain
}

fn lasting() -> Script {
    let error = Error::Provider {
        message: "the key is not valid".to_owned(),
        code: "credentials".to_owned(),
        retryable: false,
        retry_after: None,
    };
    Script::Failure(vec![], error)
}

async fn run(turns: Vec<Script>, chain: &ResolvedChain, end: SessionStatus) -> (World, Story) {
    let world = World::new(turns).await;
    world.worker("one").await;
    let mut story = world.submit(chain).await;
    story.ends(end).await;
    // Agents that work at once tell at once: whoever shows it puts it in order.
    story.hears_all(&world).await;
    story.events.sort_by_key(|event| event["db_event_id"].as_i64());
    story.check_order();
    world.check_end(&story, end).await;
    (world, story)
}

async fn stages(world: &World, story: &Story) -> Vec<Stage> {
    world.store.list_stages(story.id).await.unwrap()
}

#[tokio::test]
async fn three_replicas_are_joined_in_a_stage_of_its_own() {
    let looks = || Script::Answer(vec![call("c", "host.load"), usage()]);
    let turns = vec![
        looks(),
        looks(),
        looks(),
        says("The load is high."),
        says("The load is high."),
        says("The load is high."),
        says("All three: the load."),
        says("Clean up."),
        says("Short."),
    ];
    let mut chain = replicas(3, SuccessPolicy::Any);
    let mut last = crate::world::chain().stages.remove(0);
    "verdict".clone_into(&mut last.name);
    chain.stages.push(last);
    let (world, story) = run(turns, &chain, SessionStatus::Completed).await;

    let stages = stages(&world, &story).await;
    let told: Vec<_> = stages
        .iter()
        .map(|one| (one.stage_index, one.stage_name.as_str(), one.parallel_type.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            (0, "investigation", Some("replica")),
            (1, "investigation - Synthesis", None),
            (2, "verdict", None),
        ]
    );
    assert_eq!(stages[1].expected_agent_count, 1);
    let heard: Vec<_> =
        story.events.iter().filter(|event| event["type"] == "stage.status").collect();
    assert_eq!(heard[2]["stage_name"], json!("investigation - Synthesis"));
    assert_eq!(heard[2]["stage_index"], json!(2));

    let executions = world.store.list_executions(story.id).await.unwrap();
    let joining = executions.iter().find(|one| one.stage_id == stages[1].id).unwrap();
    assert_eq!(joining.iteration_strategy, "synthesis");
    let messages = world.store.list_messages(joining.id).await.unwrap();
    assert_eq!(
        messages.iter().map(|one| one.role).collect::<Vec<_>>(),
        [Role::System, Role::User, Role::Assistant]
    );
    assert!(messages[0].content.contains("Be fair to all of them."));
    let record = &messages[1].content;
    for agent in ["HostAgent-1", "HostAgent-2", "HostAgent-3"] {
        assert!(record.contains(agent), "{record}");
    }
    // Numbers are the session's, whichever agent calls.
    for number in 1..=3 {
        let call = format!("[call {number}] host.load {{}}\nResult:\n0.4");
        assert_eq!(record.matches(&call).count(), 1, "{record}");
    }
    assert_eq!(record.matches("Conclusion:\nThe load is high.").count(), 3, "{record}");
    let asked = world.llm.requests();
    assert!(asked[6].tools.is_empty());

    let events = world.store.list_execution_timeline(joining.id).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [TimelineKind::LlmResponse, TimelineKind::FinalAnalysis]);
    let trace = world.store.find_trace(story.id).await.unwrap();
    let turns = &trace.stages[1].executions[0].llm_interactions;
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].kind, LlmInteractionKind::Synthesis);

    let next = world.told(7);
    assert!(next.contains("### investigation\n\nAll three: the load."), "{next}");
    assert!(!next.contains("The load is high."), "the synthesis replaces what it joined: {next}");
}

#[tokio::test]
async fn with_any_one_success_is_enough_and_the_synthesis_reads_the_failure() {
    let turns = vec![says("Found it."), lasting(), says("Joined."), says("Short.")];
    let chain = replicas(2, SuccessPolicy::Any);
    let (world, story) = run(turns, &chain, SessionStatus::Completed).await;
    let session = world.session(story.id).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Joined."));
    let record = world.told(2);
    for part in [
        "Status: completed",
        "Conclusion:\nFound it.",
        "Status: failed",
        "Error: the model could not be used: the key is not valid",
    ] {
        assert!(record.contains(part), "{part} is missing in {record}");
    }
    assert!(world.told(3).contains("Joined."));
}

#[tokio::test]
async fn with_all_one_failure_fails_the_session_which_keeps_what_was_found() {
    let turns = vec![says("Found it."), lasting()];
    let chain = replicas(2, SuccessPolicy::All);
    let (world, story) = run(turns, &chain, SessionStatus::Failed).await;
    let session = world.session(story.id).await;
    assert!(session.final_analysis.unwrap().contains("Found it."));
    let error = session.error_message.unwrap();
    assert!(error.starts_with("stage \"investigation\" failed: HostAgent-"), "{error}");
    assert_eq!(stages(&world, &story).await.len(), 1, "nothing is joined");
}

#[tokio::test]
async fn a_synthesis_that_fails_fails_the_session_which_keeps_what_was_found() {
    let turns = vec![says("Found it."), says("Found it."), lasting()];
    let chain = replicas(2, SuccessPolicy::All);
    let (world, story) = run(turns, &chain, SessionStatus::Failed).await;
    let session = world.session(story.id).await;
    let found = session.final_analysis.unwrap();
    assert_eq!(found, "## HostAgent-1\n\nFound it.\n\n## HostAgent-2\n\nFound it.");
    let error = session.error_message.unwrap();
    assert!(error.starts_with("stage \"investigation - Synthesis\" failed: Synthesis"), "{error}");
    let ends: Vec<_> = stages(&world, &story).await.iter().map(|one| one.status).collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::Failed]);
    assert_eq!(session.executive_summary, None);
}

#[tokio::test]
async fn a_synthesis_whose_owner_died_is_taken_again_and_nothing_else_is() {
    let pauses = Script::Pause(vec![text("All of ")], vec![]);
    let turns = vec![says("Found."), says("Found."), pauses, says("Joined."), says("Short.")];
    let world = World::new(turns).await;
    let first = world.doomed("one").await;
    let mut story = world.submit(&replicas(2, SuccessPolicy::Any)).await;
    story.until("stage.status", "completed").await;
    story.until("timeline_event.created", "streaming").await;
    first.kill().await;
    world.abandoned().await;
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Joined."));
    let asked = world.llm.requests();
    assert_eq!(asked.len(), 5);
    assert_eq!(asked[2].messages, asked[3].messages);
    assert_eq!(stages(&world, &story).await.len(), 2);
    assert_eq!(world.store.list_executions(story.id).await.unwrap().len(), 3);
    let broken = world.timeline(story.id).await.into_iter().find(|one| one.content.is_empty());
    assert_eq!(broken.unwrap().status, TimelineStatus::Failed);
}

#[tokio::test]
async fn a_synthesis_that_was_written_is_not_written_again() {
    let pauses = Script::Pause(vec![text("Clean ")], vec![]);
    let turns =
        vec![says("Found."), says("Found."), says("Joined."), pauses, says("End."), says("Short.")];
    let world = World::new(turns).await;
    let mut chain = replicas(2, SuccessPolicy::Any);
    chain.stages.extend(crate::world::chain().stages);
    let first = world.doomed("one").await;
    let mut story = world.submit(&chain).await;
    story.until("stage.status", "completed").await;
    story.until("stage.status", "completed").await;
    story.until("timeline_event.created", "streaming").await;
    first.kill().await;
    world.abandoned().await;
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    assert!(world.told(4).contains("Joined."), "{}", world.told(4));
    assert_eq!(world.llm.requests().len(), 6);
    assert_eq!(stages(&world, &story).await.len(), 3);
}

#[tokio::test]
async fn a_cancel_in_the_middle_of_a_synthesis_keeps_what_was_found() {
    let turns = [says("Found."), says("Found."), Script::Pause(vec![text("All of ")], vec![])];
    let world = World::new(turns).await;
    world.worker("one").await;
    let mut story = world.submit(&replicas(2, SuccessPolicy::Any)).await;
    story.until("stage.status", "completed").await;
    story.until("timeline_event.created", "streaming").await;
    world.store.request_cancel(story.id).await.unwrap();
    story.ends(SessionStatus::Cancelled).await;
    let session = world.check_end(&story, SessionStatus::Cancelled).await;
    assert!(session.final_analysis.unwrap().contains("## HostAgent-2\n\nFound."));
    let ends: Vec<_> = stages(&world, &story).await.iter().map(|one| one.status).collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::Cancelled]);
}

#[tokio::test]
async fn a_synthesis_that_never_ends_times_out() {
    let silent = || Script::Pause(vec![], vec![]);
    let mut chain = replicas(2, SuccessPolicy::Any);
    // What the others say is heard and written down within it also where everything is slow.
    chain.iteration_timeout_ms = 4_000;
    let turns = vec![says("Found."), says("Found."), silent(), silent()];
    let (world, story) = run(turns, &chain, SessionStatus::TimedOut).await;
    let session = world.session(story.id).await;
    assert!(session.final_analysis.unwrap().contains("Found."));
    let error = session.error_message.unwrap();
    assert!(error.ends_with("the model did not complete its answer within 4s, 2 times"), "{error}");
}
