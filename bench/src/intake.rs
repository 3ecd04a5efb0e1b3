//! Alerts of a source: from the request until they are decided about and kept, beside plain SQL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::future::try_join_all;
use serde_json::Value;
use tarsy_e2e::monitoring::alert_group;
use tarsy_e2e::{INTAKE_SECRET, Plain, Stack};
use tarsy_testkit::Seen;

use crate::output;
use crate::size::Size;
use crate::table::{Measure, Row};
use crate::unfinished::unfinished;

/// The source, below `intake` of the configuration.
pub(crate) const SOURCES: &str = "  sources:\n    prometheus:\n      kind: alertmanager\n      \
     verification: bearer\n      secret_env: INTAKE_SECRET\n      alert_type: plain\n";
/// Requests at a time, and connections of plain SQL.
const SENDERS: u32 = 8;
/// Alerts of a group, which one request carries.
const GROUP: usize = 10;
/// How often each group is sent: nine of ten alerts are repeats.
const REPEATS: usize = 10;
const TIMEOUT: Duration = Duration::from_mins(1);
/// The pause of a sender that was refused.
const PAUSE: Duration = Duration::from_millis(50);

const WHY: &str = "ten alerts a request: verified, parsed, masked and routed, then compared with what is known \
    of each in one transaction, which locks the group; one of ten begins to be known, and one of a \
    hundred begins a session, which is investigated meanwhile";

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Row> {
    output::step("alerts of a source, beside INSERT by plain SQL");
    let plain = Plain::connect(&stack.empty_database("plain_alerts").await?, SENDERS).await?;
    let http = reqwest::Client::builder().timeout(TIMEOUT).build()?;
    let url = format!("{}/api/v1/intake/prometheus", stack.url());
    let groups = size.of(40, 2);
    // A group of its own number, before the clock runs.
    send(&http, &url, &alert_group(groups, GROUP)).await?;
    let requests: Vec<Value> =
        (0..groups * REPEATS).map(|number| alert_group(number % groups, GROUP)).collect();

    let product = rate(requests.len() * GROUP, async |number| match requests.get(number) {
        Some(body) => send(&http, &url, body).await.map(|()| true),
        None => Ok(false),
    })
    .await?;
    idle(stack).await?;
    let row = requests.first().and_then(|body| body.pointer("/alerts/0"));
    let row = row.context("a request has alerts")?.to_string();
    let raw = rate(requests.len() * GROUP, async |number| {
        if number >= requests.len() * GROUP {
            return Ok(false);
        }
        plain.insert(&row).await.map(|()| true)
    })
    .await?;
    Ok(Row {
        path: "alerts: POST → kept, 9 of 10 repeats".to_owned(),
        product: Measure::Rate(product),
        raw: Some(("INSERT, one alert each", Measure::Rate(raw))),
        why: WHY.to_owned(),
        why_tail: String::new(),
    })
}

/// How many alerts a second are kept while [`SENDERS`] work off numbers until there is nothing left of them.
async fn rate(
    alerts: usize,
    work: impl AsyncFn(usize) -> anyhow::Result<bool>,
) -> anyhow::Result<f64> {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let sender = async || {
        while work(next.fetch_add(1, Ordering::Relaxed)).await? {}
        anyhow::Ok(())
    };
    try_join_all((0..SENDERS).map(|_| sender())).await?;
    Ok(f64::from(u32::try_from(alerts)?) / start.elapsed().as_secs_f64())
}

/// Sends a request until it is accepted, as sources do.
async fn send(http: &reqwest::Client, url: &str, body: &Value) -> anyhow::Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        let answer = http.post(url).bearer_auth(INTAKE_SECRET).json(body).send().await?;
        let status = answer.status();
        if status == 202 {
            return Ok(());
        }
        let text = answer.text().await.unwrap_or_default();
        anyhow::ensure!(status == 503 && Instant::now() < deadline, "{status}: {text}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Waits until the sessions that the alerts began are over: what is measured next has the machine to itself.
async fn idle(stack: &Stack) -> anyhow::Result<()> {
    stack
        .wait_until("the sessions are over", TIMEOUT, async |stack| {
            Ok(Seen::value(unfinished(stack).await?, Vec::is_empty))
        })
        .await
}
