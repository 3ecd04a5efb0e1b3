//! An agent dispatches others; the owner of the session is killed while they work, and again while it reads what they found.
//! And a skill is changed while a session that may load it runs.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::Signal;
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

/// What an agent does that loads a skill, which one of them does late.
fn reader(asked: &Asked, gate: &Gate) -> Answer {
    let load = ("tarsy__load_skill", json!({"name": "disk"}));
    match asked.turn() {
        0 if asked.task().contains("at once") => Answer::Calls(vec![load]),
        0 => Answer::Waits(gate.clone(), Box::new(Answer::Calls(vec![load]))),
        _ => Answer::text("The skill is loaded."),
    }
}

#[tokio::test]
async fn a_killed_owner_dispatches_nobody_again_and_loses_no_result() -> anyhow::Result<()> {
    let (gate, reading) = (Gate::default(), Gate::default());
    let (held, held_reader) = (gate.clone(), reading.clone());
    let script = Script::new(move |asked| {
        let of_agent = || match asked.task() {
            task if task.contains("Load the skill") => reader(asked, &held_reader),
            task if task.contains("<assignment>") => worker(asked, &held),
            _ => leader(asked),
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
    record_is_whole(&stack, &session, &viewer).await?;
    a_skill_keeps_its_text_of_the_beginning(&stack, &reading).await
}

/// Writes the operator's skill `disk`, and has api-gateway read it.
async fn write_skill(stack: &Stack, body: &str) -> anyhow::Result<()> {
    let hash = async |stack: &Stack| -> anyhow::Result<String> {
        let config = stack.get("/api/v1/system/config").await?;
        Ok(config.get("config_hash").context("it has a hash")?.to_string())
    };
    let before = hash(stack).await?;
    let folder = stack.path("config/skills/disk");
    std::fs::create_dir_all(&folder)?;
    let text = format!("---\nname: disk\ndescription: Of the operator.\n---\n{body}\n");
    std::fs::write(folder.join("SKILL.md"), text)?;
    stack.signal("api-gateway", Signal::SIGHUP)?;
    // Nobody is refused meanwhile, but for the moment in which the old one has gone.
    let is_read = async |stack: &Stack| Ok(hash(stack).await.is_ok_and(|now| now != before));
    stack.wait_until("the skill is read", TIMEOUT, is_read).await
}

async fn a_skill_keeps_its_text_of_the_beginning(
    stack: &Stack,
    reading: &Gate,
) -> anyhow::Result<()> {
    write_skill(stack, "The first words.").await?;
    let (early, _) = stack.begun("ledger", "Load the skill late.").await?;
    // Closes connections to the gateway.
    write_skill(stack, "The second words.").await?;
    let viewer = stack.watch(&early).await?;
    reading.open();
    stack.completes(&viewer).await?;
    let (late, viewer) = stack.begun("ledger", "Load the skill at once.").await?;
    stack.completes(&viewer).await?;
    let (first, first_hash) = loaded(stack, &early).await?;
    let (second, second_hash) = loaded(stack, &late).await?;
    assert!(first.contains("The first words."), "{first}");
    assert!(second.contains("The second words."), "{second}");
    assert_ne!(first_hash, second_hash, "each with the hash of its file");
    Ok(())
}

/// What an agent loaded of a skill, and the hash that its session keeps.
async fn loaded(stack: &Stack, session: &str) -> anyhow::Result<(String, String)> {
    let row = sqlx::query(
        "select m.content, k.skill ->> 'hash' as hash
         from alert_sessions s
         join messages m on m.session_id = s.id and m.role = 'tool'
         join config_snapshots c on c.digest = s.config_digest
         cross join jsonb_array_elements(c.snapshot -> 'skills') k (skill)
         where s.id = $1::uuid and k.skill ->> 'name' = 'disk'",
    );
    let row = row.bind(session).fetch_one(&mut stack.sql().await?).await?;
    Ok((row.get("content"), row.get("hash")))
}
