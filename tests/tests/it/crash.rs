//! The owner of a session is killed, or loses what it stands on; the session completes.

use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::Signal;
use serde_json::json;
use tarsy_e2e::model::numbered;
use tarsy_e2e::{Answer, Gate, Llm, Script, Stack, StackOptions, Viewer, record_is_whole};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_secs(150);

async fn two_orchestrators(turns: Vec<Answer>) -> anyhow::Result<Stack> {
    let llm = Llm::Scripted(Script::turns(turns));
    let options =
        StackOptions { llm, orchestrators: 2, lease_seconds: 4, ..StackOptions::default() };
    Stack::start(options).await
}

/// A session on two orchestrators that is in the middle of a call, its second one, which lasts until
/// the test lets it go.
async fn in_a_call() -> anyhow::Result<(Stack, String, Viewer)> {
    let turns = vec![
        Answer::call("ledger__record", json!({"what": "first"})),
        Answer::call("ledger__record", json!({"what": "slow", "until": "go"})),
        Answer::text("All was recorded."),
    ];
    let stack = two_orchestrators(turns).await?;
    let (session, viewer) = stack.begun("ledger", "write it down").await?;
    stack.wait_for_ledger("record slow", TIMEOUT).await?;
    Ok((stack, session, viewer))
}

/// Lets the slow call come to its end.
fn open_gate(stack: &Stack) -> anyhow::Result<()> {
    Ok(std::fs::write(stack.path("go"), "")?)
}

async fn kill_owner(stack: &mut Stack, session: &str) -> anyhow::Result<()> {
    let owner = stack.owner(session).await?.context("the session has no owner")?;
    stack.kill(&owner).await?;
    has_another_owner(stack, session, &owner).await
}

async fn has_another_owner(stack: &Stack, session: &str, before: &str) -> anyhow::Result<()> {
    stack
        .wait_until("another owner has it", TIMEOUT, async |stack| {
            Ok(stack.owner(session).await?.is_some_and(|owner| owner != before))
        })
        .await
}

#[tokio::test]
async fn a_killed_owner_repeats_no_tool_call_that_was_in_flight() -> anyhow::Result<()> {
    let (mut stack, session, viewer) = in_a_call().await?;
    kill_owner(&mut stack, &session).await?;
    open_gate(&stack)?;

    stack.completes(&viewer).await?;
    assert_eq!(stack.ledger(), ["record first", "record slow"], "each call was made once");
    let timeline = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
    let slow = timeline
        .as_array()
        .into_iter()
        .flatten()
        .find(|event| event["metadata"]["arguments"]["what"] == "slow")
        .cloned()
        .unwrap_or_default();
    assert_eq!(slow["status"], "completed", "the call's own card shows its result: {slow}");
    assert!(slow["content"].as_str().is_some_and(|text| text.contains("record slow")));
    record_is_whole(&stack, &session, &viewer).await
}

#[tokio::test]
async fn a_killed_owner_leaves_no_half_text_and_the_turn_is_taken_again() -> anyhow::Result<()> {
    let text = numbered(60, "sentence of the answer");
    let gate = Gate::default();
    let turns = vec![
        Answer::call("ledger__record", json!({"what": "first"})),
        Answer::Halves(text.clone(), Duration::from_millis(20), gate.clone()),
    ];
    let mut stack = two_orchestrators(turns).await?;
    let (session, viewer) = stack.begun("ledger", "tell me").await?;
    let far = |event: &serde_json::Value| event["offset"].as_u64().is_some_and(|at| at > 200);
    let chunk = viewer.wait_for("chunk from the middle", TIMEOUT, far).await?;
    kill_owner(&mut stack, &session).await?;
    gate.open();

    stack.completes(&viewer).await?;
    assert_eq!(stack.ledger(), ["record first"], "the finished call was not repeated");
    let timeline = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
    let events = timeline.as_array().cloned().unwrap_or_default();
    let broken = events.iter().find(|event| event["id"] == chunk["event_id"]);
    let broken = broken.expect("the broken text stays on the timeline");
    assert_eq!(broken["status"], "failed");
    assert_eq!(broken["metadata"]["interrupted"], true);
    let whole = events
        .iter()
        .any(|event| event["event_type"] == "llm_response" && event["content"] == text);
    assert!(whole, "the turn was taken again: {events:?}");
    record_is_whole(&stack, &session, &viewer).await
}

/// Rules gather before the model is asked.
const RULES_FIRST: &str = "  \
  rules:
    alert_types: [rules]
    rules_first: true
    stages:
      - {name: reading, agents: [{name: Ledger}]}
";

/// The calls and model calls that are on record for a stage.
async fn made_by(stack: &Stack, session: &str, stage: &str) -> anyhow::Result<(i64, i64)> {
    let mut sql = stack.sql().await?;
    let count = "select (select count(*) from mcp_interactions m where m.stage_id = s.id and m.interaction_type = 'tool_call'),
            (select count(*) from llm_interactions l where l.stage_id = s.id)
         from stages s where s.session_id = $1::uuid and s.stage_name = $2";
    Ok(sqlx::query_as(count).bind(session).bind(stage).fetch_one(&mut sql).await?)
}

#[tokio::test]
async fn what_rules_gathered_is_kept_when_the_owner_is_killed_while_the_model_concludes()
-> anyhow::Result<()> {
    let text = numbered(60, "sentence of the conclusion");
    let gate = Gate::default();
    let turns = vec![
        Answer::call("ledger__record", json!({"what": "after the rules"})),
        Answer::Halves(text.clone(), Duration::from_millis(20), gate.clone()),
    ];
    let options = StackOptions {
        llm: Llm::Scripted(Script::turns(turns)),
        orchestrators: 2,
        lease_seconds: 4,
        chains: RULES_FIRST,
        ..StackOptions::default()
    };
    let mut stack = Stack::start(options).await?;
    let (session, viewer) = stack.begun("rules", "the disk of web-1 is full").await?;
    let is_conclusion = |event: &serde_json::Value| {
        let is_far = event["offset"].as_u64().is_some_and(|at| at > 200);
        is_far && event.to_string().contains("conclusion")
    };
    viewer.wait_for("chunk of the conclusion", TIMEOUT, is_conclusion).await?;
    let gathered = made_by(&stack, &session, "rules").await?;
    let called = stack.ledger();
    kill_owner(&mut stack, &session).await?;
    gate.open();

    stack.completes(&viewer).await?;
    assert_eq!(made_by(&stack, &session, "rules").await?, gathered, "rules work once");
    assert_eq!(stack.ledger(), called, "no call was repeated");
    assert_eq!(called.iter().filter(|line| *line == "record after the rules").count(), 1);
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    let stages = detail["stages"].as_array().cloned().unwrap_or_default();
    let names: Vec<_> = stages.iter().filter_map(|stage| stage["stage_name"].as_str()).collect();
    assert_eq!(names, ["rules", "reading"]);
    assert_eq!(detail["final_analysis"], text, "the model concludes");
    record_is_whole(&stack, &session, &viewer).await
}

#[tokio::test]
async fn an_owner_that_wakes_up_late_writes_nothing_more() -> anyhow::Result<()> {
    let (mut stack, session, viewer) = in_a_call().await?;
    let sleeper = stack.owner(&session).await?.expect("the session has an owner");
    stack.signal(&sleeper, Signal::SIGSTOP)?;
    has_another_owner(&stack, &session, &sleeper).await?;
    stack.signal(&sleeper, Signal::SIGCONT)?;
    open_gate(&stack)?;

    stack.completes(&viewer).await?;
    assert_eq!(stack.ledger(), ["record first", "record slow"], "each call was made once");
    record_is_whole(&stack, &session, &viewer).await?;
    // The sleeper lives, and works on the next session as before.
    stack
        .kill(if sleeper == "orchestrator-1" { "orchestrator-2" } else { "orchestrator-1" })
        .await?;
    let (_, viewer) = stack.begun("ledger", "once more").await?;
    stack.completes(&viewer).await
}

#[tokio::test]
async fn an_investigation_outlives_ten_seconds_without_nats() -> anyhow::Result<()> {
    let (mut stack, session, viewer) = in_a_call().await?;
    stack.nats().stop().await;
    // The call's answer cannot be delivered.
    open_gate(&stack)?;
    // The outage itself: ten seconds.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let while_down = stack.submit("ledger", "handed in during the outage").await?;
    stack.nats().launch().await?;

    stack.completes(&viewer).await?;
    record_is_whole(&stack, &session, &viewer).await?;
    let second = stack.watch(&while_down).await?;
    stack.completes(&second).await?;
    let slow = stack.ledger().iter().filter(|line| *line == "record slow").count();
    assert_eq!(slow, 2, "one slow call for each session: {:?}", stack.ledger());
    every_event_is_published(&stack).await
}

#[tokio::test]
async fn an_investigation_outlives_a_restart_of_postgresql() -> anyhow::Result<()> {
    let (mut stack, session, viewer) = in_a_call().await?;
    let owner = stack.owner(&session).await?.context("the session has no owner")?;
    let other = if owner == "orchestrator-1" { "orchestrator-2" } else { "orchestrator-1" };
    stack.kill(other).await?;
    stack.postgres().stop().await;
    // It waits for the database.
    stack.launch(other).await?;
    open_gate(&stack)?;
    // The call's answer comes back while nothing can be written.
    tokio::time::sleep(Duration::from_secs(4)).await;
    stack.postgres().launch().await?;

    stack.completes(&viewer).await?;
    assert_eq!(stack.ledger(), ["record first", "record slow"], "each call was made once");
    record_is_whole(&stack, &session, &viewer).await?;
    every_event_is_published(&stack).await?;
    assert_eq!(stack.ended(), [""; 0], "no service ended by itself");
    Ok(())
}

/// The sweeper has taken what the outage held back.
async fn every_event_is_published(stack: &Stack) -> anyhow::Result<()> {
    stack
        .wait_until("every event is published", TIMEOUT, async |stack| {
            let mut sql = stack.sql().await?;
            let waiting: i64 =
                sqlx::query_scalar("select count(*) from events where published_at is null")
                    .fetch_one(&mut sql)
                    .await?;
            Ok(Seen::equal(waiting, 0))
        })
        .await
}

#[tokio::test]
async fn every_other_service_may_be_killed_in_the_middle_of_an_investigation() -> anyhow::Result<()>
{
    let turns = vec![
        Answer::call("ledger__look", json!({"what": "disk", "ms": 2_000})),
        Answer::lines(40, "line of the answer", Duration::from_millis(30)),
    ];
    let mut stack = two_orchestrators(turns).await?;
    for service in
        ["api-gateway", "stream-relay", "mcp-gateway", "summarizer", "notifier", "llm-service"]
    {
        let calls = stack.ledger().len();
        let (session, viewer) = stack.begun("ledger", &format!("{service} will be killed")).await?;
        if service == "llm-service" {
            let written = |event: &serde_json::Value| event["type"] == "stream.chunk";
            viewer.wait_for("words", TIMEOUT, written).await?;
        } else {
            let called = async |stack: &Stack| Ok(stack.ledger().len() > calls);
            stack.wait_until("the call is made", TIMEOUT, called).await?;
        }
        stack.kill(service).await?;
        stack.launch(service).await?;
        stack.is_ready(TIMEOUT).await?;
        // Who looks again sees everything once, in its order.
        let again = stack.watch(&session).await?;
        stack.completes(&again).await.with_context(|| format!("{service} was killed"))?;
        record_is_whole(&stack, &session, &again).await?;
        let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
        let analysis = detail["final_analysis"].as_str().unwrap_or_default();
        assert_eq!(analysis, numbered(40, "line of the answer"), "{service} was killed");
    }
    Ok(())
}
