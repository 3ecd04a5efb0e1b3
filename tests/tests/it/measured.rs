//! What operators feel, in Chromium, and what alerts wait, on the real stack: a program of its own, because a measurement
//! needs a quiet machine.

mod flood;

use serde_json::json;
use tarsy_e2e::model::{Answer, Script};
use tarsy_e2e::{Llm, Stack, StackOptions};

/// A stack whose agents look at something and conclude.
async fn start() -> anyhow::Result<Stack> {
    let turns = vec![
        Answer::call("ledger__look", json!({"what": "disk", "ms": 200})),
        Answer::text("The disk is full [call 1]."),
    ];
    let llm = Llm::Scripted(Script::turns(turns));
    Stack::start(StackOptions { llm, ..StackOptions::default() }).await
}

#[tokio::test]
async fn a_session_of_5000_steps_opens_and_scrolls_and_a_slow_network_shows_pages_soon()
-> anyhow::Result<()> {
    let stack = start().await?;
    stack.browse("slowNetwork", &[]).await?;
    let session = stack.submit("ledger", "The disk is full").await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    stack.lengthen(&session, 5000).await?;
    stack.browse("long", &[("TARSY_LONG_SESSION", session)]).await
}
