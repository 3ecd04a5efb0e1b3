//! Prometheus evaluates rules, Alertmanager groups, repeats and resolves, both as Debian ships them, and both configured
//! as docs/intake/alertmanager.md shows.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::monitoring::{Alertmanager, MetricsPage, Prometheus};
use tarsy_e2e::{Answer, Asked, Gate, INTAKE_SECRET, Llm, Script, Stack, StackOptions};
use tarsy_testkit::{Seen, workspace};

const TIMEOUT: Duration = Duration::from_mins(2);
/// How often the group must have been sent before anything else happens.
const NOTIFICATIONS: f64 = 3.0;
/// Short intervals: every second Alertmanager looks whether the group changed, and it repeats what did not.
const INTERVALS: &str = "  group_wait: 1s\n  group_interval: 1s\n  repeat_interval: 1s\n";
const RULES: &str = "\
groups:
- name: disks
  rules:
  - alert: DiskFull
    expr: disk_used_ratio > 0.9
    labels: {severity: critical, cluster: eu-1, namespace: shop}
    annotations: {summary: \"The disk of {{ $labels.host }} is full\"}
";

/// The blocks of YAML of the documentation's page, in their order: those of Alertmanager and of TARSy.
fn documented() -> anyhow::Result<[String; 2]> {
    let page = std::fs::read_to_string(workspace().join("docs/intake/alertmanager.md"))?;
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut blocks = blocks.map(str::to_owned);
    let two = blocks.next().zip(blocks.next()).context("the page has two blocks of YAML")?;
    Ok(two.into())
}

/// The text with one part replaced, which it must have.
fn replaced(text: &str, from: &str, to: &str) -> anyhow::Result<String> {
    anyhow::ensure!(text.contains(from), "{from} is not in {text}");
    Ok(text.replace(from, to))
}

/// What stands below `intake` on the page, with the secret's variable of the stack.
fn sources(block: &str) -> anyhow::Result<&'static str> {
    let (_, sources) = block.split_once("intake:\n").context("the page configures intake")?;
    Ok(replaced(sources, "ALERTMANAGER_TOKEN", "INTAKE_SECRET")?.leak())
}

/// A model that calls a tool before it concludes, and is held before each of the two answers.
fn script(gates: [Gate; 2]) -> Script {
    Script::new(move |asked: &Asked| {
        let answer = match asked.turn() {
            0 => Answer::call("ledger__look", json!({"what": "disks"})),
            _ => Answer::text("The disks of shop are full."),
        };
        let gate = gates[asked.turn().min(1)].clone();
        usual(asked).unwrap_or_else(|| Answer::Waits(gate, Box::new(answer)))
    })
}

/// The page of metrics with these hosts' disks in use.
fn disks(used: &[(&str, f64)]) -> String {
    used.iter().fold("# TYPE disk_used_ratio gauge\n".to_owned(), |mut page, (host, ratio)| {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "disk_used_ratio{{host=\"{host}\"}} {ratio}");
        page
    })
}

async fn alertmanager(stack: &Stack, block: &str) -> anyhow::Result<Alertmanager> {
    let token = stack.path("tarsy-token");
    std::fs::write(&token, INTAKE_SECRET)?;
    let block = replaced(block, "https://tarsy.example.com", stack.url())?;
    let token = token.display().to_string();
    let block = replaced(&block, "/etc/alertmanager/tarsy-token", &token)?;
    Alertmanager::start(&stack.path(""), &(block + INTERVALS)).await
}

/// The session that the alerts began; none yet, or an error if there are several.
async fn session(stack: &Stack) -> anyhow::Result<Option<String>> {
    let list = stack.get("/api/v1/sessions").await?;
    let items = list["sessions"].as_array().context("a list of sessions")?;
    anyhow::ensure!(items.len() <= 1, "several sessions: {list}");
    Ok(items.first().and_then(|item| Some(item["id"].as_str()?.to_owned())))
}

/// The alerts on a session's timeline: what each is about, and its status.
async fn shown(stack: &Stack, session: &str) -> anyhow::Result<Vec<(String, String)>> {
    let events = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
    let events = events.as_array().context("a list of events")?.iter();
    let alerts = events.filter(|event| event["event_type"] == "alert_received");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Ok(alerts.map(|one| (text(&one["content"]), text(&one["metadata"]["status"]))).collect())
}

async fn is_shown(stack: &Stack, session: &str, host: &str, status: &str) -> anyhow::Result<bool> {
    let title = format!("The disk of {host} is full");
    Ok(shown(stack, session).await?.contains(&(title, status.to_owned())))
}

/// Whether a request to the model contains the alert about a host's disk.
fn is_given(asked: &Asked, host: &str) -> bool {
    let title = format!("The disk of {host} is full");
    asked.messages.iter().any(|message| message.to_string().contains(&title))
}

#[tokio::test]
async fn a_group_of_alertmanager_has_one_session_until_it_is_resolved() -> anyhow::Result<()> {
    let [of_alertmanager, of_tarsy] = documented()?;
    let gates = [Gate::default(), Gate::default()];
    let stack = Stack::start(StackOptions {
        llm: Llm::Scripted(script(gates.clone())),
        intake: sources(&of_tarsy)?,
        defaults: "  alert_type: ledger\n",
        ..StackOptions::default()
    })
    .await?;
    let page = MetricsPage::start().await?;
    let alertmanager = alertmanager(&stack, &of_alertmanager).await?;
    page.set(disks(&[("db-1", 0.97), ("db-2", 0.4)]));
    let _prometheus = Prometheus::alerting(&stack.path(""), &page, RULES, &alertmanager).await?;

    let sent = "alertmanager_notifications_total";
    stack
        .wait_until("the group was sent again and again", TIMEOUT, async |_| {
            let sent = alertmanager.metric(sent, &["webhook"]).await?;
            Ok(Seen::value(sent, |sent| *sent >= NOTIFICATIONS))
        })
        .await?;
    let session_id = session(&stack).await?.context("the group began a session")?;

    page.set(disks(&[("db-1", 0.97), ("db-2", 0.95)]));
    stack
        .wait_until("the second disk is on the timeline", TIMEOUT, async |stack| {
            is_shown(stack, &session_id, "db-2", "firing").await
        })
        .await?;
    gates[0].open();
    stack
        .wait_until("the agent is given the second disk", TIMEOUT, async |stack| {
            let asked = stack.model()?.asked();
            let second = asked.iter().find(|asked| asked.turn() == 1);
            Ok(second.is_some_and(|asked| is_given(asked, "db-2")))
        })
        .await?;
    let first = stack.model()?.asked().into_iter().find(|asked| asked.turn() == 0);
    assert!(first.is_some_and(|asked| is_given(&asked, "db-1") && !is_given(&asked, "db-2")));

    page.set(disks(&[("db-1", 0.5), ("db-2", 0.4)]));
    for host in ["db-1", "db-2"] {
        stack
            .wait_until("the disk is reported as resolved", TIMEOUT, async |stack| {
                is_shown(stack, &session_id, host, "resolved").await
            })
            .await?;
    }
    gates[1].open();
    stack
        .wait_until("the session is over", TIMEOUT, async |stack| {
            let detail = stack.get(&format!("/api/v1/sessions/{session_id}")).await?;
            Ok(Seen::equal(&detail["status"], "completed"))
        })
        .await?;
    let failed = "alertmanager_notifications_failed_total";
    assert!(alertmanager.metric(failed, &["webhook"]).await? < 1.0);
    assert_eq!(session(&stack).await?, Some(session_id));
    Ok(())
}
