//! An alert: from its submission until an orchestrator has claimed it, beside plain SQL.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::StreamExt as _;
use jiff::Timestamp;
use tarsy_bus::Subscription;
use tarsy_contracts::event::EventHead;
use tarsy_contracts::subject;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_e2e::{Plain, Stack};
use tarsy_store::Store;
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
const OVER: [&str; 4] = ["completed", "failed", "timed_out", "cancelled"];
const ALERT: &str = "The disk of db-1 is 97 % full since 02:10; nothing was deployed today.";

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Row> {
    output::step("submit → claimed, beside INSERT and claim by plain SQL");
    let plain = Plain::connect(&stack.empty_database("plain_queue").await?, 2).await?;
    let bus = connect(&stack.nats_url()).await?;
    let mut events = bus.subscribe(subject::EVENTS_ALL).await?;
    let store = Store::connect(&stack.database_url(), 1).await?;
    let (mut claimed, mut raw, mut parts) =
        (Samples::default(), Samples::default(), Parts::default());
    let start = Instant::now();
    let (warm_up, samples) = size.of((5, 120), (1, 3));
    for number in 0..warm_up + samples {
        let all = warm_up + samples;
        anyhow::ensure!(start.elapsed() < BUDGET, "{number} of {all} sessions in {BUDGET:?}");
        let Ok(taken) = timeout(TIMEOUT, session(stack, &mut events)).await else {
            return Err(in_vain(stack).await);
        };
        let taken = taken?;
        let begun = Instant::now();
        plain.insert_and_claim(ALERT).await?;
        let plainly = begun.elapsed();
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

/// Why a session did not end in time.
async fn in_vain(stack: &Stack) -> anyhow::Error {
    let left = unfinished(stack).await;
    let what = format!("waited {TIMEOUT:?} in vain until a session was over; last seen: {left:?}");
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
        let session = store.find_session(taken.id.parse()?).await?.context("no such session")?;
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
    id: String,
    submitted: Timestamp,
    notified: Timestamp,
    took: Duration,
}

/// Hands in an alert and sees its session out.
async fn session(stack: &Stack, events: &mut Subscription) -> anyhow::Result<Taken> {
    let alert = stack.alert("plain", ALERT)?;
    let (submitted, start) = (SystemClock.now(), Instant::now());
    // Only this one session runs: whatever is claimed is it.
    let watch = async {
        let (id, _, at) = status(events, &["in_progress"]).await?;
        let took = at.duration_since(start);
        let notified = submitted + took;
        // The end of a session of the part before may come late.
        let word = loop {
            let (ended, word, _) = status(events, &OVER).await?;
            if ended == id {
                break word;
            }
        };
        anyhow::ensure!(word == "completed", "the session ended as {word}");
        Ok(Taken { id, submitted, notified, took })
    };
    let (id, taken) = tokio::try_join!(stack.send(alert), watch)?;
    anyhow::ensure!(id == taken.id, "{} was claimed instead of {id}", taken.id);
    Ok(taken)
}

/// The next session that reports one of these, and when its report was here.
async fn status(
    events: &mut Subscription,
    words: &[&str],
) -> anyhow::Result<(String, String, Instant)> {
    loop {
        let event = events.next().await.context("the events ended")?;
        let at = Instant::now();
        let head: EventHead = serde_json::from_slice(&event.payload)?;
        if head.kind == "session.status"
            && let Some(status) = head.status
            && words.contains(&status.as_str())
        {
            return Ok((head.session_id.to_string(), status, at));
        }
    }
}
