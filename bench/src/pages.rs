//! What people feel of pages, in Chromium: when they are usable over a slow network, and how a session of thousands of steps
//! opens and scrolls.

use serde_json::json;
use tarsy_e2e::{Answer, Llm, Measurement, Script, Stack, StackOptions};

use crate::output;
use crate::size::Size;
use crate::table::{Measure, Row};

const STEPS: i64 = 5000;

pub(crate) async fn measure(size: Size) -> anyhow::Result<Vec<Row>> {
    output::step("pages in Chromium: starting a stack of its own");
    let turns = vec![
        Answer::call("ledger__look", json!({"what": "disk", "ms": 200})),
        Answer::text("The disk is full [call 1]."),
    ];
    let options = StackOptions {
        llm: Llm::Scripted(Script::turns(turns)),
        llm_workers: Some(1),
        ..StackOptions::default()
    };
    let stack = Box::pin(Stack::start(options)).await?;
    let session = stack.submit("ledger", "The disk is full").await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    output::step("the first visit over a slow network, with a slow processor");
    let samples = ("TARSY_SAMPLES", size.of("", "1").to_owned());
    let mut measured = stack.measured("slowNetwork", std::slice::from_ref(&samples)).await?;
    output::step(&format!("a session of {STEPS} steps"));
    stack.lengthen(&session, STEPS).await?;
    measured.extend(stack.measured("long", &[("TARSY_LONG_SESSION", session), samples]).await?);
    Ok(measured.into_iter().map(row).collect())
}

fn row(measured: Measurement) -> Row {
    let Measurement { name, value, unit, goal } = measured;
    Row::alone(format!("{name} (goal: {goal})"), Measure::Page(value, unit))
}
