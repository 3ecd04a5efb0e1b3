//! The operator's path, in Chromium, on the real stack.

use std::time::Duration;

use serde_json::json;
use tarsy_e2e::model::{Answer, Asked, Script, usual};
use tarsy_e2e::{Llm, Reply, Stack, StackOptions};
use tokio::sync::Mutex;

/// A browser and a stack take what a small machine has: one at a time.
static TURN: Mutex<()> = Mutex::const_new(());

const TEAM: &str = "  \
  team:
    alert_types: [team]
    stages:
      - name: reading
        agents: [{name: Ledger}, {name: Ledger}]
";

/// Runs a script of `dashboard/e2e` on a stack; the script's last line counts its steps.
async fn passes(stack: &Stack, script: &str, alert_type: Option<&str>) -> anyhow::Result<()> {
    let mut command = tokio::process::Command::new("node");
    command
        .arg(format!("e2e/{script}.mjs"))
        .current_dir(tarsy_testkit::workspace().join("dashboard"))
        .env("TARSY_URL", stack.url());
    if let Some(alert_type) = alert_type {
        command.env("TARSY_ALERT_TYPE", alert_type);
    }
    let output = command.output().await?;
    let text = String::from_utf8_lossy(&output.stdout);
    let problems = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{problems}\n{}", stack.logs());
    assert!(text.contains(&format!("{script}: ")) && text.contains(" passed, 0 failed"), "{text}");
    Ok(())
}

/// Every conversation is a call and a text that is written slowly.
async fn scripted(text: String, pause: u64) -> anyhow::Result<Stack> {
    let turns = vec![
        Reply::Calls(vec![("ledger__look", json!({"what": "disk", "ms": 200}))]),
        Reply::Streams(text, pause),
    ];
    let options =
        StackOptions { llm: Llm::Scripted(turns), chains: TEAM, ..StackOptions::default() };
    Stack::start(options).await
}

#[tokio::test]
async fn an_operator_submits_on_the_page_watches_the_text_and_reads_the_analysis()
-> anyhow::Result<()> {
    let _turn = TURN.lock().await;
    let stack =
        Stack::start(StackOptions { llm: Llm::Offline(150), ..StackOptions::default() }).await?;
    passes(&stack, "journey", None).await
}

#[tokio::test]
async fn an_operator_sees_two_agents_side_by_side_asks_about_them_and_chooses_tools()
-> anyhow::Result<()> {
    let _turn = TURN.lock().await;
    let claim = "The disk is full: 98 % of /var is used by logs of the last two days [call 1]. \
                 The second agent looked at the same place [call 2] and nobody at any other \
                 [call 99]. Rotate the logs, then look at what writes so many of them.";
    let stack = scripted(claim.to_owned(), 120).await?;
    passes(&stack, "teamwork", Some("team")).await?;
    passes(&stack, "chat", Some("ledger")).await?;
    passes(&stack, "system", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_cancels_an_investigation_in_the_middle_of_a_text() -> anyhow::Result<()> {
    let _turn = TURN.lock().await;
    let stack = scripted("And then it was read once more. ".repeat(400), 100).await?;
    passes(&stack, "cancel", Some("ledger")).await
}

/// An agent that reads 2 MB and concludes; the summary of them is written slowly.
fn reads_much() -> StackOptions {
    let script = Script::new(|asked: &Asked| {
        if asked.system.contains("You summarize the output of a tool") {
            let summary = "85,000 rows, all alike: there is nothing to see in any of them. ";
            return Answer::Streams(summary.repeat(3), Duration::from_millis(80));
        }
        usual(asked).unwrap_or_else(|| match asked.turn() {
            0 => Answer::call("ledger__look", json!({ "what": "much", "rows": 85_000 })),
            _ => Answer::says("Nothing is wrong [call 1]."),
        })
    });
    StackOptions { llm: Llm::Played(script), ..StackOptions::default() }
}

#[tokio::test]
async fn an_operator_reads_the_summary_of_two_megabytes_and_opens_the_whole() -> anyhow::Result<()>
{
    let _turn = TURN.lock().await;
    let stack = Stack::start(reads_much()).await?;
    passes(&stack, "summary", Some("ledger")).await
}
