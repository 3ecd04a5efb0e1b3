//! Several tool gateways: one of them is killed while many agents use it, others are frozen.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context as _;
use futures::future::try_join_all;
use nix::sys::signal::Signal;
use serde_json::json;
use sqlx::Row as _;
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Script, Stack, StackOptions, record_is_whole};
use tarsy_testkit::Seen;

/// Sixty agents with a subprocess each, on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(5);
const SESSIONS: usize = 6;
const AGENTS: usize = 10;

const CHAINS: &str = "  \
  many:
    alert_types: [many]
    stages:
      - {name: together, agents: [{name: Ledger}], replicas: 10}
";

/// A call that must not be made twice and lasts until the test lets it go, one that may, and an end.
fn turns() -> Vec<Answer> {
    vec![
        Answer::call("ledger__record", json!({"what": "once", "until": "go"})),
        Answer::call("ledger__look", json!({"what": "after"})),
        Answer::text("All was looked at."),
    ]
}

fn lines(stack: &Stack, line: &str) -> usize {
    stack.ledger().iter().filter(|one| *one == line).count()
}

/// How many calls of a tool ended in which way at which gateway.
async fn calls(stack: &Stack, tool: &str) -> anyhow::Result<BTreeMap<(String, String), i64>> {
    let mut sql = stack.sql().await?;
    let rows = sqlx::query(
        "select gateway_instance, status::text as status, count(*) as count from mcp_interactions \
         where tool_name = $1 group by 1, 2",
    )
    .bind(tool)
    .fetch_all(&mut sql)
    .await?;
    Ok(rows.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect())
}

/// The processes of tool servers that this stack's gateways started.
fn servers(stack: &Stack) -> usize {
    let mark = format!("LEDGER={}", stack.path("ledger.txt").display());
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    });
    ours.count()
}

#[tokio::test]
async fn sixty_agents_go_on_when_one_of_three_gateways_is_killed() -> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::turns(turns())),
        gateways: 3,
        workers: 6,
        chains: CHAINS,
        ..StackOptions::default()
    })
    .await?;
    let submitted = (0..SESSIONS).map(|_| stack.submit("many", "look around"));
    let sessions = try_join_all(submitted).await?;
    let viewers = try_join_all(sessions.iter().map(|session| stack.watch(session))).await?;
    let all = SESSIONS * AGENTS;
    stack
        .wait_until("all agents are in a call", TIMEOUT, async |stack| {
            Ok(Seen::equal(lines(stack, "record once"), all))
        })
        .await?;
    let before = calls(&stack, "record").await?;
    let instances = ["mcp-gateway", "mcp-gateway-2", "mcp-gateway-3"];
    let at = |name: &str| -> i64 {
        before.iter().filter(|((at, _), _)| at == name).map(|(_, count)| count).sum()
    };
    let shares = instances.map(at);
    let (least, most) = (shares.iter().min(), shares.iter().max());
    let (least, most) = (least.copied().unwrap_or(0), most.copied().unwrap_or(0));
    // What gateways know of each other is a little old, the more so on a busy machine.
    assert!(least * 2 >= most, "they share them evenly: {shares:?}");

    stack.kill("mcp-gateway-2").await?;
    // Agents of the lost gateway continue by themselves; the others are released below.
    stack
        .wait_until("the lost agents looked on", TIMEOUT, async |stack| {
            let looked = i64::try_from(lines(stack, "look after"))?;
            Ok(Seen::value(looked, |looked| *looked >= at("mcp-gateway-2")))
        })
        .await?;
    std::fs::write(stack.path("go"), "")?;
    for (session, viewer) in sessions.iter().zip(&viewers) {
        let end = viewer.wait_for_end(TIMEOUT).await.with_context(|| stack.logs())?;
        assert_eq!(end, "completed", "{}", stack.logs());
        record_is_whole(&stack, session, viewer).await?;
    }

    assert_eq!(lines(&stack, "record once"), all, "no call with an effect was made twice");
    assert_eq!(lines(&stack, "look after"), all, "every agent went on");
    let after = calls(&stack, "record").await?;
    let unknown = ("mcp-gateway-2".to_owned(), "unknown".to_owned());
    assert_eq!(after.get(&unknown), Some(&at("mcp-gateway-2")), "{after:?}");
    let looked = calls(&stack, "look").await?;
    let completed =
        |(at, status): &(String, String)| at != "mcp-gateway-2" && status == "completed";
    assert!(looked.keys().all(completed), "one retry was enough: {looked:?}");

    for name in ["mcp-gateway", "mcp-gateway-3"] {
        stack.stop(name).await?;
    }
    stack
        .wait_until("no tool server is left", TIMEOUT, async |stack| {
            Ok(Seen::equal(servers(stack), 0))
        })
        .await
}

/// The gateway that executes a session's call of a tool.
async fn gateway_of(stack: &Stack, session: &str, tool: &str) -> anyhow::Result<String> {
    let query = "select gateway_instance from mcp_interactions where session_id = $1::uuid and tool_name = $2";
    let query = sqlx::query_scalar(query).bind(session).bind(tool);
    Ok(query.fetch_one(&mut stack.sql().await?).await?)
}

/// One session looks, and writes when it has seen something; the other only writes. The calls last until the test lets
/// them go, but for the last one.
fn looks_or_writes(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| match (asked.turn(), asked.contains(WRITES)) {
        (0, true) => Answer::call("ledger__record", json!({"what": "once", "until": "recorded"})),
        (0, false) => Answer::call("ledger__look", json!({"what": "first", "until": "looked"})),
        (1, false) => Answer::call("ledger__record", json!({"what": "later"})),
        _ => Answer::text("All was looked at."),
    })
}

const WRITES: &str = "the ledger of the writer";

#[tokio::test]
async fn a_frozen_gateway_counts_as_lost() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(looks_or_writes)),
        gateways: 3,
        ..StackOptions::default()
    })
    .await?;
    let (reader, of_reader) = stack.begun("ledger", "the ledger of the other").await?;
    let (writer, of_writer) = stack.begun("ledger", WRITES).await?;
    stack.wait_for_ledger("look first", TIMEOUT).await?;
    stack.wait_for_ledger("record once", TIMEOUT).await?;
    let first = gateway_of(&stack, &reader, "look").await?;
    let second = gateway_of(&stack, &writer, "record").await?;
    // One is left, if they are two.
    let frozen = BTreeSet::from([first.clone(), second.clone()]);
    for gateway in &frozen {
        stack.signal(gateway, Signal::SIGSTOP)?;
    }
    stack
        .wait_until("the call runs at another gateway", TIMEOUT, async |stack| {
            let gateway = gateway_of(stack, &reader, "look").await?;
            let seen = (lines(stack, "look first"), gateway);
            Ok(Seen::value(seen, |(looked, gateway)| *looked == 2 && !frozen.contains(gateway)))
        })
        .await?;
    stack.completes(&of_writer).await?;
    for gateway in &frozen {
        stack.signal(gateway, Signal::SIGCONT)?;
    }
    std::fs::write(stack.path("looked"), "")?;
    stack.completes(&of_reader).await?;

    let third = gateway_of(&stack, &reader, "record").await?;
    assert_ne!(third, first, "the lease has moved");
    let end = |gateway, status: &str| ((gateway, status.to_owned()), 1);
    assert_eq!(
        calls(&stack, "record").await?,
        BTreeMap::from([end(second, "unknown"), end(third, "completed")])
    );
    let looked = calls(&stack, "look").await?;
    assert!(looked.keys().all(|(_, status)| status == "completed"), "{looked:?}");
    std::fs::write(stack.path("recorded"), "")?;
    record_is_whole(&stack, &reader, &of_reader).await?;
    record_is_whole(&stack, &writer, &of_writer).await?;
    assert_eq!(lines(&stack, "record once"), 1, "a call with an effect was not repeated");
    assert_eq!(lines(&stack, "record later"), 1, "the session went on");
    Ok(())
}
