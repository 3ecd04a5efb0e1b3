//! Every page and the search, in Chromium, on the real stack: apart from the other browser tests, of which these take longest.

use serde_json::{Value, json};
use tarsy_e2e::model::{Answer, Asked, Script, usual};
use tarsy_e2e::{Llm, Shared, Stack, StackOptions};
use tokio::sync::OnceCell;

use crate::browser::{answering, passes, scripted};

const TEXT: &str = "The disk is full [call 1].";

/// Pages that are only looked at disturb no others, once these sessions are over: one that ends moves what is below.
static STACK: Shared = Shared::new(|| StackOptions { schedules: SCHEDULES, ..scripted(TEXT) });
static SESSIONS: OnceCell<[String; 2]> = OnceCell::const_new();

const SCHEDULES: &str =
    "  nightly: {cron: '0 6 1 1 *', alert_type: ledger, text: Look at the ledger}\n";

/// A schedule that has run, a change near the alerts, and a memory of the first session.
async fn prepare(stack: &Stack, first: &str) -> anyhow::Result<()> {
    let change = json!({"kind": "deployment", "object": "Deployment/ledger", "text": "ledger 1.8.2 was deployed"});
    let (status, body) = stack.post("/api/v1/changes", &change).await?;
    anyhow::ensure!(status == 201, "{status} {body}");
    let review = json!({"review": "accurate", "actual_cause": "A log filled the disk of the ledger.", "object": "ledger"});
    let status = stack.put(&format!("/api/v1/sessions/{first}/review"), &review).await?;
    anyhow::ensure!(status == 200, "the review was answered with {status}");
    let (status, body) = stack.post("/api/v1/schedules/nightly/runs", &json!({})).await?;
    let run = body.get("session_id").and_then(Value::as_str).unwrap_or_default();
    anyhow::ensure!(status == 202, "{status} {body}");
    stack.completes(&stack.watch(run).await?).await
}

/// A completed session about the same problem as the others.
async fn completed(stack: &Stack, data: &str) -> anyhow::Result<String> {
    let alert = json!({"alert_type": "ledger", "data": data, "fingerprint": "ledger"});
    let session = stack.submit_whole(&alert).await?;
    stack.completes(&stack.watch(&session).await?).await?;
    Ok(session)
}

/// Two completed sessions, the later one first.
async fn sessions(stack: &Stack) -> anyhow::Result<String> {
    let completed = SESSIONS.get_or_try_init(async || {
        let first = completed(stack, "The first of two alerts").await?;
        prepare(stack, &first).await?;
        let second = completed(stack, "The second of two alerts").await?;
        let detail = stack.get(&format!("/api/v1/sessions/{second}")).await?;
        for part in ["/changes/0", "/seen_before/0"] {
            anyhow::ensure!(detail.pointer(part).is_some(), "the page has no {part}: {detail}");
        }
        anyhow::Ok([second, first])
    });
    Ok(completed.await?.join(","))
}

/// Runs a script on a stack of its own.
async fn alone(script: &str) -> anyhow::Result<()> {
    passes(&answering(TEXT).await?, script, Some("ledger")).await
}

/// Opens every page in a window, in light and dark.
fn every_page(window: &str) -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let settings =
            [("TARSY_SESSIONS", sessions(stack).await?), ("TARSY_WINDOWS", window.to_owned())];
        stack.browse("pages", &settings).await
    })
}

#[test]
fn an_operator_uses_every_page_on_a_wide_screen() -> anyhow::Result<()> {
    every_page("wide")
}

#[test]
fn an_operator_uses_every_page_on_a_phone() -> anyhow::Result<()> {
    every_page("phone")
}

#[test]
fn an_operator_uses_every_page_at_twice_the_size() -> anyhow::Result<()> {
    every_page("zoom")
}

#[tokio::test]
async fn no_page_lets_a_text_reorder_what_is_beside_it() -> anyhow::Result<()> {
    alone("directions").await
}

/// A chain whose agent writes, at a server whose calls that change something wait for a person.
const WRITING: &str = "  \
  writing:
    alert_types: [writing]
    stages:
      - {name: writing, agents: [{name: Ledger, mcp_servers: [guarded]}]}
";

fn writes(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| match asked.turn() {
        0 if asked.contains("Type: writing") => {
            Answer::call("guarded__record", json!({ "what": "a line" }))
        }
        0 => Answer::call("ledger__look", json!({ "what": "disk" })),
        _ => Answer::text(TEXT),
    })
}

#[tokio::test]
async fn an_operator_uses_the_keyboard_alone_and_sees_errors_and_the_loss_of_the_network()
-> anyhow::Result<()> {
    let options = StackOptions {
        llm: Llm::Scripted(Script::new(writes)),
        chains: WRITING,
        servers: "  guarded:\n    transport: *ledger\n",
        schedules: SCHEDULES,
        ..StackOptions::default()
    };
    let stack = Stack::start(options).await?;
    passes(&stack, "keyboard", Some("ledger")).await?;
    passes(&stack, "knowledge", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_searches_sessions() -> anyhow::Result<()> {
    alone("search").await
}

#[tokio::test]
async fn an_operator_filters_the_search_and_saves_filters() -> anyhow::Result<()> {
    alone("searchFilters").await
}

#[tokio::test]
async fn an_operator_filters_sessions() -> anyhow::Result<()> {
    alone("history").await
}

#[tokio::test]
async fn an_operator_counts_sessions() -> anyhow::Result<()> {
    alone("overview").await
}
