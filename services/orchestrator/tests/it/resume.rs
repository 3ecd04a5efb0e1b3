//! Owners that die, and owners that resume their work.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::mcp::{CallResult, Outcome};
use tarsy_domain::event::{CallStatus, LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{ExecutionId, MessageId, StageId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::Script;
use tarsy_store::{Batch, NewExecution, NewMessage, NewStage, Op};
use tarsy_tools::ScriptedToolbox;

use crate::world::{Story, World, answer, calls, chain, read_only, says, text, two_stages};

/// A worker dies while its call of `host.load` runs; what the gateway knows is `outcome`.
async fn dies_in_a_call(toolbox: ScriptedToolbox, outcome: Outcome) -> (World, Story) {
    let turns = [calls("host.load"), says("Found."), says("Short.")];
    let world = World::with(turns, toolbox).await;
    let gate = world.toolbox.block("host.load");
    let first = world.doomed("one").await;
    let mut story = world.submit(&chain()).await;
    gate.entered(1).await;
    first.kill().await;
    gate.release();
    let call_id = world.toolbox.calls()[0].call.call_id;
    let outcome = match outcome {
        Outcome::Result { result } => Outcome::Result { result: CallResult { call_id, ..result } },
        other => other,
    };
    let _toolbox = world.toolbox.clone().with_outcome(call_id, outcome);
    world.abandoned().await;
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    (world, story)
}

fn answered(content: &str) -> Outcome {
    let call_id = tarsy_domain::id::CallId::new();
    Outcome::Result { result: CallResult::success(call_id, content.to_owned()) }
}

#[tokio::test]
async fn a_call_whose_caller_died_is_fetched_and_not_made_again() {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", "not this one");
    let (world, story) = dies_in_a_call(toolbox, answered("load 40")).await;
    assert_eq!(world.toolbox.calls().len(), 1);
    assert_eq!(world.told(1), answer(1, "load 40"));
    assert_eq!(world.llm.requests().len(), 3, "the turn that asked for the call is not repeated");
    let events = world.timeline(story.id).await;
    let called: Vec<_> =
        events.iter().filter(|event| event.kind == TimelineKind::LlmToolCall).collect();
    assert_eq!(called.len(), 1);
    assert_eq!(called[0].status, TimelineStatus::Completed);
    assert_eq!(called[0].content, "load 40");
    assert_eq!(called[0].metadata.as_ref().unwrap()["call_number"], 1);
}

#[tokio::test]
async fn a_lost_call_that_changes_nothing_is_made_again() {
    let toolbox =
        ScriptedToolbox::new().with_tool(read_only("host", "load")).answers("host.load", "load 40");
    let (world, _) = dies_in_a_call(toolbox, Outcome::Unknown).await;
    let calls = world.toolbox.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].call.call_id, calls[1].call.call_id);
    assert_eq!(world.told(1), answer(1, "load 40"));
}

#[tokio::test]
async fn a_lost_call_that_may_change_something_is_not_made_again() {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", "twice");
    let (world, story) = dies_in_a_call(toolbox, Outcome::Unknown).await;
    assert_eq!(world.toolbox.calls().len(), 1);
    assert!(world.told(1).contains("The outcome of this call is unknown"));
    let execution = world.store.list_executions(story.id).await.unwrap().remove(0);
    let call = world.store.list_calls(execution.id).await.unwrap().remove(0);
    assert_eq!((call.status, call.call_number), (CallStatus::Unknown, 1));
}

#[tokio::test]
async fn a_call_of_a_dead_owner_is_abandoned_when_the_time_is_over() {
    let world = World::new([calls("host.load")]).await;
    let gate = world.toolbox.block("host.load");
    let first = world.doomed("one").await;
    let mut chain = chain();
    chain.session_timeout_ms = 8_000;
    let mut story = world.submit(&chain).await;
    gate.entered(1).await;
    first.kill().await;
    // Nobody works on it until its time is over.
    tokio::time::sleep(Duration::from_secs(8)).await;
    world.worker("two").await;
    story.ends(SessionStatus::TimedOut).await;
    world.check_end(&story, SessionStatus::TimedOut).await;
    let call = world.toolbox.calls().remove(0);
    assert_eq!(world.toolbox.cancelled(), [call.call.call_id]);
}

#[tokio::test]
async fn a_turn_whose_owner_died_is_closed_and_taken_again() {
    let pauses = Script::Pause(vec![text("The load ")], vec![]);
    let world = World::new([pauses, says("The load is high."), says("Short.")]).await;
    let first = world.doomed("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("timeline_event.created", "streaming").await;
    first.kill().await;
    world.abandoned().await;
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    let first = world.timeline(story.id).await.remove(0);
    assert_eq!(first.status, TimelineStatus::Failed);
    assert_eq!(first.metadata, Some(json!({"interrupted": true})));
    let asked = world.llm.requests();
    assert_eq!(asked[0].messages, asked[1].messages);
}

#[tokio::test]
async fn a_stage_that_finished_is_not_run_again() {
    let pauses = Script::Pause(vec![text("Clean ")], vec![]);
    let turns = [says("Disk is full."), pauses, says("Clean /var."), says("Short.")];
    let world = World::new(turns).await;
    let first = world.doomed("one").await;
    let mut story = world.submit(&two_stages()).await;
    story.until("stage.status", "completed").await;
    story.until("timeline_event.created", "streaming").await;
    first.kill().await;
    world.abandoned().await;
    world.worker("two").await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Clean /var."));
    assert_eq!(world.store.list_stages(story.id).await.unwrap().len(), 2);
    assert!(world.told(2).contains("Disk is full."), "the second owner knows the first stage");
    let analyses = world.texts(story.id, TimelineKind::FinalAnalysis).await;
    assert_eq!(analyses, ["Disk is full.", "Clean /var."]);
}

/// An owner whose prompt templates had other words requests the conclusion, and dies.
async fn owner_with_other_prompts(world: &World) -> Vec<String> {
    let claim = world.store.claim_session("old", Duration::ZERO, 10).await.unwrap().unwrap();
    let (stage, execution) = (StageId::new(), ExecutionId::new());
    let mut batch = Batch::new()
        .with(Op::BeginStage(NewStage {
            id: stage,
            stage_index: 0,
            stage_name: "investigation".to_owned(),
            expected_agent_count: 1,
            parallel_type: None,
            success_policy: None,
            joins_stage_id: None,
        }))
        .with(Op::BeginExecution(NewExecution {
            id: execution,
            stage_id: stage,
            agent_name: "HostAgent".to_owned(),
            agent_index: 1,
            iteration_strategy: "native-thinking".to_owned(),
            llm_provider: None,
        }));
    let texts = ["Old instructions.", "An old task.", "Old words that request the conclusion."];
    for (at, text) in (0_i32..).zip(texts) {
        batch.push(Op::AppendMessage(NewMessage {
            id: MessageId::new(),
            stage_id: stage,
            execution_id: execution,
            sequence_number: at,
            role: if at == 0 { Role::System } else { Role::User },
            content: text.to_owned(),
            tool_calls: None,
            tool_call_id: None,
            tool_name: None,
            provider_state: None,
        }));
    }
    batch.push(Op::RequestConclusion(execution));
    world.store.commit(claim.fence, batch).await.unwrap();
    texts.map(str::to_owned).into()
}

#[tokio::test]
async fn an_edited_prompt_template_changes_nothing_of_a_resumption() {
    let world = World::new([says("Found."), says("Short.")]).await;
    let mut story = world.submit(&chain()).await;
    let texts = owner_with_other_prompts(&world).await;
    world.worker("new").await;
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    let request = world.llm.requests().remove(0);
    let sent: Vec<String> = request.messages.into_iter().map(|one| one.content).collect();
    assert_eq!(sent, texts, "no message is added, and the conclusion is requested once");
    assert!(request.tools.is_empty());
    let calls = world.model_calls(story.id).await;
    assert_eq!(calls[0].brief.kind, LlmInteractionKind::ForcedConclusion);
}
