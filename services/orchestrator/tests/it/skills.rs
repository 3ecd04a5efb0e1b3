//! Skills: in the prompt, or loaded once by a call that TARSy answers itself; and the day and time of a session.

use tarsy_catalog::{Backend, ResolvedChain, ResolvedSkill};
use tarsy_contracts::mcp::Outcome;
use tarsy_domain::event::{CallStatus, TimelineKind};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_llm::{Chunk, Message, Request, Script, ToolCall};

use crate::stack::{
    Stack, SubmittedSession, answer_with, call, calls, chain, shipped_chain, usage,
};

const BODY: &str = "Read the log of the container **before**.";

fn skill(name: &str, body: &str) -> ResolvedSkill {
    ResolvedSkill {
        name: name.to_owned(),
        description: format!("About {name}."),
        hash: "00".repeat(32),
        body: body.to_owned(),
    }
}

/// The chain with one skill in the prompt and one to load.
fn with_skills(mut chain: ResolvedChain) -> ResolvedChain {
    chain.skills = vec![skill("house", "Times are UTC."), skill("pods", BODY)];
    let agent = &mut chain.stages[0].agents[0];
    agent.provider.backend = Backend::Langchain;
    agent.required_skills = vec!["house".to_owned()];
    agent.skills = vec!["pods".to_owned()];
    chain
}

fn load(id: &str, name: &str) -> Chunk {
    Chunk::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "tarsy.load_skill".to_owned(),
        arguments: format!("{{\"name\":\"{name}\"}}"),
        ..ToolCall::default()
    })
}

fn asks(calls: impl IntoIterator<Item = Chunk>) -> Script {
    Script::Answer(calls.into_iter().chain([usage()]).collect())
}

async fn ended(stack: &Stack, chain: &ResolvedChain) -> SubmittedSession {
    stack.worker("one").await;
    let mut submitted = stack.submit(chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    submitted
}

fn offered(request: &Request) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn a_skill_is_loaded_by_a_call_that_no_tool_server_sees() {
    let turns = [asks([load("c1", "pods")]), answer_with("Found."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let submitted = ended(&stack, &with_skills(chain())).await;
    let instructions = stack.instructions(0);
    assert!(instructions.contains("### house\n\nTimes are UTC."), "{instructions}");
    assert!(instructions.contains("- pods: About pods."), "{instructions}");
    assert!(!instructions.contains(BODY) && !instructions.contains("- house:"), "{instructions}");
    assert_eq!(offered(&stack.llm.requests()[0]).last(), Some(&"tarsy.load_skill"));
    let given = stack.prompt(1);
    assert!(given.starts_with("[call 1] answered with a skill."), "{given}");
    assert!(
        given.contains(&format!("<skill>\n{BODY}\n</skill>")) && !given.contains("is data"),
        "{given}"
    );
    assert!(stack.toolbox.calls().is_empty());
    let events = stack.timeline(submitted.id).await;
    let shown = events.iter().find(|event| event.kind == TimelineKind::LlmToolCall).unwrap();
    assert_eq!((shown.status, shown.content.as_str()), (TimelineStatus::Completed, BODY));
    let metadata = shown.metadata.as_ref().unwrap();
    assert_eq!(
        (&metadata["server_name"], &metadata["tool_name"]),
        (&"tarsy".into(), &"load_skill".into())
    );
}

#[tokio::test]
async fn a_skill_that_an_agent_may_not_load_is_a_failed_call_with_those_that_it_may() {
    let turns = [asks([load("c1", "storage")]), answer_with("Found."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    ended(&stack, &with_skills(chain())).await;
    let given = stack.prompt(1);
    assert!(
        given.contains("There is no skill \"storage\"; write one of these as `name`: pods."),
        "{given}"
    );
}

#[tokio::test]
async fn a_loaded_skill_is_no_look() {
    let turns = [
        asks([load("c1", "pods")]),
        answer_with("The load is 38."),
        calls("host.load"),
        answer_with("The load is 0.4 [call 2]."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    ended(&stack, &with_skills(shipped_chain())).await;
    assert!(stack.prompt(2).contains("have not looked"), "{}", stack.prompt(2));
}

#[tokio::test]
async fn a_skill_whose_reader_died_is_loaded_once_with_its_text_of_the_beginning() {
    let turns = [
        asks([load("c1", "pods"), call("c2", "host.load")]),
        answer_with("Found."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    let gate = stack.toolbox.block("host.load");
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&with_skills(chain())).await;
    gate.entered(1).await;
    first.kill().await;
    gate.release();
    let lost = stack.toolbox.calls()[0].call.call_id;
    let _toolbox = stack.toolbox.clone().with_outcome(lost, Outcome::Unknown);
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let execution = stack.store.list_executions(submitted.id).await.unwrap().remove(0);
    let stored = stack.store.list_calls(execution.id).await.unwrap();
    let loads: Vec<CallStatus> =
        stored.iter().filter(|call| call.server_name == "tarsy").map(|call| call.status).collect();
    assert_eq!(loads, [CallStatus::Completed]);
    let requests = stack.llm.requests();
    let given: Vec<&Message> =
        requests[1].messages.iter().filter(|message| message.content.contains(BODY)).collect();
    assert_eq!(given.len(), 1, "{given:?}");
}

#[tokio::test]
async fn a_small_window_and_the_offline_analyst_load_no_skills() {
    let none = |request: &Request| !offered(request).contains(&"tarsy.load_skill");
    let mut small = with_skills(chain());
    small.stages[0].agents[0].provider.context_window_tokens = Some(8_192);
    let stack = Stack::new([answer_with("Found."), answer_with("Short.")]).await;
    ended(&stack, &small).await;
    assert!(none(&stack.llm.requests()[0]));
    let instructions = stack.instructions(0);
    assert!(
        instructions.contains("Times are UTC.") && !instructions.contains("- pods:"),
        "{instructions}"
    );
    let mut rules = with_skills(chain());
    rules.stages[0].agents[0].provider.backend = Backend::Offline;
    let stack = Stack::new([answer_with("Found."), answer_with("Short.")]).await;
    ended(&stack, &rules).await;
    assert!(none(&stack.llm.requests()[0]));
}

#[tokio::test]
async fn requests_with_skills_begin_with_the_ones_before_them() {
    let turns = [
        asks([load("c1", "pods")]),
        calls("host.load"),
        answer_with("The load is 0.4 [call 2]."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    ended(&stack, &with_skills(chain())).await;
    let all = stack.llm.requests();
    let of_agent: Vec<&Request> = all.iter().filter(|one| one.execution_id.is_some()).collect();
    assert_eq!(of_agent.len(), 3);
    for pair in of_agent.windows(2) {
        let texts = |request: &Request| -> Vec<String> {
            request.messages.iter().map(|message| message.content.clone()).collect()
        };
        let (before, after) = (texts(pair[0]), texts(pair[1]));
        assert_eq!(after[..before.len()], before[..]);
        assert_eq!(pair[0].tools, pair[1].tools);
    }
}

/// What the first message of the agent of a request says of the time.
fn now(request: &Request) -> Option<&str> {
    let message = request.messages.iter().find(|message| message.content.contains("Received: "))?;
    message.content.lines().find(|line| line.starts_with("Now: "))
}

#[tokio::test]
async fn every_agent_of_a_session_has_the_same_time_unless_it_has_none() {
    let pauses = Script::Pause(vec![Chunk::Text("The load ".to_owned())], Vec::new());
    let turns = [
        answer_with("Full."),
        pauses,
        answer_with("High."),
        answer_with("Last."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    let mut chain = chain();
    let other = chain.stages[0].clone();
    chain.stages.extend([other.clone(), other]);
    chain.stages[2].agents[0].without_calendar = true;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain).await;
    submitted.until("stage.status", "completed").await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let started = stack.session(submitted.id).await.started_at.unwrap();
    let requests = stack.llm.requests();
    let given: Vec<Option<&str>> = requests.iter().take(4).map(now).collect();
    let time = started.strftime("%Y-%m-%d %H:%M UTC").to_string();
    assert!(given[0].is_some_and(|line| line.contains(&time)), "{given:?}");
    assert_eq!((given[1], given[2], given[3]), (given[0], given[0], None));
}
