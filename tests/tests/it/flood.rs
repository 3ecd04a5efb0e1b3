//! A group of thousands of alerts, as a real Alertmanager sends it, and what an alert of another source waits meanwhile.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::monitoring::{Alertmanager, alert_group};
use tarsy_e2e::{Answer, Asked, INTAKE_SECRET, Llm, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

const ALERTS: usize = 5000;
/// Every hundredth alert has an annotation that is longer than what is kept of one.
const LONG: usize = 100;
const TOO_LONG: usize = 20 * 1024;
/// Requests of the other source before the group comes, and the pause between two.
const BEFORE: usize = 200;
const PAUSE: Duration = Duration::from_millis(10);
const TIMEOUT: Duration = Duration::from_mins(2);
const SOURCES: &str = "  sources:\n    prometheus: {kind: alertmanager, verification: bearer, secret_env: INTAKE_SECRET}\n    \
     other: {kind: alertmanager, verification: bearer, secret_env: INTAKE_SECRET}\n";

fn play(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| Answer::text("The disks are full."))
}

fn configuration(stack: &Stack) -> String {
    format!(
        "receivers:\n- name: tarsy\n  webhook_configs:\n  - url: {}/api/v1/intake/prometheus\n    http_config: \
         {{authorization: {{credentials: {INTAKE_SECRET}}}}}\nroute:\n  receiver: tarsy\n  group_by: [alertname]\n  \
         group_wait: 1s\n  group_interval: 2m\n",
        stack.url()
    )
}

fn alerts() -> Vec<Value> {
    let one = |number: usize| {
        let long = if number.is_multiple_of(LONG) { TOO_LONG } else { 1 };
        json!({
            "labels": {"alertname": "DiskFull", "severity": "critical", "instance": format!("db-{number}")},
            "annotations": {"summary": format!("The disk of db-{number} is full"), "detail": "x".repeat(long)},
        })
    };
    (0..ALERTS).map(one).collect()
}

/// How long the other source waits for the answer to an alert of its own, which is new.
async fn wait(http: &reqwest::Client, stack: &Stack, number: usize) -> anyhow::Result<Duration> {
    let mut body = alert_group(1, 1);
    *body.pointer_mut("/alerts/0/fingerprint").context("an alert")? = json!(format!("f{number}"));
    let url = format!("{}/api/v1/intake/other", stack.url());
    let begun = Instant::now();
    http.post(url).bearer_auth(INTAKE_SECRET).json(&body).send().await?.error_for_status()?;
    let waited = begun.elapsed();
    tokio::time::sleep(PAUSE).await;
    Ok(waited)
}

/// The one that 99 of a hundred do not exceed.
fn p99(waits: &[Duration]) -> Duration {
    let mut sorted = waits.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() * 99 / 100).copied().unwrap_or_default()
}

async fn count(stack: &Stack, what: &'static str) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar(what).fetch_one(&mut stack.sql().await?).await?)
}

#[tokio::test]
async fn of_5000_alerts_of_one_group_each_is_kept_while_others_are_answered() -> anyhow::Result<()>
{
    let stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        intake: SOURCES,
        defaults: "  alert_type: plain\n",
        ..StackOptions::default()
    })
    .await?;
    let http = reqwest::Client::new();
    let mut before = Vec::new();
    for number in 0..BEFORE {
        before.push(wait(&http, &stack, number).await?);
    }
    let alertmanager = Alertmanager::start(&stack.path(""), &configuration(&stack)).await?;
    alertmanager.post(&alerts()).await?;

    let kept = "select count(*) from intake_alerts where source = 'prometheus'";
    stack
        .wait_until("the group is being stored", TIMEOUT, async |stack| {
            Ok(Seen::value(count(stack, kept).await?, |kept| *kept > 0))
        })
        .await?;
    let (begun, mut meanwhile) = (Instant::now(), Vec::new());
    while count(&stack, kept).await? < i64::try_from(ALERTS)? {
        anyhow::ensure!(begun.elapsed() < TIMEOUT, "{} are kept", count(&stack, kept).await?);
        for _ in 0..10 {
            meanwhile.push(wait(&http, &stack, BEFORE + meanwhile.len()).await?);
        }
    }
    let (stored, usual, slow) = (begun.elapsed(), p99(&before), p99(&meanwhile));
    let different =
        "select count(distinct fingerprint) from intake_alerts where source = 'prometheus'";
    let noted = "select count(*) from intake_alerts where source = 'prometheus' and notes::text like '%is cut%'";
    let sessions =
        "select count(distinct session_id) from intake_alerts where source = 'prometheus'";
    assert_eq!(count(&stack, different).await?, i64::try_from(ALERTS)?);
    assert_eq!(count(&stack, noted).await?, i64::try_from(ALERTS / LONG)?);
    assert_eq!(count(&stack, sessions).await?, 1);
    let line = format!(
        "p99 of another source: {usual:?} before, {slow:?} of {} while all were stored in {stored:?} (goal 50 ms more)\n",
        meanwhile.len()
    );
    std::io::stdout().lock().write_all(line.as_bytes())?;
    Ok(())
}
