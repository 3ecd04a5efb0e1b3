//! Services whose clocks are an hour wrong work as others do; a warning names them.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(3);
const LEASE_SECONDS: u32 = 10;
/// The most time of a session, as an interval of PostgreSQL; a lease ends several times before.
const LIMIT: &str = "40s";

/// The call of the slow alert lasts until the file `go` exists, that of the endless one for ever.
fn play(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    if asked.contains("endless") {
        return Answer::call("ledger__record", json!({"what": "endless", "until": "never"}));
    }
    match asked.turn() {
        0 => Answer::call("ledger__record", json!({"what": "slow", "until": "go"})),
        _ => Answer::text("All was recorded."),
    }
}

/// When a session's lease expires, in seconds; and how often the session was claimed.
async fn lease(stack: &Stack, session: &str) -> anyhow::Result<(f64, i64)> {
    let query = "select extract(epoch from lease_expires_at)::float8, lease_epoch \
                 from session_control where session_id = $1::uuid";
    Ok(sqlx::query_as(query).bind(session).fetch_one(&mut stack.sql().await?).await?)
}

/// Whether a session ended like this by its time limit, and not much later.
async fn timed_out_at_its_limit(stack: &Stack, session: &str) -> anyhow::Result<bool> {
    let query = "select status = 'timed_out' and completed_at - started_at \
                 between $2::interval and $2::interval + interval '30 s' \
                 from alert_sessions where id = $1::uuid";
    let query = sqlx::query_scalar(query).bind(session).bind(LIMIT);
    Ok(query.fetch_one(&mut stack.sql().await?).await?)
}

#[tokio::test]
async fn clocks_that_are_an_hour_wrong_change_nothing_but_a_warning() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        lease_seconds: LEASE_SECONDS.into(),
        session_timeout: LIMIT,
        clocks: &[("orchestrator-1", "+3600s"), ("mcp-gateway", "-3600s")],
        ..StackOptions::default()
    })
    .await?;
    let endless = stack.submit("ledger", "endless").await?;
    let (slow, viewer) = stack.begun("ledger", "slow").await?;
    stack
        .wait_until("both calls run", TIMEOUT, async |stack| {
            Ok(Seen::value(stack.ledger(), |lines| lines.len() == 2))
        })
        .await?;
    let (first_expiry, _) = lease(&stack, &slow).await?;
    stack
        .wait_until("the lease is renewed beyond its first end", TIMEOUT, async |stack| {
            Ok(lease(stack, &slow).await?.0 > first_expiry + f64::from(LEASE_SECONDS))
        })
        .await?;
    assert_eq!(lease(&stack, &slow).await?.1, 1, "nobody else claimed the session");
    std::fs::write(stack.path("go"), "")?;
    stack.completes(&viewer).await?;

    stack
        .wait_until("the clocks are compared", TIMEOUT, async |stack| {
            let warnings = stack.get("/api/v1/system/warnings").await?;
            let details = warnings["warnings"][0]["details"].as_str().unwrap_or_default();
            Ok(details.contains("orchestrator orchestrator-1 is 60 min ahead")
                && details.contains("mcp-gateway mcp-gateway is 60 min behind"))
        })
        .await?;
    let warnings = stack.get("/api/v1/system/warnings").await?;
    let warnings = warnings["warnings"].as_array().cloned().unwrap_or_default();
    let ids: Vec<&Value> = warnings.iter().map(|warning| &warning["id"]).collect();
    assert_eq!(ids, ["clock.offset"]);
    let log = std::fs::read_to_string(stack.path("orchestrator-1.log"))?;
    assert!(log.contains("the clock of this machine is wrong"), "{log}");

    stack
        .wait_until("the endless session ends", TIMEOUT, async |stack| {
            let row = stack.get(&format!("/api/v1/sessions/{endless}/status")).await?;
            Ok(Seen::value(&row["status"], |status| *status != "in_progress"))
        })
        .await?;
    assert!(timed_out_at_its_limit(&stack, &endless).await?);
    // The tool server hears of it after the session has ended.
    stack.wait_for_ledger("cancelled record endless", TIMEOUT).await?;
    let mut calls = stack.ledger();
    calls.sort();
    assert_eq!(calls, ["cancelled record endless", "record endless", "record slow"]);
    Ok(())
}
