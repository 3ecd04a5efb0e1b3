//! Every page and the search, in Chromium, on the real stack: apart from the other browser tests, of which these take longest.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::{Answer, Asked, Script, usual};
use tarsy_e2e::{Llm, Shared, Stack, StackOptions};
use tokio::sync::OnceCell;

use crate::browser::{answering, passes};

const TEXT: &str = "The disk is full [call 1].";

/// Pages that are only looked at disturb no others, once these sessions are over: one that ends moves what is below.
static STACK: Shared = Shared::new(|| StackOptions {
    llm: Llm::Scripted(Script::new(plays)),
    chains: ACTING,
    servers: REPAIRS,
    topology: "  services:\n    storefront: {calls: [payments], team: shop}\n",
    schedules: SCHEDULES,
    ..StackOptions::default()
});
static SESSIONS: OnceCell<[String; 3]> = OnceCell::const_new();
const TIMEOUT: Duration = Duration::from_mins(1);

const SCHEDULES: &str =
    "  nightly: {cron: '0 6 1 1 *', alert_type: ledger, text: Look at the ledger}\n";

const ACTING: &str = "  \
  repair:
    alert_types: [repair]
    remediation: {enabled: true, initial_delay: 100ms, checks: 1}
    stages:
      - {name: acting, agents: [{name: Remedy, mcp_servers: [repairs]}]}
";
const REPAIRS: &str =
    "  repairs:\n    transport: *ledger\n    policy: {read_only: [look], write: [record]}\n";

/// A call and a text; of a repair a skill, and what does not have its effect.
fn plays(asked: &Asked) -> Answer {
    let is_repair = asked.contains("Type: repair");
    usual(asked).unwrap_or_else(|| match (asked.turn(), is_repair) {
        (0, false) => Answer::call("ledger__look", json!({"what": "disk"})),
        (0, true) => Answer::call("tarsy__load_skill", json!({"name": "disk"})),
        (1, true) => {
            let check = json!({"tool": "repairs.look", "arguments": {"what": "replicas"}, "expect": {"contains": "three are ready"}});
            let plan = json!({"effect": "the storefront has three replicas", "check": check});
            Answer::call("repairs__record", json!({"what": "three replicas", "_action": plan}))
        }
        _ => Answer::text(TEXT),
    })
}

/// A session with what was changed before it, what its service calls, a skill that was loaded, and an action that did not work.
async fn acted(stack: &Stack) -> anyhow::Result<String> {
    let change = json!({"kind": "deployment", "object": "Deployment/storefront", "service": "storefront", "text": "storefront 2.0 was deployed"});
    let (status, body) = stack.post("/api/v1/changes", &change).await?;
    anyhow::ensure!(status == 201, "{status} {body}");
    let alert = json!({"alert_type": "repair", "service": "storefront", "data": "The storefront has one replica"});
    let session = stack.submit_whole(&alert).await?;
    let viewer = stack.watch(&session).await?;
    let waits = |event: &Value| event.get("event_type") == Some(&json!("tool_approval"));
    viewer.wait_for("request for approval", TIMEOUT, waits).await?;
    let listed = stack.command(&["approvals"]).await?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let id = listed.split_whitespace().next().context("one waits")?;
    let approved = stack.command(&["approve", id]).await?;
    anyhow::ensure!(approved.status.success(), "{approved:?}");
    stack.completes(&viewer).await?;
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    for part in ["/changes/0", "/dependencies/0", "/actions/0/outcome"] {
        anyhow::ensure!(detail.pointer(part).is_some(), "the page has no {part}: {detail}");
    }
    Ok(session)
}

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

/// Two completed sessions, the later one first, and one whose agent acted.
async fn sessions(stack: &Stack) -> anyhow::Result<&'static [String; 3]> {
    let completed = SESSIONS.get_or_try_init(async || {
        let first = completed(stack, "The first of two alerts").await?;
        prepare(stack, &first).await?;
        let second = completed(stack, "The second of two alerts").await?;
        let detail = stack.get(&format!("/api/v1/sessions/{second}")).await?;
        for part in ["/changes/0", "/seen_before/0"] {
            anyhow::ensure!(detail.pointer(part).is_some(), "the page has no {part}: {detail}");
        }
        anyhow::Ok([second, first, acted(stack).await?])
    });
    completed.await
}

/// Runs a script on a stack of its own.
async fn alone(script: &str) -> anyhow::Result<()> {
    passes(&answering(TEXT).await?, script, Some("ledger")).await
}

/// Opens every page in a window, in light and dark.
fn every_page(window: &str) -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let [second, first, acted] = sessions(stack).await?;
        let settings = [
            ("TARSY_SESSIONS", format!("{second},{first}")),
            ("TARSY_ACTED", acted.clone()),
            ("TARSY_WINDOWS", window.to_owned()),
        ];
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
