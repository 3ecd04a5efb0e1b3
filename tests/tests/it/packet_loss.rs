//! PostgreSQL disappears without a reset, three times, under sixteen sessions: each of them ends, cancels and time limits
//! work, and no tool call is repeated.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::try_join_all;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Backend, Links, Llm, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

const SESSIONS: usize = 16;
const LOSSES: usize = 3;
/// The session that is cancelled, and the one that waits for its time limit.
const CANCELLED: usize = 14;
const ENDLESS: usize = 15;
const TIMEOUT: Duration = Duration::from_mins(4);
/// The time limit of the one that waits for it: about as long as the losses take. That of the others is longer than they take
/// on any machine.
const SHORT: &str = "70s";
const LONG: &str = "15m";
/// How soon a lost database must show in the readiness.
const NOTICED: Duration = Duration::from_secs(30);

/// Each session records a line in each round; the call of round `n` lasts until the file `go-n` exists.
fn play(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    let Some(number) = (0..SESSIONS).find(|number| asked.contains(&alert(*number))) else {
        return Answer::Refuses(400);
    };
    match asked.turn() {
        turn if number == ENDLESS => {
            let what = format!("{}, call {turn}", alert(number));
            Answer::call("ledger__record", json!({"what": what, "until": "never"}))
        }
        round @ 0..LOSSES => {
            let what = format!("{} in round {round}", alert(number));
            Answer::call("ledger__record", json!({"what": what, "until": format!("go-{round}")}))
        }
        _ => Answer::text("All was recorded."),
    }
}

fn alert(number: usize) -> String {
    format!("alert-{number:02}")
}

/// Waits until every session that goes on is in its call of a round.
async fn all_record(stack: &Stack, round: usize, running: usize) -> anyhow::Result<()> {
    let end = format!("in round {round}");
    stack
        .wait_until(&format!("all record {end}"), TIMEOUT, async |stack| {
            let ended =
                |lines: &Vec<String>| lines.iter().filter(|line| line.ends_with(&end)).count();
            Ok(Seen::value(stack.ledger(), |lines| ended(lines) >= running))
        })
        .await
}

/// Submits an alert each. A session has the time limit that the API gateway reads when it starts.
async fn submit(stack: &mut Stack) -> anyhow::Result<Vec<String>> {
    let endless = stack.submit("ledger", &alert(ENDLESS)).await?;
    let file = stack.path("config/tarsy.yaml");
    let limit = |time: &str| format!("session_timeout: {time}\n");
    let config = std::fs::read_to_string(&file)?.replace(&limit(SHORT), &limit(LONG));
    std::fs::write(&file, config)?;
    stack.kill("api-gateway").await?;
    stack.launch("api-gateway").await?;
    stack.is_ready(TIMEOUT).await?;
    let texts: Vec<String> = (0..ENDLESS).map(alert).collect();
    let others = texts.iter().map(|text| stack.submit("ledger", text));
    let mut sessions = try_join_all(others).await?;
    sessions.push(endless);
    Ok(sessions)
}

async fn status(stack: &Stack, session: &str) -> anyhow::Result<String> {
    let row = stack.get(&format!("/api/v1/sessions/{session}/status")).await?;
    Ok(row.get("status").and_then(Value::as_str).unwrap_or_default().to_owned())
}

#[tokio::test]
async fn every_session_ends_when_packets_to_postgresql_are_lost() -> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        orchestrators: 2,
        workers: 8,
        links: Links::Lossy,
        session_timeout: SHORT,
        ..StackOptions::default()
    })
    .await?;
    let sessions = submit(&mut stack).await?;
    for round in 0..LOSSES {
        let running = if round == 2 { SESSIONS - 2 } else { SESSIONS - 1 };
        all_record(&stack, round, running).await?;
        stack.lose(Backend::Postgres);
        // The calls end while no result can be stored.
        std::fs::write(stack.path(&format!("go-{round}")), "")?;
        stack
            .wait_until("the API is not ready", NOTICED, async |stack| {
                Ok(Seen::equal(stack.readiness().await?, 503))
            })
            .await?;
        let (lost, _) = stack.post(&cancel(&sessions, 0), &json!({})).await?;
        assert!((500..600).contains(&lost), "a cancel is not accepted now: {lost}");
        stack.restore(Backend::Postgres);
        stack
            .wait_until("the API is ready", TIMEOUT, async |stack| {
                Ok(Seen::equal(stack.readiness().await?, 200))
            })
            .await?;
        if round == 1 {
            let (accepted, _) = stack.post(&cancel(&sessions, CANCELLED), &json!({})).await?;
            assert_eq!(accepted, 200);
        }
    }
    for (number, session) in sessions.iter().enumerate() {
        let expected = match number {
            CANCELLED => "cancelled",
            ENDLESS => "timed_out",
            _ => "completed",
        };
        stack
            .wait_until(&format!("{} is {expected}", alert(number)), TIMEOUT, async |stack| {
                Ok(Seen::equal(status(stack, session).await?, expected))
            })
            .await?;
    }
    let lines = stack.ledger();
    let different: BTreeSet<&String> = lines.iter().collect();
    assert_eq!(different.len(), lines.len(), "no call was repeated: {lines:?}");
    Ok(())
}

fn cancel(sessions: &[String], number: usize) -> String {
    sessions.get(number).map(|id| format!("/api/v1/sessions/{id}/cancel")).unwrap_or_default()
}
