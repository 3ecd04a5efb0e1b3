//! Ten thousand alerts, most of them repeats, while NATS and an API gateway are restarted.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context as _;
use futures::future::try_join_all;
use sqlx::Row as _;
use tarsy_e2e::model::usual;
use tarsy_e2e::monitoring::alert_group;
use tarsy_e2e::{Answer, Asked, INTAKE_SECRET, Llm, Script, Stack, StackOptions, sample};
use tarsy_testkit::Seen;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep};

/// Alerts of a group; a request carries one group, as those of Alertmanager do.
const GROUP: usize = 10;
const GROUPS: usize = 100;
/// How often each group is sent: the first time is news, the others are repeats.
const REPEATS: usize = 10;
/// Requests at a time.
const SENDERS: usize = 8;
/// The pause of a sender that was refused, or whose connection broke.
const PAUSE: Duration = Duration::from_millis(200);
const TIMEOUT: Duration = Duration::from_mins(4);
/// What a process may grow by while it receives the second half of the alerts, in KiB: allocators and pools.
const GROWTH: u64 = 48 * 1024;
const SOURCES: &str = "  sources:\n    prometheus:\n      kind: alertmanager\n      verification: bearer\n      \
     secret_env: INTAKE_SECRET\n      alert_type: plain\n";

fn play(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| Answer::text("The disk is full."))
}

/// The requests that are still to be sent, and what came back.
struct Senders {
    http: reqwest::Client,
    entrances: Vec<String>,
    waiting: Mutex<Vec<usize>>,
    accepted: watch::Sender<usize>,
    /// The answers that were no 2xx, by status.
    refused: Mutex<BTreeMap<u16, usize>>,
}

impl Senders {
    fn new(stack: &Stack) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().timeout(Duration::from_secs(20)).build()?;
        Ok(Self {
            http,
            entrances: stack.entrances().to_vec(),
            waiting: Mutex::new((0..GROUPS * REPEATS).map(|request| request % GROUPS).collect()),
            accepted: watch::Sender::new(0),
            refused: Mutex::default(),
        })
    }

    /// Sends requests until there are no more. Each is sent again until it is accepted, as alert sources do.
    async fn send(&self, sender: usize) -> anyhow::Result<()> {
        let mut attempt = sender;
        while let Some(group) = self.take().await {
            let deadline = Instant::now() + TIMEOUT;
            while !self.is_accepted(group, attempt).await? {
                anyhow::ensure!(Instant::now() < deadline, "group {group} is not accepted");
                attempt += 1;
                sleep(PAUSE).await;
            }
            self.accepted.send_modify(|accepted| *accepted += 1);
            attempt += 1;
        }
        Ok(())
    }

    async fn take(&self) -> Option<usize> {
        self.waiting.lock().await.pop()
    }

    async fn is_accepted(&self, group: usize, attempt: usize) -> anyhow::Result<bool> {
        let entrance = &self.entrances[attempt % self.entrances.len()];
        let request = self.http.post(format!("{entrance}/api/v1/intake/prometheus"));
        // A gateway that is being restarted answers nothing.
        let Ok(answer) =
            request.bearer_auth(INTAKE_SECRET).json(&alert_group(group, GROUP)).send().await
        else {
            return Ok(false);
        };
        let status = answer.status();
        if status.is_success() {
            return Ok(true);
        }
        let waits = answer.headers().contains_key("retry-after");
        *self.refused.lock().await.entry(status.as_u16()).or_default() += 1;
        let body = answer.text().await.unwrap_or_default();
        anyhow::ensure!(status == 503 && waits, "{status}, Retry-After: {waits}: {body}");
        Ok(false)
    }

    /// Waits until so many requests were accepted.
    async fn accepted(&self, many: usize) -> anyhow::Result<()> {
        let mut accepted = self.accepted.subscribe();
        let wait = accepted.wait_for(|accepted| *accepted >= many);
        tokio::time::timeout(TIMEOUT, wait).await.context("the senders are stuck")??;
        Ok(())
    }
}

/// The memory of the gateway that is never restarted, in KiB.
fn memory(stack: &Stack) -> anyhow::Result<u64> {
    let pids = stack.pids();
    let gateway = pids.iter().find(|(name, _)| name == "api-gateway");
    let (_, pid) = gateway.context("no api-gateway runs")?;
    Ok(sample(*pid)?.context("the api-gateway has ended")?.memory_kib)
}

/// Restarts NATS, then the second gateway, each when a quarter more of the requests is accepted; returns the memory of
/// the first gateway in the middle and at the end.
async fn disturb(stack: &mut Stack, senders: &Senders) -> anyhow::Result<(u64, u64)> {
    let quarter = GROUPS * REPEATS / 4;
    senders.accepted(quarter).await?;
    stack.nats().kill().await;
    senders.accepted(quarter + quarter / 4).await?;
    stack.nats().launch().await?;
    senders.accepted(quarter * 2).await?;
    let middle = memory(stack)?;
    stack.kill("api-gateway-2").await?;
    senders.accepted(quarter * 2 + quarter / 4).await?;
    stack.launch("api-gateway-2").await?;
    senders.accepted(quarter * 4).await?;
    Ok((middle, memory(stack)?))
}

#[tokio::test]
async fn ten_thousand_alerts_pass_restarts_of_nats_and_of_a_gateway() -> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        intake: SOURCES,
        api_gateways: 2,
        workers: 8,
        ..StackOptions::default()
    })
    .await?;
    let senders = Senders::new(&stack)?;
    let send = try_join_all((0..SENDERS).map(|sender| senders.send(sender)));
    let (_, (middle, end)) = tokio::try_join!(send, disturb(&mut stack, &senders))?;
    let refused = senders.refused.lock().await.clone();
    assert!(end < middle + GROWTH, "{middle} KiB, then {end} KiB; refused {refused:?}");

    // Alerts that were queued while something was away are stored once it is back.
    stack
        .wait_until("every alert is stored", TIMEOUT, async |stack| {
            let stored = sqlx::query_scalar::<_, i64>(
                "select count(distinct fingerprint) from intake_alerts where session_id is not null",
            );
            let stored = stored.fetch_one(&mut stack.sql().await?).await?;
            Ok(Seen::equal(stored, i64::try_from(GROUPS * GROUP)?))
        })
        .await?;
    // Each alert of each accepted request was decided about. One whose answer was lost was sent again.
    let decided: i64 = sqlx::query_scalar("select sum(1 + repeats)::bigint from intake_alerts")
        .fetch_one(&mut stack.sql().await?)
        .await?;
    assert!(decided >= i64::try_from(GROUPS * GROUP * REPEATS)?, "only {decided} alerts are kept");
    let rows = sqlx::query(
        "select fingerprint, session_id::text, action, reason from intake_alerts order by seq",
    )
    .fetch_all(&mut stack.sql().await?)
    .await?;
    let mut sessions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in &rows {
        let (fingerprint, session): (String, String) = (row.get(0), row.get(1));
        let (action, reason): (String, String) = (row.get(2), row.get(3));
        assert!(!action.is_empty() && !reason.is_empty(), "{fingerprint} has no reason");
        sessions.entry(fingerprint[..4].to_owned()).or_default().insert(session);
    }
    assert_eq!(sessions.len(), GROUPS);
    let split: Vec<_> = sessions.iter().filter(|(_, sessions)| sessions.len() != 1).collect();
    assert!(split.is_empty(), "groups with more than one session: {split:?}");
    let all: BTreeSet<_> = sessions.values().flatten().collect();
    let counted: i64 = sqlx::query_scalar("select count(*) from alert_sessions")
        .fetch_one(&mut stack.sql().await?)
        .await?;
    assert_eq!((all.len(), counted), (GROUPS, i64::try_from(GROUPS)?));
    Ok(())
}
