//! Every query of every dashboard and rule that TARSy ships, asked of a Prometheus that scrapes the services while they
//! work: each returns a number.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::{Purpose, usual};
use tarsy_e2e::monitoring::{Prometheus, alert_group};
use tarsy_e2e::{Answer, Asked, Failures, INTAKE_SECRET, Llm, Script, Stack, StackOptions};
use tarsy_embedded::{Child, Spec, free_port};
use tarsy_testkit::{Seen, workspace};
use tokio::time::{Instant, sleep};

const TIMEOUT: Duration = Duration::from_mins(2);
/// How often Prometheus looks.
const SCRAPE: Duration = Duration::from_secs(1);
/// Rows of a result that is summarized.
const ROWS: u32 = 85_000;
const CHAINS: &str = "  \
  falling:
    alert_types: [falling]
    fallback_providers: [second]
    stages:
      - {name: reading, agents: [{name: Ledger}]}
";
const SOURCES: &str = "  sources:\n    prometheus:\n      kind: alertmanager\n      verification: bearer\n      \
     secret_env: INTAKE_SECRET\n      alert_type: plain\n";
const RUNBOOK: &str = "disks.md";
const TOKEN: &str = "the-token-of-the-gateway-and-its-server";

/// A model that looks, asks for a tool that there is not, reads much and concludes; the first provider of one chain
/// refuses.
fn play(asked: &Asked) -> Answer {
    if asked.model == "gpt-played" && asked.contains("let the first provider fall") {
        return Answer::Refuses(400);
    }
    match (asked.purpose(), asked.turn()) {
        (Purpose::Digest, _) => Answer::text("85,000 rows, all alike."),
        (Purpose::Agent, 0) => Answer::call("ledger__look", json!({ "what": "disks" })),
        (Purpose::Agent, 1) => Answer::call("ledger__break", json!({})),
        (Purpose::Agent, 2) => {
            Answer::call("ledger__look", json!({ "what": "much", "rows": ROWS }))
        }
        _ => usual(asked).unwrap_or_else(|| Answer::text("The ledger has disks [call 1].")),
    }
}

/// A query, and where it stands.
type Query = (String, String);

/// The queries of the dashboards, as Grafana sends them.
fn panels() -> anyhow::Result<Vec<Query>> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(workspace().join("deploy/observability/dashboards"))? {
        let file = file?.path();
        let board: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        for panel in board["panels"].as_array().context("panels")? {
            for target in panel["targets"].as_array().context("targets")? {
                let place = format!("{}: {}", file.display(), panel["title"]);
                let query = target["expr"].as_str().context("an expression")?;
                found.push((place, as_grafana_sends(query)?));
            }
        }
    }
    Ok(found)
}

fn as_grafana_sends(query: &str) -> anyhow::Result<String> {
    let variables = [
        ("$__rate_interval", "1m"),
        ("$namespace", "tarsy"),
        ("$input_price", "3"),
        ("$output_price", "15"),
    ];
    let sent =
        variables.iter().fold(query.to_owned(), |query, (name, value)| query.replace(name, value));
    anyhow::ensure!(!sent.contains('$'), "{query} has a variable that nobody knows");
    Ok(sent)
}

/// The queries of the rules, as Prometheus read them; of an alert what is compared with a threshold.
async fn rules(prometheus: &Prometheus) -> anyhow::Result<Vec<Query>> {
    let data = prometheus.ask("rules", &[]).await?;
    let groups = data["groups"].as_array().context("groups")?.iter();
    let rules = groups.flat_map(|group| group["rules"].as_array().into_iter().flatten());
    let query = |rule: &Value| {
        let place = format!("rules: {}", rule["name"]);
        Some((place, without_threshold(rule["query"].as_str()?)))
    };
    Ok(rules.filter_map(query).collect())
}

fn without_threshold(query: &str) -> String {
    let ends = [" and ", " > ", " < ", " == "].iter().filter_map(|end| query.find(end));
    let compared = &query[..ends.min().unwrap_or(query.len())];
    // The steps of subqueries are whole minutes, of which the last has no data yet.
    compared.replace(":1m]", ":1s]")
}

/// A tool server as a pod would serve it, which Prometheus scrapes like the others.
async fn served(stack: &mut Stack) -> anyhow::Result<Child> {
    let (port, admin) = (free_port()?, free_port()?);
    let folder = std::env::current_exe()?;
    let folder = folder.parent().and_then(|deps| deps.parent()).context("a target folder")?;
    let variables = [
        ("TARSY_CONFIG_DIR", stack.path("config").display().to_string()),
        ("TARSY_HTTP_ADDR", format!("127.0.0.1:{port}")),
        ("TARSY_ADMIN_ADDR", format!("127.0.0.1:{admin}")),
        ("TARSY_MCP_SERVER_TOKEN", TOKEN.to_owned()),
        ("PATH", "/usr/bin:/bin".to_owned()),
    ];
    let child = Child::start(&Spec {
        program: PathBuf::from(folder).join("tarsy-mcp-gateway"),
        args: vec!["serve".to_owned(), "ledger".to_owned()],
        env: variables.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        log: stack.path("served.log"),
        user: None,
        remove: None,
    })
    .await?;
    stack.observe("served", admin);
    Ok(child)
}

/// Lets everything happen once that a dashboard shows.
async fn work(stack: &Stack, prometheus: &Prometheus) -> anyhow::Result<()> {
    let runbook = json!({ "alert_type": "ledger", "data": "the disks", "runbook": format!("file:///{RUNBOOK}") });
    let session = stack.submit_whole(&runbook).await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    stack.answered(&session, &viewer, "and now?").await?;
    // A histogram begins with what it observes first: only what comes after a scrape of that has a rate.
    stack
        .wait_until("the first answer is scraped", TIMEOUT, async |_| {
            Ok(!prometheus.values("tarsy_chat_turn_duration_seconds_count").await?.is_empty())
        })
        .await?;
    stack.answered(&session, &viewer, "and then?").await?;
    stack.investigated("falling", "let the first provider fall", "completed").await?;
    let (status, answer) =
        stack.post(&format!("/api/v1/sessions/{session}/cancel"), &Value::Null).await?;
    anyhow::ensure!(status < 500, "{answer}");
    let group = reqwest::Client::new()
        .post(format!("{}/api/v1/intake/prometheus", stack.url()))
        .bearer_auth(INTAKE_SECRET)
        .json(&alert_group(1, 2))
        .send()
        .await?;
    group.error_for_status()?;
    Ok(())
}

#[tokio::test]
async fn every_query_of_dashboards_and_rules_returns_numbers() -> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        posts: Some((1, Failures::Answered)),
        chains: CHAINS,
        intake: SOURCES,
        runbooks: &[(RUNBOOK, "Look at the disks first.")],
        admin_ports: true,
        ..StackOptions::default()
    })
    .await?;
    let _served = served(&mut stack).await?;
    let shipped = std::fs::read_to_string(workspace().join("deploy/observability/rules.yaml"))?;
    let prometheus = Prometheus::observing(&stack, &shipped).await?;
    // A counter has a rate once it was scraped before it changed.
    let services = stack.admin_ports().len();
    stack
        .wait_until("every service is scraped", TIMEOUT, async |_| {
            let up = prometheus.values("up == 1").await?;
            Ok(Seen::value(up, |up| up.len() == services))
        })
        .await?;
    work(&stack, &prometheus).await?;

    let mut left = panels()?;
    left.extend(rules(&prometheus).await?);
    assert!(left.len() > 90, "{left:#?}");
    // A quantile has a number while what it is of goes on, which is no longer so when the last rate begins to be one.
    let deadline = Instant::now() + TIMEOUT;
    while !left.is_empty() {
        anyhow::ensure!(Instant::now() < deadline, "no number: {left:#?}\n{}", stack.logs());
        let mut unanswered = Vec::new();
        for (place, query) in left {
            if !prometheus.values(&query).await?.iter().any(|value| value.is_finite()) {
                unanswered.push((place, query));
            }
        }
        left = unanswered;
        sleep(SCRAPE).await;
    }
    Ok(())
}
