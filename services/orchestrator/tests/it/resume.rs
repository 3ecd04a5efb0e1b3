//! Owners that die, and owners that resume their work.

use std::time::Duration;

use serde_json::json;
use tarsy_contracts::mcp::{CallResult, Outcome};
use tarsy_domain::claim::ConclusionCause;
use tarsy_domain::event::{CallStatus, LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{ExecutionId, MessageId, StageId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::Script;
use tarsy_store::{Batch, ConclusionRequest, NewExecution, NewMessage, NewStage, Op};
use tarsy_tools::ScriptedToolbox;

use crate::stack::{
    Stack, SubmittedSession, answer, answer_with, calls, chain, read_only, text, two_stages,
};

/// A worker dies while its call of `host.load` runs; what the gateway knows is `outcome`.
async fn dies_in_a_call(toolbox: ScriptedToolbox, outcome: Outcome) -> (Stack, SubmittedSession) {
    let turns = [calls("host.load"), answer_with("Found."), answer_with("Short.")];
    let stack = Stack::with(turns, toolbox).await;
    let gate = stack.toolbox.block("host.load");
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain()).await;
    gate.entered(1).await;
    first.kill().await;
    gate.release();
    let call_id = stack.toolbox.calls()[0].call.call_id;
    let outcome = match outcome {
        Outcome::Result { result } => Outcome::Result { result: CallResult { call_id, ..result } },
        other => other,
    };
    let _toolbox = stack.toolbox.clone().with_outcome(call_id, outcome);
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    (stack, submitted)
}

fn answered(content: &str) -> Outcome {
    let call_id = tarsy_domain::id::CallId::new();
    Outcome::Result { result: CallResult::success(call_id, content.to_owned()) }
}

#[tokio::test]
async fn a_call_whose_caller_died_is_fetched_and_not_made_again() {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", "not this one");
    let (stack, submitted) = dies_in_a_call(toolbox, answered("load 40")).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
    assert_eq!(stack.prompt(1), answer(1, "load 40"));
    assert_eq!(stack.llm.requests().len(), 3, "the turn that asked for the call is not repeated");
    let events = stack.timeline(submitted.id).await;
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
    let (stack, _) = dies_in_a_call(toolbox, Outcome::Unknown).await;
    let calls = stack.toolbox.calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].call.call_id, calls[1].call.call_id);
    assert_eq!(stack.prompt(1), answer(1, "load 40"));
}

#[tokio::test]
async fn a_lost_call_that_may_change_something_is_not_made_again() {
    let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", "twice");
    let (stack, submitted) = dies_in_a_call(toolbox, Outcome::Unknown).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
    assert!(stack.prompt(1).contains("The outcome of this call is unknown"));
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    let call = stack.store.list_calls(execution.id).await.unwrap().remove(0);
    assert_eq!((call.status, call.call_number), (CallStatus::Unknown, 1));
}

#[tokio::test]
async fn a_call_of_a_dead_owner_is_abandoned_when_the_time_is_over() {
    let stack = Stack::new([calls("host.load")]).await;
    let gate = stack.toolbox.block("host.load");
    let first = stack.doomed("one").await;
    let mut chain = chain();
    chain.session_timeout_ms = 600_000;
    let mut submitted = stack.submit(&chain).await;
    gate.entered(1).await;
    first.kill().await;
    // Nobody works on it until its time is over.
    stack.let_an_hour_pass(submitted.id).await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::TimedOut).await;
    stack.check_end(&submitted, SessionStatus::TimedOut).await;
    let call = stack.toolbox.calls().remove(0);
    assert_eq!(stack.toolbox.cancelled(), [call.call.call_id]);
}

#[tokio::test]
async fn a_turn_whose_owner_died_is_closed_and_taken_again() {
    let pauses = Script::Pause(vec![text("The load ")], vec![]);
    let stack = Stack::new([pauses, answer_with("The load is high."), answer_with("Short.")]).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    let first = stack.timeline(submitted.id).await.remove(0);
    assert_eq!(first.status, TimelineStatus::Failed);
    assert_eq!(first.metadata, Some(json!({"interrupted": true})));
    let asked = stack.llm.requests();
    assert_eq!(asked[0].messages, asked[1].messages);
}

#[tokio::test]
async fn a_stage_that_finished_is_not_run_again() {
    let pauses = Script::Pause(vec![text("Clean ")], vec![]);
    let turns =
        [answer_with("Disk is full."), pauses, answer_with("Clean /var."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&two_stages()).await;
    submitted.until("stage.status", "completed").await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Clean /var."));
    assert_eq!(stack.store.list_stages(submitted.id).await.unwrap().len(), 2);
    assert!(stack.prompt(2).contains("Disk is full."), "the second owner knows the first stage");
    let analyses = stack.texts(submitted.id, TimelineKind::FinalAnalysis).await;
    assert_eq!(analyses, ["Disk is full.", "Clean /var."]);
}

/// An owner whose prompt templates had other words requests the conclusion, and dies.
async fn owner_with_other_prompts(stack: &Stack) -> Vec<String> {
    let claim = stack.store.claim_session("old", Duration::ZERO, 10).await.unwrap().unwrap();
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
            dispatched: None,
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
            call_number: None,
            provider_state: None,
            alerts_until: None,
            continues: false,
            sub_execution_id: None,
        }));
    }
    let cause = ConclusionCause::Iterations;
    batch.push(Op::RequestConclusion(ConclusionRequest { execution_id: execution, cause }));
    stack.store.commit(claim.fence, batch).await.unwrap();
    texts.map(str::to_owned).into()
}

#[tokio::test]
async fn an_edited_prompt_template_changes_nothing_of_a_resumption() {
    let stack = Stack::new([answer_with("Found."), answer_with("Short.")]).await;
    let mut submitted = stack.submit(&chain()).await;
    let texts = owner_with_other_prompts(&stack).await;
    stack.worker("new").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Found."));
    let request = stack.llm.requests().remove(0);
    let sent: Vec<String> = request.messages.into_iter().map(|one| one.content).collect();
    assert_eq!(sent, texts, "no message is added, and the conclusion is requested once");
    assert!(request.tools.is_empty());
    let calls = stack.model_calls(submitted.id).await;
    assert_eq!(calls[0].brief.kind, LlmInteractionKind::ForcedConclusion);
}
