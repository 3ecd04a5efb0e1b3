//! The operator's path, in Chromium, on the real stack.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tarsy_e2e::model::{Answer, Asked, Purpose, Script, usual};
use tarsy_e2e::{Llm, Stack, StackOptions, browse};
use tarsy_testkit::{PathOfProxy, TestIssuer, TestReverseProxy};

/// Between the chunks of a text that is held: the page draws each, and the text soon has every kind of Markdown.
const PAUSE: Duration = Duration::from_millis(60);

const TEAM: &str = "  \
  team:
    alert_types: [team]
    stages:
      - name: reading
        agents: [{name: Ledger}, {name: Ledger}]
  tree:
    alert_types: [tree]
    stages:
      - name: looking
        agents:
          - name: Ledger
            sub_agents: [{name: GeneralWorker, mcp_servers: [ledger]}]
";

/// How the prompt of an agent that dispatches marks what another one found.
const RESULT: &str = "<sub_agent_result";

const RUNBOOKS: &[(&str, &str)] = &[
    ("disk.md", "# Disks\nLook at the logs first.\n"),
    ("memory.md", "# Memory\nLook at the largest process.\n"),
];

/// What a model writes in Markdown, with a call that nobody made.
const FINDINGS: &str = r#"The disk is **full** [call 1]:

| Path | Used |
|---|---|
| /var/log | 98 % |

- by logs of two days [call 2]
- by nobody else [call 99]

```json
{"rotate": "2 days", "paths": ["/var/log/journal", "/var/log/nginx/access.log", "/var/log/postgresql"]}
```

- [x] look at the disk
- [ ] rotate its logs

Rotate the logs, then look at what writes them."#;

/// A chain with a small budget, one whose first provider may refuse, and one whose agent may not write.
const BOUNDS: &str = "  \
  frugal:
    alert_types: [frugal]
    budget: {tool_calls: 2}
    stages:
      - {name: reading, agents: [{name: Ledger}]}
  spare:
    alert_types: [spare]
    fallback_providers: [second]
    stages:
      - {name: reading, agents: [{name: Ledger}]}
  careful:
    alert_types: [careful]
    stages:
      - {name: reading, agents: [{name: Ledger, mcp_servers: [ledger, careful]}]}
";

/// A ledger that nobody may write into, and a server that ends at once.
const SERVERS: &str = "  \
  careful:
    transport: *ledger
    policy: {mode: allow_all, deny: [record]}
  broken:
    transport: {type: stdio, command: /bin/false}
    policy: {mode: allow_all}
";

/// Runs a script with an alert type of its own.
pub(crate) async fn passes(
    stack: &Stack,
    script: &str,
    alert_type: Option<&str>,
) -> anyhow::Result<()> {
    let call_end = ("TARSY_CALL_END", stack.path("seen").display().to_string());
    let alert_type = alert_type.map(|name| ("TARSY_ALERT_TYPE", name.to_owned()));
    let settings: Vec<_> = std::iter::once(call_end).chain(alert_type).collect();
    stack.browse(script, &settings).await
}

/// Every conversation is a call and a text, which goes on slowly while a script holds it.
pub(crate) fn scripted(text: &str) -> StackOptions {
    let turns = vec![
        Answer::call("ledger__look", json!({"what": "disk", "ms": 200})),
        Answer::Flows(text.to_owned(), PAUSE),
    ];
    let llm = Llm::Scripted(Script::turns(turns));
    StackOptions { llm, chains: TEAM, runbooks: RUNBOOKS, ..StackOptions::default() }
}

/// The same; an agent that may dispatch others dispatches two, waits for both, and gives the answer.
fn delegating(text: &str) -> StackOptions {
    let text = text.to_owned();
    let script = Script::new(move |asked: &Asked| {
        let flows = || Answer::Flows(text.clone(), PAUSE);
        let results = asked.messages.iter().filter(|one| one.to_string().contains(RESULT)).count();
        usual(asked).unwrap_or_else(|| match (asked.turn(), dispatches(asked)) {
            (0, true) => Answer::Calls(["disk", "memory"].map(dispatch).to_vec()),
            (_, true) if results < 2 => Answer::call("tarsy__wait_for_agents", json!({})),
            (0, false) => Answer::call("ledger__look", json!({"what": "disk", "ms": 200})),
            // As in the turns of others: what it wrote stands.
            _ if has_written(asked) => Answer::Refuses(404),
            _ => flows(),
        })
    });
    StackOptions { llm: Llm::Scripted(script), ..scripted("") }
}

fn has_written(asked: &Asked) -> bool {
    let is_text =
        |one: &serde_json::Value| one["content"].as_str().is_some_and(|text| !text.is_empty());
    asked.messages.iter().any(|one| one["role"] == "assistant" && is_text(one))
}

fn dispatches(asked: &Asked) -> bool {
    asked.tools.iter().any(|tool| tool == "tarsy__dispatch_agent")
}

fn dispatch(part: &str) -> (&'static str, serde_json::Value) {
    let task = format!("Look at the {part}.");
    ("tarsy__dispatch_agent", json!({"name": "GeneralWorker", "task": task}))
}

/// A stack whose model gives this answer, for one test.
pub(crate) async fn answering(text: &str) -> anyhow::Result<Stack> {
    Stack::start(scripted(text)).await
}

#[tokio::test]
async fn an_operator_submits_on_the_page_watches_the_text_and_reads_the_analysis()
-> anyhow::Result<()> {
    let stack =
        Stack::start(StackOptions { llm: Llm::Offline(150), ..StackOptions::default() }).await?;
    passes(&stack, "investigation", None).await
}

#[tokio::test]
async fn an_operator_sees_two_agents_side_by_side_and_their_text_as_it_arrives()
-> anyhow::Result<()> {
    let stack = Stack::start(delegating(FINDINGS)).await?;
    passes(&stack, "parallel", Some("team")).await?;
    passes(&stack, "tree", Some("tree")).await?;
    passes(&stack, "streaming", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_asks_about_the_findings_and_chooses_a_runbook_and_tools() -> anyhow::Result<()>
{
    let stack = answering(FINDINGS).await?;
    passes(&stack, "chat", Some("ledger")).await?;
    passes(&stack, "system", None).await?;
    passes(&stack, "form", Some("ledger")).await?;
    let asked = stack.model()?.asked();
    assert!(
        asked.iter().any(|one| one.contains("Look at the logs first.")),
        "the runbook was not read"
    );
    Ok(())
}

#[tokio::test]
async fn an_operator_cancels_waits_and_watches_the_end_of_an_investigation() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "cancel", Some("ledger")).await?;
    passes(&stack, "ending", Some("ledger")).await?;
    let workers = StackOptions::default().workers.to_string();
    stack.browse("queue", &[("TARSY_WORKERS", workers)]).await
}

#[tokio::test]
async fn an_administrator_creates_a_token_finds_its_use_in_the_audit_log_and_revokes_it()
-> anyhow::Result<()> {
    let stack = answering("The disk is full.").await?;
    passes(&stack, "access", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_on_call_copies_what_was_found() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "identity", Some("ledger")).await?;
    passes(&stack, "copying", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_follows_calls_over_time() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "waterfall", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_runs_again_and_compares() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "compare", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_works_on_many_sessions_at_once() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "bulk", Some("ledger")).await
}

/// An agent that reads 2 MB and concludes; the summary of them is written slowly.
fn reads_much() -> StackOptions {
    let script = Script::new(|asked: &Asked| {
        if asked.purpose() == Purpose::Digest {
            let summary = "85,000 rows, all alike: there is nothing to see in any of them. ";
            return Answer::Flows(summary.to_owned(), PAUSE);
        }
        usual(asked).unwrap_or_else(|| match asked.turn() {
            0 => Answer::call("ledger__look", json!({ "what": "much", "rows": 85_000 })),
            _ => Answer::text("Nothing is wrong [call 1]."),
        })
    });
    StackOptions { llm: Llm::Scripted(script), ..StackOptions::default() }
}

#[tokio::test]
async fn an_operator_reads_the_summary_of_two_megabytes_and_opens_the_whole() -> anyhow::Result<()>
{
    let stack = Stack::start(reads_much()).await?;
    passes(&stack, "summary", Some("ledger")).await
}

/// An agent that meets the bounds of its chain.
fn meets_bounds(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    if asked.model == "gpt-played" && asked.contains("The first refuses") {
        return Answer::Refuses(401);
    }
    if asked.contains("Type: frugal") && !asked.tools.is_empty() {
        return Answer::call("ledger__look", json!({ "what": "everything" }));
    }
    match asked.turn() {
        // The first one runs until the script has seen how far it is.
        0 if asked.contains("Type: careful") => Answer::Calls(vec![
            ("ledger__look", json!({ "what": "disk", "until": "seen" })),
            ("careful__record", json!({ "what": "note" })),
        ]),
        0 => Answer::call("ledger__look", json!({ "what": "disk" })),
        _ => Answer::text("The disk is full [call 1]."),
    }
}

async fn bounded() -> anyhow::Result<Stack> {
    let llm = Llm::Scripted(Script::new(meets_bounds));
    Stack::start(StackOptions { llm, chains: BOUNDS, servers: SERVERS, ..StackOptions::default() })
        .await
}

#[tokio::test]
async fn an_operator_sees_what_bounds_an_investigation() -> anyhow::Result<()> {
    let stack = bounded().await?;
    passes(&stack, "limits", None).await?;
    passes(&stack, "wording", Some("spare")).await
}

#[tokio::test]
async fn an_operator_sees_what_became_of_calls() -> anyhow::Result<()> {
    passes(&bounded().await?, "calls", Some("careful")).await
}

#[tokio::test]
async fn a_person_signs_in_stays_on_the_page_when_that_ends_and_signs_out() -> anyhow::Result<()> {
    let issuer = TestIssuer::start(&[("rosa", &["responders"])]).await?;
    let options = StackOptions {
        issuer: Some(issuer.url().to_owned()),
        ..scripted("And then it was read once more.")
    };
    let stack = Stack::start(options).await?;
    // The first session loads the SDK of the provider: on a busy machine people are not signed in for so long.
    let first = stack.submit("ledger", "The disk is full").await?;
    let path = format!("/api/v1/sessions/{first}");
    stack
        .wait_until("the first session completes", Duration::from_mins(3), async |stack| {
            Ok(stack.get(&path).await?["status"] == "completed")
        })
        .await?;
    passes(&stack, "signIn", Some("ledger")).await
}

async fn below_a_path(mode: PathOfProxy) -> anyhow::Result<()> {
    let mut proxy = TestReverseProxy::bind("/ops/tarsy").await?;
    let system = format!("  dashboard_url: {}\n", proxy.url());
    let options = StackOptions {
        llm: Llm::Offline(150),
        system: Box::leak(system.into_boxed_str()),
        ..StackOptions::default()
    };
    let stack = Stack::start(options).await?;
    let address = stack.address();
    let (server, token) = address.split_once("/#").context("no token")?;
    let server = server.split_once("://").context("no scheme")?.1;
    let server = tokio::net::lookup_host(server).await?.find(std::net::SocketAddr::is_ipv4);
    proxy.serve(server.context("no address")?, mode)?;
    browse(&format!("{}/#{token}", proxy.url()), "belowPath", &[]).await
}

#[tokio::test]
async fn an_operator_works_below_a_path_that_the_proxy_takes_off() -> anyhow::Result<()> {
    below_a_path(PathOfProxy::Stripped).await
}

#[tokio::test]
async fn an_operator_works_below_a_path_that_the_proxy_leaves() -> anyhow::Result<()> {
    below_a_path(PathOfProxy::Kept).await
}
