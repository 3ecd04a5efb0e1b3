//! An agent dispatches others; the owner of the session is killed while they work, and again while it reads what they found.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Row as _;
use tarsy_e2e::model::{Asked, usual};
use tarsy_e2e::{Answer, Gate, Llm, Script, Stack, StackOptions, record_is_whole};

const TIMEOUT: Duration = Duration::from_secs(150);
const RESULT: &str = "<sub_agent_result";

const CHAIN: &str = "  \
  team:
    alert_types: [team]
    stages:
      - name: looking
        agents:
          - name: Ledger
            mcp_servers: []
            sub_agents: [{name: GeneralWorker, mcp_servers: [ledger]}]
";

/// How many results of sub-agents a conversation has.
fn results(asked: &Asked) -> usize {
    asked.messages.iter().filter(|message| message.to_string().contains(RESULT)).count()
}

/// What the one that dispatches does: three parts at once, then it waits for each.
fn leader(asked: &Asked) -> Answer {
    let part = |number: usize| {
        let task = format!("Record part {number}.");
        ("tarsy__dispatch_agent", json!({"name": "GeneralWorker", "task": task}))
    };
    match (asked.turn(), results(asked)) {
        (0, _) => Answer::Calls((1..=3).map(part).collect()),
        (_, 3) => Answer::text("All three parts are recorded."),
        _ => Answer::call("tarsy__wait_for_agents", json!({})),
    }
}

/// What each of the others does: one call that lasts until there is a file, and a conclusion, which two of them hold back.
fn worker(asked: &Asked, gate: &Gate) -> Answer {
    let task = asked.task();
    let part = (1..=3).find(|part| task.contains(&format!("Record part {part}."))).unwrap_or(0);
    let what = format!("part {part}");
    match (asked.turn(), part) {
        (0, _) => Answer::call("ledger__record", json!({"what": what, "until": "go"})),
        (_, 1) => Answer::text("Part 1 is recorded."),
        _ => {
            Answer::Waits(gate.clone(), Box::new(Answer::Text(format!("Part {part} is recorded."))))
        }
    }
}

#[tokio::test]
async fn a_killed_owner_dispatches_nobody_again_and_loses_no_result() -> anyhow::Result<()> {
    let gate = Gate::default();
    let held = gate.clone();
    let script = Script::new(move |asked| {
        let of_agent = || {
            if asked.task().contains("<assignment>") { worker(asked, &held) } else { leader(asked) }
        };
        usual(asked).unwrap_or_else(of_agent)
    });
    let options = StackOptions {
        llm: Llm::Scripted(script),
        orchestrators: 2,
        lease_seconds: 4,
        chains: CHAIN,
        ..StackOptions::default()
    };
    let mut stack = Stack::start(options).await?;
    let (session, viewer) = stack.begun("team", "three parts are to be recorded").await?;
    // All of them work at the same time.
    for part in 1..=3 {
        stack.wait_for_ledger(&format!("record part {part}"), TIMEOUT).await?;
    }
    stack.kill_owner(&session).await?;
    std::fs::write(stack.path("go"), "")?;
    let given = "select count(*) from messages where session_id = $1::uuid and sub_execution_id is not null";
    let count = async |stack: &Stack| -> anyhow::Result<i64> {
        let mut sql = stack.sql().await?;
        Ok(sqlx::query_scalar(given).bind(&session).fetch_one(&mut sql).await?)
    };
    stack
        .wait_until(
            "the first result is given",
            TIMEOUT,
            async |stack| Ok(count(stack).await? == 1),
        )
        .await?;
    stack.kill_owner(&session).await?;
    gate.open();

    stack.completes(&viewer).await?;
    let mut recorded = stack.ledger();
    recorded.sort();
    assert_eq!(
        recorded,
        ["record part 1", "record part 2", "record part 3"],
        "each call was made once"
    );
    assert_eq!(count(&stack).await?, 3, "each result was given once");
    let rows = sqlx::query(
        "select e.task, e.status, e.conclusion, p.agent_name from agent_executions e
         join agent_executions p on p.id = e.parent_execution_id where e.session_id = $1::uuid order by e.agent_index",
    );
    let rows = rows.bind(&session).fetch_all(&mut stack.sql().await?).await?;
    let column = |name: &str| rows.iter().map(|row| row.get(name)).collect::<Vec<String>>();
    assert_eq!(column("task"), ["Record part 1.", "Record part 2.", "Record part 3."]);
    assert_eq!(column("status"), ["completed", "completed", "completed"]);
    assert_eq!(column("agent_name"), ["Ledger", "Ledger", "Ledger"]);
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["final_analysis"], "All three parts are recorded.");
    let executions = detail["stages"][0]["executions"].as_array().cloned().unwrap_or_default();
    let leader = &executions[0]["execution_id"];
    assert_eq!(detail["stages"][0]["expected_agent_count"], 1);
    let parents: Vec<&Value> = executions.iter().map(|one| &one["parent_execution_id"]).collect();
    assert_eq!(parents, [&Value::Null, leader, leader, leader]);
    assert_eq!(executions[2]["task"], "Record part 2.");
    let trace = stack.get(&format!("/api/v1/sessions/{session}/trace")).await?;
    let traced = &trace["stages"][0]["executions"];
    assert_eq!(&traced[1]["parent_execution_id"], leader);
    assert_eq!((&traced[0]["task"], &traced[2]["task"]), (&Value::Null, &json!("Record part 2.")));
    let timeline = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
    let events = timeline.as_array().cloned().unwrap_or_default();
    let dispatched = events
        .iter()
        .filter_map(|event| event["metadata"]["dispatched_execution_id"].as_str())
        .collect::<BTreeSet<_>>();
    let ids = executions[1..].iter().filter_map(|one| one["execution_id"].as_str()).collect();
    assert_eq!(dispatched, ids, "each dispatch names the agent that it began");
    record_is_whole(&stack, &session, &viewer).await
}
