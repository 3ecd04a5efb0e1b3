//! A replica of llm-service is killed while it streams: its turns are asked for again on the other one, and nothing is
//! lost or stored twice.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::try_join_all;
use serde_json::json;
use tarsy_e2e::model::{numbered, usual};
use tarsy_e2e::{
    Answer, Asked, Gate, Llm, Records, Script, Stack, StackOptions, Viewer, record_is_whole,
};

const SESSIONS: usize = 8;
const TIMEOUT: Duration = Duration::from_mins(2);
const PACE: Duration = Duration::from_millis(20);
const LINE: &str = "The spool on web-1 grew.";

fn alert(number: usize) -> String {
    format!("alert-{number:02}")
}

fn analysis() -> String {
    numbered(20, LINE)
}

/// Each session makes one call, and then writes its analysis, in the middle of which it waits for the gate.
fn play(asked: &Asked, gate: &Gate) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    let Some(number) = (0..SESSIONS).find(|number| asked.contains(&alert(*number))) else {
        return Answer::Refuses(400);
    };
    match asked.turn() {
        0 => Answer::call("ledger__record", json!({ "what": alert(number) })),
        _ => Answer::Halves(analysis(), PACE, gate.clone()),
    }
}

/// Waits until a viewer sees an analysis that has begun.
async fn writes(viewer: &Viewer) -> anyhow::Result<()> {
    let begun = |viewer: &Viewer| Ok(viewer.texts()?.values().any(|text| text.contains(LINE)));
    viewer.wait_until("the analysis begins", TIMEOUT, begun).await
}

/// How many of a session's turns were cut, and how often its conversations have the answer.
async fn turns(stack: &Stack, session: &str) -> anyhow::Result<(usize, usize)> {
    let records = Records::of(stack, session).await?;
    let analyses: Vec<&str> =
        records.contents("final_analysis").into_iter().map(str::trim).collect();
    assert_eq!(analyses, [analysis().trim()]);
    assert_eq!(records.mcp.len(), 1, "one call was made");
    let answers = records.messages.iter().filter(|message| {
        message["content"].as_str().is_some_and(|text| text.contains(LINE))
            && message["role"] == "assistant"
    });
    let failed = records.llm.iter().filter(|call| !call["error_message"].is_null());
    Ok((failed.count(), answers.count()))
}

#[tokio::test]
async fn turns_of_a_killed_replica_are_asked_for_again_on_the_other_one() -> anyhow::Result<()> {
    let gate = Gate::default();
    let held = gate.clone();
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(move |asked| play(asked, &held))),
        llm_services: 2,
        workers: 8,
        ..StackOptions::default()
    })
    .await?;
    let begun = (0..SESSIONS).map(async |number| stack.begun("ledger", &alert(number)).await);
    let sessions = try_join_all(begun).await?;
    try_join_all(sessions.iter().map(|(_, viewer)| writes(viewer))).await?;
    stack.kill("llm-service").await?;
    gate.open();
    let mut cut = 0;
    let mut answers = BTreeSet::new();
    for (session, viewer) in &sessions {
        stack.completes(viewer).await?;
        record_is_whole(&stack, session, viewer).await?;
        let (cut_here, answered) = turns(&stack, session).await?;
        cut += cut_here;
        answers.insert(answered);
    }
    // Calls are spread, so that the killed one had some and not all of them.
    assert!((1..SESSIONS).contains(&cut), "{cut} turns were cut");
    assert_eq!(answers.len(), 1, "a cut turn left a message: {answers:?}");
    let lines = stack.ledger();
    let different: BTreeSet<&String> = lines.iter().collect();
    assert_eq!(
        (lines.len(), different.len()),
        (SESSIONS, SESSIONS),
        "no call was repeated: {lines:?}"
    );
    Ok(())
}
