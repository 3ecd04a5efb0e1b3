//! An alert is investigated end to end, on real parts.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use sqlx::Row as _;
use tarsy_e2e::model::numbered;
use tarsy_e2e::{Answer, Gate, Llm, Script, Stack, StackOptions};

const TIMEOUT: Duration = Duration::from_secs(150);

#[tokio::test]
async fn the_host_example_is_investigated_with_real_tools_and_no_key() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions::default()).await?;
    let examples = stack.get("/api/v1/example-alerts").await?;
    let example = examples["examples"]
        .as_array()
        .and_then(|all| all.iter().find(|one| one["name"] == "host"))
        .cloned()
        .context("there is an example for this machine")?;
    let data = example["data"].as_str().unwrap_or_default();
    let (session, viewer) = stack.begun("host", data).await?;
    stack.completes(&viewer).await?;

    let mut sql = stack.sql().await?;
    let tools: Vec<String> = sqlx::query_scalar(
        "select distinct tool_name from mcp_interactions where session_id = $1::uuid \
         and interaction_type = 'tool_call' and status = 'completed'",
    )
    .bind(&session)
    .fetch_all(&mut sql)
    .await?;
    assert!(tools.len() >= 3, "only {tools:?} were called");

    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    let analysis = detail["final_analysis"].as_str().unwrap_or_default();
    assert!(analysis.contains("no LLM was used"), "{analysis}");
    assert!(detail["executive_summary"].as_str().is_some_and(|text| !text.is_empty()));
    Ok(())
}

#[tokio::test]
async fn four_records_agree_and_contain_no_secret() -> anyhow::Result<()> {
    let turns = vec![
        Answer::Calls(vec![
            ("ledger__look", json!({"what": "disk"})),
            ("ledger__record", json!({"what": "note"})),
        ]),
        Answer::text("The disk is full because nobody emptied it."),
    ];
    let options =
        StackOptions { llm: Llm::Scripted(Script::turns(turns)), ..StackOptions::default() };
    let stack = Stack::start(options).await?;
    let alert = "disk full; Authorization: Bearer abcdef0123456789abcdef";
    let (session, viewer) = stack.begun("ledger", alert).await?;
    stack.completes(&viewer).await?;

    let timeline = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
    let kinds: Vec<&str> = timeline
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|event| event["event_type"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["llm_tool_call", "llm_tool_call", "llm_response", "final_analysis", "executive_summary"]
    );
    assert!(timeline.as_array().into_iter().flatten().all(|one| one["status"] == "completed"));

    let mut sql = stack.sql().await?;
    let roles: Vec<String> = sqlx::query_scalar(
        "select role from messages where session_id = $1::uuid order by sequence_number",
    )
    .bind(&session)
    .fetch_all(&mut sql)
    .await?;
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant"]);
    let calls: Vec<String> = sqlx::query_scalar(
        "select tool_name || ' ' || status from mcp_interactions where session_id = $1::uuid \
         and interaction_type = 'tool_call' order by tool_name",
    )
    .bind(&session)
    .fetch_all(&mut sql)
    .await?;
    assert_eq!(calls, ["look completed", "record completed"]);
    let ledger: BTreeSet<String> = stack.ledger().into_iter().collect();
    assert_eq!(ledger, BTreeSet::from(["look disk".to_owned(), "record note".to_owned()]));

    let dump: String = sqlx::query(
        "select (select string_agg(row_to_json(t)::text, ' ') from timeline_events t) \
         || (select string_agg(row_to_json(m)::text, ' ') from messages m) \
         || (select string_agg(row_to_json(i)::text, ' ') from mcp_interactions i) \
         || (select string_agg(row_to_json(s)::text, ' ') from alert_sessions s) \
         || (select string_agg(row_to_json(e)::text, ' ') from events e) as dump",
    )
    .fetch_one(&mut sql)
    .await?
    .get("dump");
    for secret in ["sk-planted", "abcdef0123456789abcdef", "sk-played"] {
        assert!(!dump.contains(secret), "{secret} was stored");
        assert!(!stack.logs().contains(secret), "{secret} was logged");
    }
    Ok(())
}

#[tokio::test]
async fn a_viewer_who_comes_in_the_middle_sees_all_the_text_once() -> anyhow::Result<()> {
    let text = numbered(120, "größer wird der Text");
    let gate = Gate::default();
    let turns = vec![Answer::Halves(text.clone(), Duration::from_millis(15), gate.clone())];
    let options =
        StackOptions { llm: Llm::Scripted(Script::turns(turns)), ..StackOptions::default() };
    let stack = Stack::start(options).await?;
    let (session, early) = stack.begun("ledger", "a long story").await?;
    let far = |event: &serde_json::Value| event["offset"].as_u64().is_some_and(|at| at > 600);
    let chunk = early.wait_for("chunk from the middle", TIMEOUT, far).await?;
    let id = chunk["event_id"].as_str().unwrap_or_default();
    let piece =
        |event: &serde_json::Value| event["type"] == "stream.chunk" && event["event_id"] == id;
    let late = stack.watch(&session).await?;
    let first = late.wait_for("text so far", TIMEOUT, piece).await?;
    assert_eq!(first["offset"], 0, "it begins with the beginning");
    // Only now the model goes on.
    gate.open();
    stack.completes(&late).await?;
    stack.completes(&early).await?;

    let chunks = late.seen().into_iter().filter(piece).count();
    assert!(chunks > 1, "the late viewer did not see the text grow");
    for viewer in [&early, &late] {
        // Put together from chunks alone, without a hole and without anything twice. The end may
        // overtake the last ones; it has all of the text.
        let seen = viewer.texts()?.remove(id).unwrap_or_default();
        assert!(text.starts_with(&seen), "{seen}");
        assert!(seen.len() * 2 > text.len(), "only {} bytes were seen to grow", seen.len());
        let ends = |event: &serde_json::Value| {
            event["type"] == "timeline_event.completed" && event["event_id"] == id
        };
        assert_eq!(viewer.wait_for("end of the text", TIMEOUT, ends).await?["content"], text);
        let numbers = viewer.numbers();
        let expected: Vec<i64> = (1..=i64::try_from(numbers.len())?).collect();
        assert_eq!(numbers, expected);
    }
    Ok(())
}
