//! Each server of a NATS cluster is killed in turn, and a replica of PostgreSQL takes over, under running sessions: nothing
//! is lost, and no tool call is repeated.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::try_join_all;
use serde_json::json;
use tarsy_e2e::model::usual;
use tarsy_e2e::{
    Answer, Asked, Backends, Llm, Script, Stack, StackOptions, Viewer, record_is_whole,
};
use tarsy_testkit::Seen;

const SESSIONS: usize = 8;
/// Rounds in which a member of NATS is killed; in the one after them PostgreSQL fails over.
const MEMBERS: usize = 3;
const ROUNDS: usize = MEMBERS + 1;
const TIMEOUT: Duration = Duration::from_mins(4);

/// Each session records a line in each round; the call of round `n` lasts until the file `go-n` exists.
fn play(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    let Some(number) = (0..SESSIONS).find(|number| asked.contains(&alert(*number))) else {
        return Answer::Refuses(400);
    };
    match asked.turn() {
        round @ 0..ROUNDS => {
            let what = format!("{} in round {round}", alert(number));
            Answer::call("ledger__record", json!({"what": what, "until": format!("go-{round}")}))
        }
        _ => Answer::text("All was recorded."),
    }
}

fn alert(number: usize) -> String {
    format!("alert-{number:02}")
}

/// Waits until every session is in its call of a round.
async fn all_record(stack: &Stack, round: usize) -> anyhow::Result<()> {
    let end = format!("in round {round}");
    stack
        .wait_until(&format!("all record {end}"), TIMEOUT, async |stack| {
            let ended =
                |lines: &Vec<String>| lines.iter().filter(|line| line.ends_with(&end)).count();
            Ok(Seen::value(stack.ledger(), |lines| ended(lines) >= SESSIONS))
        })
        .await
}

async fn begun(stack: &Stack, number: usize) -> anyhow::Result<(String, Viewer)> {
    stack.begun("ledger", &alert(number)).await
}

#[tokio::test]
async fn sessions_go_on_when_servers_of_nats_are_killed_and_postgresql_fails_over()
-> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        orchestrators: 2,
        workers: 8,
        backends: Backends::Replicated,
        ..StackOptions::default()
    })
    .await?;
    let sessions = try_join_all((0..SESSIONS).map(|number| begun(&stack, number))).await?;
    for round in 0..MEMBERS {
        all_record(&stack, round).await?;
        member(&mut stack, round)?.kill().await;
        std::fs::write(stack.path(&format!("go-{round}")), "")?;
        all_record(&stack, round + 1).await?;
        member(&mut stack, round)?.launch().await?;
    }
    stack.fail_over().await?;
    std::fs::write(stack.path(&format!("go-{MEMBERS}")), "")?;
    for (session, viewer) in &sessions {
        stack.completes(viewer).await?;
        record_is_whole(&stack, session, viewer).await?;
    }
    let lines = stack.ledger();
    let different: BTreeSet<&String> = lines.iter().collect();
    assert_eq!(lines.len(), SESSIONS * ROUNDS, "{lines:?}");
    assert_eq!(different.len(), lines.len(), "no call was repeated: {lines:?}");
    Ok(())
}

fn member(stack: &mut Stack, place: usize) -> anyhow::Result<&mut tarsy_embedded::Nats> {
    stack.nats_members().get_mut(place).context("the cluster has no such member")
}
