//! Agents that dispatch others: what each is offered and given, their limits, and owners that die in the middle.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tarsy_catalog::{Backend, ResolvedChain, ResolvedDelegation, ResolvedSubAgent};
use tarsy_domain::event::{CallStatus, Role};
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_llm::{Chunk, Chunks, Error, Llm, Request, ToolCall};
use tarsy_store::SubExecution;
use tarsy_testkit::eventually;
use tarsy_tools::ScriptedToolbox;

use crate::chat::ask;
use crate::stack::{Stack, SubmittedSession, chain, read_only, usage};

/// A model that answers by what a conversation has, so that a turn which is taken again is the same.
#[derive(Clone)]
pub(crate) struct Ruled(fn(&Exchange<'_>) -> Vec<Chunk>);

/// A conversation as a model reads it.
pub(crate) struct Exchange<'a>(&'a Request);

impl Exchange<'_> {
    fn count(&self, has: impl Fn(&tarsy_llm::Message) -> bool) -> usize {
        self.0.messages.iter().filter(|message| has(message)).count()
    }

    fn turns(&self) -> usize {
        self.count(|message| message.role == Role::Assistant)
    }

    /// How many results of sub-agents it has.
    fn results(&self) -> usize {
        self.count(|message| {
            message.role == Role::User && message.content.starts_with("Sub-agent ")
        })
    }

    fn assignment(&self) -> Option<&str> {
        let text = &self.0.messages.iter().find(|message| message.role == Role::User)?.content;
        text.split("<assignment>").nth(1)?.split("</assignment>").next().map(str::trim)
    }
}

#[async_trait]
impl Llm for Ruled {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        let writes = |text: &str| vec![Chunk::Text(text.to_owned()), usage()];
        let chunks = match (&request.response_format, request.execution_id) {
            (Some(_), _) => return Err(Error::Transport("no verdict".to_owned())),
            (None, None) => writes("Short."),
            (None, Some(_)) => (self.0)(&Exchange(&request)),
        };
        let paced = futures::stream::iter(chunks).then(async |chunk| {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(chunk)
        });
        Ok(paced.boxed())
    }
}

fn writes(text: impl Into<String>) -> Vec<Chunk> {
    vec![Chunk::Text(text.into()), usage()]
}

fn asks(calls: impl IntoIterator<Item = (&'static str, Value)>) -> Vec<Chunk> {
    let call = |(at, (name, arguments)): (usize, (&str, Value))| {
        Chunk::ToolCall(ToolCall {
            id: format!("{name}-{at}-{arguments}"),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            ..ToolCall::default()
        })
    };
    calls.into_iter().enumerate().map(call).chain([usage()]).collect()
}

fn dispatch(task: &str) -> (&'static str, Value) {
    ("tarsy.dispatch_agent", json!({"name": "Looker", "task": task}))
}

fn wait() -> (&'static str, Value) {
    ("tarsy.wait_for_agents", json!({}))
}

/// One agent that may dispatch another one, which has the tools of the first.
pub(crate) fn team(limits: impl FnOnce(&mut ResolvedDelegation)) -> ResolvedChain {
    let mut chain = chain();
    let leader = &mut chain.stages[0].agents[0];
    leader.provider.backend = Backend::Langchain;
    let mut looker = leader.clone();
    for name in [&mut looker.name, &mut looker.agent] {
        "Looker".clone_into(name);
    }
    leader.servers.clear();
    let description = "Looks at one thing.".to_owned();
    let mut delegation = ResolvedDelegation {
        agents: vec![ResolvedSubAgent { description, agent: looker }],
        max_concurrent_agents: 5,
        agent_timeout_ms: 60_000,
        max_budget_ms: 120_000,
    };
    limits(&mut delegation);
    leader.delegation = Some(delegation);
    chain
}

fn tools() -> ScriptedToolbox {
    ScriptedToolbox::new()
        .with_tool(read_only("host", "load"))
        .answers("host.load", "0.4")
        .tool("host.slow")
        .answers("host.slow", "done")
}

async fn stack() -> Stack {
    Stack::with([], tools()).await
}

/// The session of a leader and its workers, once it has ended.
async fn ended(
    stack: &Stack,
    chain: &ResolvedChain,
    answers: fn(&Exchange<'_>) -> Vec<Chunk>,
) -> SubmittedSession {
    stack.worker_with_model("one", Ruled(answers)).await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    submitted
}

async fn dispatched(stack: &Stack, submitted: &SubmittedSession) -> Vec<SubExecution> {
    let leader = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    assert_eq!(leader.parent_execution_id, None);
    stack.store.list_sub_executions(leader.id).await.unwrap()
}

/// The messages that the leader was given, in order.
async fn given(stack: &Stack, submitted: &SubmittedSession) -> Vec<String> {
    let leader = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    let messages = stack.store.list_messages(leader.id).await.unwrap();
    messages.into_iter().map(|message| message.content).collect()
}

/// Three parts: each one call, and a conclusion.
fn three_parts(exchange: &Exchange<'_>) -> Vec<Chunk> {
    match (exchange.assignment(), exchange.turns(), exchange.results()) {
        (Some(_), 0, _) => asks([("host.load", json!({}))]),
        (Some(part), ..) => writes(format!("{part} is fine.")),
        (None, 0, _) => asks(["A", "B", "C"].map(dispatch)),
        (None, _, 3) => writes("All three are fine."),
        (None, ..) => asks([wait()]),
    }
}

#[tokio::test]
async fn three_sub_agents_work_side_by_side_and_their_results_come_to_the_one_that_dispatched_them()
{
    let stack = stack().await;
    let gate = stack.toolbox.block("host.load");
    stack.worker_with_model("one", Ruled(three_parts)).await;
    let mut submitted = stack.submit(&team(|_| {})).await;
    gate.entered(3).await;
    gate.release();
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("All three are fine."));
    let all = dispatched(&stack, &submitted).await;
    let tasks: Vec<_> = all.iter().map(|one| one.execution.task.clone().unwrap()).collect();
    assert_eq!(tasks, ["A", "B", "C"]);
    assert!(all.iter().all(|one| one.execution.status == WorkStatus::Completed));
    let given = given(&stack, &submitted).await;
    assert!(given[0].contains("- Looker: Looks at one thing. (tools of "), "{}", given[0]);
    for part in ["A", "B", "C"] {
        let found = format!("{part} is fine.");
        let results: Vec<_> = given.iter().filter(|text| text.contains(&found)).collect();
        assert_eq!(results.len(), 1, "{given:#?}");
        assert!(results[0].starts_with("Sub-agent ") && results[0].contains("<sub_agent_result"));
    }
    submitted.receive_all_events(&stack).await;
    submitted.check_order();
}

#[tokio::test]
async fn a_conclusion_that_comes_too_early_waits_for_those_that_run() {
    let stack = stack().await;
    let submitted = ended(&stack, &team(|_| {}), |exchange| {
        match (exchange.assignment(), exchange.turns(), exchange.results()) {
            (Some(_), 0, _) => asks([("host.load", json!({}))]),
            (Some(_), ..) => writes("The load is 0.4."),
            (None, 0, _) => asks([dispatch("the load")]),
            (None, _, 0) => writes("I guess that nothing is wrong."),
            (None, ..) => writes("The load is low."),
        }
    })
    .await;
    let session = stack.session(submitted.id).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The load is low."));
    let given = given(&stack, &submitted).await;
    let asked = given.iter().position(|text| text.contains("not read yet")).unwrap();
    assert!(given[asked].contains("1 (Looker)"), "{}", given[asked]);
    assert!(given[asked + 1].contains("The load is 0.4."), "{given:#?}");
}

/// The first of three that never end is cancelled; the third one has no place.
fn endless_parts(exchange: &Exchange<'_>) -> Vec<Chunk> {
    match (exchange.assignment(), exchange.turns(), exchange.results()) {
        (Some(_), ..) => asks([("host.slow", json!({}))]),
        (None, 0, _) => asks(["A", "B", "C"].map(dispatch)),
        (None, 1, _) => asks([("tarsy.cancel_agent", json!({"number": 1}))]),
        (None, _, 2) => writes("Nothing was found."),
        (None, ..) => asks([wait()]),
    }
}

#[tokio::test]
async fn limits_of_number_and_time_are_kept_and_a_cancelled_one_ends() {
    let stack = stack().await;
    let gate = stack.toolbox.block("host.slow");
    let limits = |limits: &mut ResolvedDelegation| {
        (limits.max_concurrent_agents, limits.agent_timeout_ms) = (2, 3_000);
    };
    let submitted = ended(&stack, &team(limits), endless_parts).await;
    gate.release();
    let all = dispatched(&stack, &submitted).await;
    let ends: Vec<_> = all.iter().map(|one| one.execution.status).collect();
    assert_eq!(ends, [WorkStatus::Cancelled, WorkStatus::TimedOut]);
    let errors: Vec<_> =
        all.iter().map(|one| one.execution.error_message.clone().unwrap()).collect();
    assert_eq!(errors[1], "it did not conclude within 3 s");
    let given = given(&stack, &submitted).await.join("\n");
    assert!(given.contains("more than 2 may not"), "{given}");
    assert!(given.contains("Sub-agent 1 (Looker) is cancelled: "), "{given}");
    assert!(given.contains("Sub-agent 2 (Looker) has timed out: "), "{given}");
}

#[tokio::test]
async fn owners_that_die_at_any_point_dispatch_nobody_twice_and_lose_no_result() {
    for round in 0..2_u64 {
        let stack = stack().await;
        let mut submitted = stack.submit(&team(|_| {})).await;
        for attempt in 0..3_u64 {
            let owner = stack.doomed_with_model("doomed", Ruled(three_parts)).await;
            let pause = 120 + (round * 3 + attempt) * 97 % 400;
            tokio::time::sleep(Duration::from_millis(pause)).await;
            owner.kill().await;
            if stack.session(submitted.id).await.status.is_terminal() {
                break;
            }
            stack.abandoned().await;
        }
        stack.worker_with_model("last", Ruled(three_parts)).await;
        submitted.ends(SessionStatus::Completed).await;
        stack.check_end(&submitted, SessionStatus::Completed).await;
        let all = dispatched(&stack, &submitted).await;
        let tasks: Vec<_> = all.iter().map(|one| one.execution.task.clone().unwrap()).collect();
        assert_eq!(tasks, ["A", "B", "C"]);
        let leader = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
        let messages = stack.store.list_messages(leader.id).await.unwrap();
        let mut results: BTreeMap<_, usize> = BTreeMap::new();
        for id in messages.iter().filter_map(|message| message.sub_execution_id) {
            *results.entry(id).or_default() += 1;
        }
        assert_eq!(results.len(), 3);
        assert!(results.values().all(|times| *times == 1));
        for one in &all {
            assert_eq!(one.execution.status, WorkStatus::Completed);
            let calls = stack.store.list_calls(one.execution.id).await.unwrap();
            let ends: Vec<_> = calls.iter().map(|call| call.status).collect();
            assert_eq!(ends, [CallStatus::Completed], "no call is requested again");
        }
    }
}

/// One that never ends, and another one after it.
fn one_after_the_other(exchange: &Exchange<'_>) -> Vec<Chunk> {
    match (exchange.assignment(), exchange.turns(), exchange.results()) {
        (Some(_), ..) => asks([("host.slow", json!({}))]),
        (None, 0, _) => asks([dispatch("A")]),
        (None, _, 0) => asks([wait()]),
        (None, 2, _) => asks([dispatch("B")]),
        (None, ..) => writes("Nothing was found."),
    }
}

#[tokio::test]
async fn after_the_time_of_all_nobody_runs_and_nobody_is_dispatched() {
    let stack = stack().await;
    let gate = stack.toolbox.block("host.slow");
    let limits = |limits: &mut ResolvedDelegation| limits.max_budget_ms = 2_000;
    let submitted = ended(&stack, &team(limits), one_after_the_other).await;
    gate.release();
    let all = dispatched(&stack, &submitted).await;
    let ends: Vec<_> = all.iter().map(|one| one.execution.status).collect();
    assert_eq!(ends, [WorkStatus::TimedOut]);
    let given = given(&stack, &submitted).await.join("\n");
    assert!(given.contains("The time of all sub-agents together, 2 s, is up"), "{given}");
}

#[tokio::test]
async fn a_question_is_answered_with_what_a_sub_agent_found() {
    let stack = stack().await;
    let mut chain = team(|_| {});
    chain.chat = Some(chain.stages[0].agents[0].clone());
    let submitted = ended(&stack, &chain, three_parts).await;
    let stage = ask(&stack, submitted.id, "And now?").await;
    eventually("the answer", async || {
        let stages = stack.store.list_stages(submitted.id).await.unwrap();
        stages.iter().any(|one| one.id == stage && one.status == WorkStatus::Completed)
    })
    .await;
    let all = stack.store.list_executions(submitted.id).await.unwrap();
    let of_answer: Vec<_> = all.iter().filter(|one| one.stage_id == stage).collect();
    assert_eq!(of_answer.len(), 4);
    assert!(of_answer.iter().all(|one| one.status == WorkStatus::Completed));
    assert_eq!(of_answer[0].conclusion.as_deref(), Some("All three are fine."));
    assert!(of_answer[1..].iter().all(|one| one.parent_execution_id == Some(of_answer[0].id)));
    stack.check_end(&submitted, SessionStatus::Completed).await;
}

/// The team, whose member may dispatch a member of its own.
fn deeper(limits: impl FnOnce(&mut ResolvedDelegation)) -> ResolvedChain {
    let mut chain = team(|_| {});
    let mut of_member = chain.stages[0].agents[0].delegation.clone().unwrap();
    limits(&mut of_member);
    let leader = chain.stages[0].agents[0].delegation.as_mut().unwrap();
    leader.agents[0].agent.delegation = Some(of_member);
    chain
}

/// A leader dispatches one, which dispatches another one, which calls a tool.
fn three_levels(exchange: &Exchange<'_>) -> Vec<Chunk> {
    match (exchange.assignment(), exchange.turns(), exchange.results()) {
        (Some("the load"), 0, _) => asks([("host.load", json!({}))]),
        (Some("the load"), ..) => writes("The load is 0.4."),
        (Some(_), 0, _) => asks([dispatch("the load")]),
        (Some(_), _, 1) => writes("The host is idle: its load is 0.4."),
        (None, 0, _) => asks([dispatch("the host")]),
        (None, _, 1) => writes("The host is idle."),
        _ => asks([wait()]),
    }
}

#[tokio::test]
async fn a_dispatched_agent_dispatches_another_one_and_owners_that_die_change_nothing() {
    let stack = stack().await;
    let mut submitted = stack.submit(&deeper(|_| {})).await;
    for pause in [150, 260, 370] {
        let owner = stack.doomed_with_model("doomed", Ruled(three_levels)).await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        owner.kill().await;
        if stack.session(submitted.id).await.status.is_terminal() {
            break;
        }
        stack.abandoned().await;
    }
    stack.worker_with_model("last", Ruled(three_levels)).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("The host is idle."));
    let all = stack.store.list_executions(submitted.id).await.unwrap();
    let [leader, member, inner] = all.as_slice() else { panic!("{all:#?}") };
    assert_eq!(member.parent_execution_id, Some(leader.id));
    assert_eq!(inner.parent_execution_id, Some(member.id));
    assert!(all.iter().all(|one| one.status == WorkStatus::Completed));
    assert_eq!(stack.store.list_calls(inner.id).await.unwrap().len(), 1, "no call is repeated");
    let evidence = stack.store.find_evidence(submitted.id, leader.id, i64::MAX).await.unwrap();
    let known: Vec<_> =
        evidence.unwrap().calls.into_iter().filter_map(|call| call.tool_name).collect();
    assert!(known.contains(&"load".to_owned()), "the leader may cite it: {known:?}");
}

/// The member waits for one that never ends.
fn endless_below(exchange: &Exchange<'_>) -> Vec<Chunk> {
    match (exchange.assignment(), exchange.turns(), exchange.results()) {
        (Some("the load"), ..) => asks([("host.slow", json!({}))]),
        (Some(_), 0, _) => asks([dispatch("the load")]),
        (None, 0, _) => asks([dispatch("the host")]),
        (None, _, 1) => writes("Nothing was found."),
        _ => asks([wait()]),
    }
}

#[tokio::test]
async fn when_the_time_of_a_dispatched_agent_is_up_those_below_it_end_too() {
    let stack = stack().await;
    let gate = stack.toolbox.block("host.slow");
    let mut chain = deeper(|_| {});
    chain.stages[0].agents[0].delegation.as_mut().unwrap().agent_timeout_ms = 2_000;
    let submitted = ended(&stack, &chain, endless_below).await;
    gate.release();
    let all = stack.store.list_executions(submitted.id).await.unwrap();
    let ends: Vec<_> = all.iter().map(|one| (one.status, one.error_message.as_deref())).collect();
    assert_eq!(
        ends,
        [
            (WorkStatus::Completed, None),
            (WorkStatus::TimedOut, Some("it did not conclude within 2 s")),
            (WorkStatus::Cancelled, Some("the agent that dispatched it has ended")),
        ]
    );
}
