//! An alert: from its submission until an orchestrator has claimed it, beside plain SQL.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::StreamExt as _;
use jiff::Timestamp;
use tarsy_bus::Subscription;
use tarsy_contracts::event::EventHead;
use tarsy_contracts::subject;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_e2e::{Plain, Stack};
use tarsy_store::Store;
use tarsy_testkit::{Seen, poll};
use tokio::time::timeout;

use crate::chunks::connect;
use crate::output;
use crate::samples::Samples;
use crate::size::Size;
use crate::table::{Measure, Row, millis};
use crate::unfinished::unfinished;

/// How long all of them may take.
const BUDGET: Duration = Duration::from_secs(75);
/// How long one session may take.
const TIMEOUT: Duration = Duration::from_secs(20);
/// How long the report of a claim may take.
const NOTICE: Duration = Duration::from_secs(10);
const INTERVAL: Duration = Duration::from_millis(5);
const ALERT: &str = "The disk of db-1 is 97 % full since 02:10; nothing was deployed today.";

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Row> {
    output::step("submit → claimed, beside INSERT and claim by plain SQL");
    let plain = Plain::connect(&stack.empty_database("plain_queue").await?, 2).await?;
    let bus = connect(&stack.nats_url()).await?;
    let mut events = bus.subscribe(subject::EVENTS_ALL).await?;
    let store = Store::connect(&stack.database_url(), 1).await?;
    let (mut claimed, mut raw, mut parts) =
        (Samples::default(), Samples::default(), Parts::default());
    let (start, mut unreported) = (Instant::now(), 0);
    let (warm_up, samples) = size.of((5, 120), (1, 3));
    for number in 0..warm_up + samples {
        let all = warm_up + samples;
        anyhow::ensure!(start.elapsed() < BUDGET, "{number} of {all} sessions in {BUDGET:?}");
        let taken = match session(stack, &store, &mut events).await {
            Ok(taken) => taken,
            Err(error) => return Err(with_logs(stack, &error).await),
        };
        let begun = Instant::now();
        plain.insert_and_claim(ALERT).await?;
        let plainly = begun.elapsed();
        let Some(taken) = taken else {
            unreported += 1;
            anyhow::ensure!(
                unreported <= samples / 10 + 1,
                "{unreported} claims were not reported"
            );
            continue;
        };
        if number >= warm_up {
            raw.push(plainly);
            parts.note(&store, &taken).await?;
            claimed.push(taken.took);
        }
    }
    store.close();
    output::step(&parts.text());
    Ok(Row {
        path: "alert: POST → claimed, event received".to_owned(),
        why: parts.text(),
        why_tail: "wake-up, event and both transactions wait for the same disk and the same cores"
            .to_owned(),
        product: Measure::Latency(claimed),
        raw: Some(("INSERT, then claim", Measure::Latency(raw))),
    })
}

/// An error with the sessions that are left and the ends of the logs.
async fn with_logs(stack: &Stack, error: &anyhow::Error) -> anyhow::Error {
    let left = unfinished(stack).await;
    let what = format!("{error:#}; sessions that are not over: {left:?}");
    anyhow::anyhow!("the logs end so:\n{}", stack.logs()).context(what)
}

/// Where the time went.
#[derive(Debug, Default)]
struct Parts {
    before: Samples,
    waiting: Samples,
    claiming: Samples,
}

impl Parts {
    /// Takes the times from the session's row; the clock is the same machine's.
    async fn note(&mut self, store: &Store, taken: &Taken) -> anyhow::Result<()> {
        let session = store.find_session(taken.session).await?.context("no such session")?;
        let started = session.started_at.context("it was never started")?;
        let between = |from: Timestamp, to: Timestamp| {
            Duration::try_from(to.duration_since(from)).unwrap_or_default()
        };
        self.before.push(between(taken.submitted, session.created_at));
        self.waiting.push(between(session.created_at, started));
        self.claiming.push(between(started, taken.notified));
        Ok(())
    }

    fn text(&self) -> String {
        let [before, waiting, claiming] =
            [&self.before, &self.waiting, &self.claiming].map(|part| millis(part.percentile(50)));
        format!(
            "three processes instead of one, and work that survives the death of any: {before} ms until \
             the insert begins (HTTP, validation, masking, quotas), {waiting} ms until the claim begins (three \
             rows synced, the wake-up stored in memory and delivered), {claiming} ms until its event \
             is here (a claim under the cluster's cap, synced with its event; publication). All p50"
        )
    }
}

/// A session that was claimed.
#[derive(Debug)]
struct Taken {
    session: SessionId,
    submitted: Timestamp,
    notified: Timestamp,
    took: Duration,
}

/// Hands in an alert and sees its session out; none if the report of its claim did not come, because NATS delivers reports
/// at most once.
async fn session(
    stack: &Stack,
    store: &Store,
    events: &mut Subscription,
) -> anyhow::Result<Option<Taken>> {
    let alert = stack.alert("plain", ALERT)?;
    let (submitted, start) = (SystemClock.now(), Instant::now());
    let mut claims = Vec::new();
    let mut send = std::pin::pin!(stack.send(alert));
    let id = loop {
        tokio::select! {
            id = &mut send => break id?.parse::<SessionId>()?,
            claim = claim(events) => claims.push(claim?),
        }
    };
    let mut at = claims.into_iter().find(|(of, _)| *of == id).map(|(_, at)| at);
    if at.is_none() {
        at = timeout(NOTICE, claim_of(id, events)).await.ok().transpose()?;
    }
    let over = async || {
        let session = store.find_session(id).await?.context("no such session")?;
        Ok(Seen::value(session.status, |status| status.is_terminal()))
    };
    poll("a session is over", TIMEOUT, INTERVAL, over).await.map_err(anyhow::Error::msg)?;
    let status = store.find_session(id).await?.context("no such session")?.status;
    anyhow::ensure!(status == SessionStatus::Completed, "the session ended as {status:?}");
    Ok(at.map(|at| {
        let took = at.duration_since(start);
        Taken { session: id, notified: submitted + took, submitted, took }
    }))
}

/// When the report that a session is claimed was here.
async fn claim_of(id: SessionId, events: &mut Subscription) -> anyhow::Result<Instant> {
    loop {
        let (of, at) = claim(events).await?;
        if of == id {
            return Ok(at);
        }
    }
}

/// The next session that is reported as claimed, and when its report was here.
async fn claim(events: &mut Subscription) -> anyhow::Result<(SessionId, Instant)> {
    loop {
        let event = events.next().await.context("the events ended")?;
        let at = Instant::now();
        let head: EventHead = serde_json::from_slice(&event.payload)?;
        if head.kind == "session.status" && head.status.as_deref() == Some("in_progress") {
            return Ok((head.session_id, at));
        }
    }
}
