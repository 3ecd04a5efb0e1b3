//! Several agents at once and their synthesis.

use serde_json::json;
use tarsy_catalog::{Backend, ResolvedChain, Strategy, SuccessPolicy};
use tarsy_contracts::failure::FailureView;
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::failure::FailureCode;
use tarsy_domain::status::{SessionStatus, TimelineStatus, WorkStatus};
use tarsy_llm::{Error, Script};
use tarsy_store::Stage;

use crate::stack::{Stack, SubmittedSession, answer_with, call, chain, text, usage};

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
        variable: Some("TEAM_KEY".to_owned()),
    };
    Script::Failure(vec![], error)
}

async fn run(
    turns: Vec<Script>,
    chain: &ResolvedChain,
    end: SessionStatus,
) -> (Stack, SubmittedSession) {
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(end).await;
    // Agents that work at once tell at once: whoever shows it puts it in order.
    submitted.receive_all_events(&stack).await;
    submitted.events.sort_by_key(|event| event["db_event_id"].as_i64());
    submitted.check_order();
    stack.check_end(&submitted, end).await;
    (stack, submitted)
}

async fn stages(stack: &Stack, submitted: &SubmittedSession) -> Vec<Stage> {
    stack.store.list_stages(submitted.id).await.unwrap()
}

#[tokio::test]
async fn three_replicas_are_joined_in_a_stage_of_its_own() {
    let looks = || Script::Answer(vec![call("c", "host.load"), usage()]);
    let turns = vec![
        looks(),
        looks(),
        looks(),
        answer_with("The load is high."),
        answer_with("The load is high."),
        answer_with("The load is high."),
        answer_with("All three: the load."),
        answer_with("Clean up."),
        answer_with("Short."),
    ];
    let mut chain = replicas(3, SuccessPolicy::Any);
    let mut last = crate::stack::chain().stages.remove(0);
    "verdict".clone_into(&mut last.name);
    chain.stages.push(last);
    let (stack, submitted) = run(turns, &chain, SessionStatus::Completed).await;

    let stages = stages(&stack, &submitted).await;
    let prompt: Vec<_> = stages
        .iter()
        .map(|one| (one.stage_index, one.stage_name.as_str(), one.parallel_type.as_deref()))
        .collect();
    assert_eq!(
        prompt,
        [
            (0, "investigation", Some("replica")),
            (1, "investigation - Synthesis", None),
            (2, "verdict", None),
        ]
    );
    assert_eq!(stages[1].expected_agent_count, 1);
    let received: Vec<_> =
        submitted.events.iter().filter(|event| event["type"] == "stage.status").collect();
    assert_eq!(received[2]["stage_name"], json!("investigation - Synthesis"));
    assert_eq!(received[2]["stage_index"], json!(2));

    let executions = stack.store.list_executions(submitted.id).await.unwrap();
    let joining = executions.iter().find(|one| one.stage_id == stages[1].id).unwrap();
    assert_eq!(joining.iteration_strategy, "synthesis");
    let messages = stack.store.list_messages(joining.id).await.unwrap();
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
    let asked = stack.llm.requests();
    assert!(asked[6].tools.is_empty());

    let events = stack.store.list_execution_history(joining.id).await.unwrap();
    let kinds: Vec<_> = events.iter().map(|one| one.event.kind).collect();
    assert_eq!(kinds, [TimelineKind::LlmResponse, TimelineKind::FinalAnalysis]);
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let turns = &trace.stages[1].executions[0].llm_interactions;
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].kind, LlmInteractionKind::Synthesis);

    let next = stack.prompt(7);
    assert!(next.contains("### investigation\n\nAll three: the load."), "{next}");
    assert!(!next.contains("The load is high."), "the synthesis replaces what it joined: {next}");
}

#[tokio::test]
async fn with_any_one_success_is_enough_and_the_synthesis_reads_the_failure() {
    let turns =
        vec![answer_with("Found it."), lasting(), answer_with("Joined."), answer_with("Short.")];
    let chain = replicas(2, SuccessPolicy::Any);
    let (stack, submitted) = run(turns, &chain, SessionStatus::Completed).await;
    let session = stack.session(submitted.id).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Joined."));
    let record = stack.prompt(2);
    for part in [
        "Status: completed",
        "Conclusion:\nFound it.",
        "Status: failed",
        "could not be used: the key is not valid",
    ] {
        assert!(record.contains(part), "{part} is missing in {record}");
    }
    assert!(stack.prompt(3).contains("Joined."));
}

#[tokio::test]
async fn with_all_one_failure_fails_the_session_which_keeps_what_was_found() {
    let turns = vec![answer_with("Found it."), lasting()];
    let chain = replicas(2, SuccessPolicy::All);
    let (stack, submitted) = run(turns, &chain, SessionStatus::Failed).await;
    let session = stack.session(submitted.id).await;
    assert!(session.final_analysis.unwrap().contains("Found it."));
    let error = session.error_message.unwrap();
    assert!(error.starts_with("stage \"investigation\" failed: HostAgent-"), "{error}");
    assert_eq!(stages(&stack, &submitted).await.len(), 1, "nothing is joined");
    let status = stack.store.find_session_status(submitted.id).await.unwrap().unwrap();
    let FailureView { failure, remedy, document } = status.failure.unwrap();
    assert_eq!(failure.code, FailureCode::Credentials);
    assert_eq!(failure.reason, "the key is not valid");
    assert_eq!(failure.stage.as_deref(), Some("investigation"));
    assert!(failure.agent.as_deref().unwrap().starts_with("HostAgent-"), "{failure:?}");
    assert_eq!(failure.variable.as_deref(), Some("TEAM_KEY"));
    assert!(failure.provider.is_some() && remedy.contains("Set TEAM_KEY"), "{failure:?} {remedy}");
    assert_eq!(document.as_deref(), Some("operating.md#keys-of-models"));
    let executions = stack.store.list_executions(submitted.id).await.unwrap();
    let failures: Vec<_> = executions.iter().filter_map(|one| one.failure.as_ref()).collect();
    assert_eq!(failures.iter().map(|one| one.code).collect::<Vec<_>>(), [FailureCode::Credentials]);
}

#[tokio::test]
async fn a_synthesis_that_fails_fails_the_session_which_keeps_what_was_found() {
    let turns = vec![answer_with("Found it."), answer_with("Found it."), lasting()];
    let chain = replicas(2, SuccessPolicy::All);
    let (stack, submitted) = run(turns, &chain, SessionStatus::Failed).await;
    let session = stack.session(submitted.id).await;
    let found = session.final_analysis.unwrap();
    assert_eq!(found, "## HostAgent-1\n\nFound it.\n\n## HostAgent-2\n\nFound it.");
    let error = session.error_message.unwrap();
    assert!(error.starts_with("stage \"investigation - Synthesis\" failed: Synthesis"), "{error}");
    let ends: Vec<_> = stages(&stack, &submitted).await.iter().map(|one| one.status).collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::Failed]);
    assert_eq!(session.executive_summary, None);
}

#[tokio::test]
async fn a_synthesis_that_cites_what_was_not_made_is_corrected_once() {
    let wrong = "812 pods restarted [call 4].";
    let turns = vec![
        answer_with("Found."),
        answer_with("Found."),
        answer_with(wrong),
        answer_with("Joined."),
        answer_with("Short."),
    ];
    let mut chain = replicas(2, SuccessPolicy::All);
    let joining = chain.stages[0].synthesis.as_mut().unwrap();
    joining.provider.backend = Backend::Langchain;
    let (stack, submitted) = run(turns, &chain, SessionStatus::Completed).await;
    let request = stack.prompt(3);
    assert!(request.contains("- [call 4]: no such call was made"), "{request}");
    let session = stack.session(submitted.id).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Joined."));
    let shown = stack.texts(submitted.id, TimelineKind::FinalAnalysis).await;
    assert_eq!(shown, ["Found.", "Found.", "Joined."]);
}

#[tokio::test]
async fn a_synthesis_whose_owner_died_is_taken_again_and_nothing_else_is() {
    let pauses = Script::Pause(vec![text("All of ")], vec![]);
    let turns = vec![
        answer_with("Found."),
        answer_with("Found."),
        pauses,
        answer_with("Joined."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&replicas(2, SuccessPolicy::Any)).await;
    submitted.until("stage.status", "completed").await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Joined."));
    let asked = stack.llm.requests();
    assert_eq!(asked.len(), 5);
    assert_eq!(asked[2].messages, asked[3].messages);
    assert_eq!(stages(&stack, &submitted).await.len(), 2);
    assert_eq!(stack.store.list_executions(submitted.id).await.unwrap().len(), 3);
    let broken = stack.timeline(submitted.id).await.into_iter().find(|one| one.content.is_empty());
    assert_eq!(broken.unwrap().status, TimelineStatus::Failed);
}

#[tokio::test]
async fn a_synthesis_that_was_written_is_not_written_again() {
    let pauses = Script::Pause(vec![text("Clean ")], vec![]);
    let turns = vec![
        answer_with("Found."),
        answer_with("Found."),
        answer_with("Joined."),
        pauses,
        answer_with("End."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    let mut chain = replicas(2, SuccessPolicy::Any);
    chain.stages.extend(crate::stack::chain().stages);
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain).await;
    submitted.until("stage.status", "completed").await;
    submitted.until("stage.status", "completed").await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(stack.prompt(4).contains("Joined."), "{}", stack.prompt(4));
    assert_eq!(stack.llm.requests().len(), 6);
    assert_eq!(stages(&stack, &submitted).await.len(), 3);
}

#[tokio::test]
async fn a_cancel_in_the_middle_of_a_synthesis_keeps_what_was_found() {
    let turns = [
        answer_with("Found."),
        answer_with("Found."),
        Script::Pause(vec![text("All of ")], vec![]),
    ];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&replicas(2, SuccessPolicy::Any)).await;
    submitted.until("stage.status", "completed").await;
    submitted.until("timeline_event.created", "streaming").await;
    stack.store.request_cancel(submitted.id).await.unwrap();
    submitted.ends(SessionStatus::Cancelled).await;
    let session = stack.check_end(&submitted, SessionStatus::Cancelled).await;
    assert!(session.final_analysis.unwrap().contains("## HostAgent-2\n\nFound."));
    let ends: Vec<_> = stages(&stack, &submitted).await.iter().map(|one| one.status).collect();
    assert_eq!(ends, [WorkStatus::Completed, WorkStatus::Cancelled]);
}

#[tokio::test]
async fn a_synthesis_that_never_ends_times_out() {
    let unresponsive = || Script::Pause(vec![], vec![]);
    let mut chain = replicas(2, SuccessPolicy::Any);
    // What the others say is heard and written down within it also where everything is slow.
    chain.iteration_timeout_ms = 4_000;
    let turns = vec![answer_with("Found."), answer_with("Found."), unresponsive(), unresponsive()];
    let (stack, submitted) = run(turns, &chain, SessionStatus::TimedOut).await;
    let session = stack.session(submitted.id).await;
    assert!(session.final_analysis.unwrap().contains("Found."));
    let error = session.error_message.unwrap();
    assert!(
        error.contains("did not complete its answer within 4s (`llm_timeouts.answer`"),
        "{error}"
    );
    assert!(error.ends_with(", 2 times"), "{error}");
}
