//! What an answer of the API promises: an accepted cancel wins, an accepted alert is investigated and a refused one is
//! not, and reads that their clients give up do not disturb others.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::{join, join_all, try_join_all};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use rand::Rng as _;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Backend, Links, Llm, Script, Stack, StackOptions};
use tarsy_testkit::Seen;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

const TIMEOUT: Duration = Duration::from_mins(4);
const CANCELS: usize = 120;
const ABORTED: usize = 320;
/// What the network between the services and the database adds, in each direction.
const LATENCY: Duration = Duration::from_millis(5);
/// Sessions at a time.
const CONCURRENT: usize = 40;
/// Readers at a time. Each connection that is given up is opened anew, which takes a debug build much of a processor: forty
/// readers beside other tests wait longer than the 3 s after which a read is refused, as it should be.
const READERS: usize = 16;
const OUTAGES: usize = 3;
/// Sources that submit alerts at the same time.
const SOURCES: usize = 4;
/// The pause of an alert source between two alerts.
const PAUSE: Duration = Duration::from_millis(250);

fn play(asked: &Asked) -> Answer {
    usual(asked).unwrap_or_else(|| Answer::text("The disk is full."))
}

async fn far_from_the_database() -> anyhow::Result<Stack> {
    let stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        links: Links::Lossy,
        workers: 40,
        ..StackOptions::default()
    })
    .await?;
    stack.delay(Backend::Postgres, LATENCY);
    Ok(stack)
}

fn text(row: &Value, key: &str) -> anyhow::Result<String> {
    let text = row.get(key).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {key}: {row}"))?.to_owned())
}

/// The status in which a session ended.
async fn end_of(stack: &Stack, session: &str) -> anyhow::Result<String> {
    let status = async || -> anyhow::Result<String> {
        let row = stack.get(&format!("/api/v1/sessions/{session}/status")).await?;
        text(&row, "status")
    };
    stack
        .wait_until(&format!("{session} ends"), TIMEOUT, async |_| {
            let goes_on = |status: &str| ["pending", "in_progress", "cancelling"].contains(&status);
            Ok(Seen::value(status().await?, |status| !goes_on(status)))
        })
        .await?;
    status().await
}

/// Submits an alert and cancels it at a random moment of its life; the status of the answer and that of the session.
async fn cancelled_at_random(stack: &Stack, life: Duration) -> anyhow::Result<(u16, String)> {
    let session = stack.submit("plain", "the disk is full").await?;
    // The moment is the input of this test.
    sleep(life.mul_f64(rand::rng().random_range(0.0..1.2))).await;
    let path = format!("/api/v1/sessions/{session}/cancel");
    let (answer, _) = stack.post(&path, &json!({})).await?;
    Ok((answer, end_of(stack, &session).await?))
}

#[tokio::test]
async fn an_accepted_cancel_never_ends_as_completed() -> anyhow::Result<()> {
    let stack = far_from_the_database().await?;
    // The first session of a product waits for a library of the model's vendor: that is no part of a usual life.
    let first = stack.submit("plain", "the disk is full").await?;
    assert_eq!(end_of(&stack, &first).await?, "completed");
    let begun = Instant::now();
    let undisturbed = (0..CONCURRENT).map(async |_| {
        let session = stack.submit("plain", "the disk is full").await?;
        anyhow::ensure!(end_of(&stack, &session).await? == "completed");
        anyhow::Ok(begun.elapsed())
    });
    let mut lives = try_join_all(undisturbed).await?;
    lives.sort_unstable();
    // The median: half of the sessions end within the moments that are tried. The longest of twenty that began at once waited
    // for the others.
    let life = lives.get(lives.len() / 2).copied().unwrap_or_default();
    let mut ends: BTreeMap<(u16, String), usize> = BTreeMap::new();
    let cancelled = stream::iter(0..CANCELS).map(async |_| cancelled_at_random(&stack, life).await);
    // The next one begins when one has ended: nobody waits for the slowest of a round.
    let mut cancelled = pin!(cancelled.buffer_unordered(CONCURRENT));
    while let Some(end) = cancelled.try_next().await? {
        *ends.entry(end).or_default() += 1;
    }
    let expected = |(answer, end): &(u16, String)| {
        matches!((*answer, end.as_str()), (200, "cancelled") | (409, "completed"))
    };
    assert!(ends.keys().all(expected), "{ends:?}");
    assert_eq!(ends.values().sum::<usize>(), CANCELS);
    assert!(ends.contains_key(&(200, "cancelled".to_owned())), "{ends:?}");
    Ok(())
}

/// What a source of alerts was answered.
#[derive(Debug, Default)]
struct Answers {
    /// The ids of what was accepted, by the text of the alert.
    accepted: BTreeMap<String, BTreeSet<String>>,
    refused: BTreeSet<String>,
    /// The source does not know what became of these.
    unknown: BTreeSet<String>,
}

impl Answers {
    fn add(&mut self, alert: &str, answer: anyhow::Result<(u16, Value)>) {
        match answer {
            Ok((202, body)) => {
                let id = text(&body, "session_id").unwrap_or_default();
                self.accepted.entry(alert.to_owned()).or_default().insert(id);
            }
            Ok((503, _)) => drop(self.refused.insert(alert.to_owned())),
            Ok(_) | Err(_) => drop(self.unknown.insert(alert.to_owned())),
        }
    }

    fn join(mut self, other: Self) -> Self {
        for (alert, ids) in other.accepted {
            self.accepted.entry(alert).or_default().extend(ids);
        }
        self.refused.extend(other.refused);
        self.unknown.extend(other.unknown);
        self
    }
}

/// Submits alerts until told to stop, each twice at once with the same key.
async fn submits(url: &str, source: usize, stop: watch::Receiver<bool>) -> Answers {
    let http = reqwest::Client::new();
    let mut answers = Answers::default();
    for number in 0.. {
        if *stop.borrow() {
            break;
        }
        let alert = format!("alert-{number}-of-source-{source}");
        let submit = async || -> anyhow::Result<(u16, Value)> {
            let request = http.post(format!("{url}/api/v1/alerts"));
            let request = request.json(&json!({"alert_type": "plain", "data": alert}));
            let answer = request.header("Idempotency-Key", &alert).send().await?;
            Ok((answer.status().as_u16(), answer.json().await?))
        };
        let (one, other) = join(submit(), submit()).await;
        answers.add(&alert, one);
        answers.add(&alert, other);
        sleep(PAUSE).await;
    }
    answers
}

/// Takes PostgreSQL and NATS away, kills the API gateway meanwhile, and brings all of them back, NATS last.
async fn outage(stack: &mut Stack) -> anyhow::Result<()> {
    stack.postgres().stop().await;
    stack.nats().stop().await;
    // The outage itself: some alerts of each source are sent meanwhile.
    sleep(PAUSE * 8).await;
    stack.kill("api-gateway").await?;
    stack.postgres().launch().await?;
    stack.launch("api-gateway").await?;
    sleep(PAUSE * 4).await;
    stack.nats().launch().await?;
    stack.is_ready(TIMEOUT).await?;
    sleep(PAUSE * 4).await;
    Ok(())
}

/// The session of an id that was returned: an alert that was queued while PostgreSQL was away is stored afterwards, and
/// may turn out to have the key of an earlier one.
async fn session_of(stack: &Stack, id: &str) -> anyhow::Result<String> {
    let path = format!("/api/v1/sessions/{id}");
    stack
        .wait_until(&format!("{id} is found"), TIMEOUT, async |stack| {
            stack.get(&path).await.map(|_| true)
        })
        .await?;
    text(&stack.get(&path).await?, "id")
}

async fn outages(stack: &mut Stack) -> anyhow::Result<()> {
    for _ in 0..OUTAGES {
        outage(stack).await?;
    }
    Ok(())
}

async fn sessions_of(stack: &Stack, alert: &str) -> anyhow::Result<i64> {
    let count = sqlx::query_scalar("select count(*) from alert_sessions where alert_data = $1");
    Ok(count.bind(alert).fetch_one(&mut stack.sql().await?).await?)
}

#[tokio::test]
async fn what_was_accepted_is_investigated_and_what_was_refused_is_not() -> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        workers: 10,
        ..StackOptions::default()
    })
    .await?;
    let (stop, stopped) = watch::channel(false);
    let url = stack.url().to_owned();
    let sources = (0..SOURCES).map(|source| submits(&url, source, stopped.clone()));
    let outages = async {
        let all = outages(&mut stack).await;
        stop.send_replace(true);
        all
    };
    let (answers, outages) = join(join_all(sources), outages).await;
    outages?;
    let answers = answers.into_iter().fold(Answers::default(), Answers::join);
    assert!(!answers.accepted.is_empty() && !answers.refused.is_empty(), "{answers:?}");
    for (alert, ids) in &answers.accepted {
        for id in ids {
            let end = end_of(&stack, &session_of(&stack, id).await?).await?;
            assert_eq!(end, "completed", "{alert}");
        }
        assert_eq!(sessions_of(&stack, alert).await?, 1, "{alert}");
    }
    for alert in &answers.refused {
        if !answers.accepted.contains_key(alert) && !answers.unknown.contains(alert) {
            assert_eq!(sessions_of(&stack, alert).await?, 0, "{alert} was refused");
        }
    }
    Ok(())
}

#[tokio::test]
async fn reads_that_clients_give_up_do_not_disturb_others() -> anyhow::Result<()> {
    let stack = far_from_the_database().await?;
    let session = stack.submit("plain", "the disk is full").await?;
    assert_eq!(end_of(&stack, &session).await?, "completed");
    let url = format!("{}/api/v1/sessions/{session}", stack.url());
    let http = reqwest::Client::new();
    let begun = Instant::now();
    assert_eq!(http.get(&url).send().await?.status(), 200);
    let duration = begun.elapsed();
    let reads = (0..READERS).map(async |_| {
        for _ in 0..ABORTED / READERS {
            let aborted = duration.mul_f64(rand::rng().random_range(0.0..1.0));
            // A client of its own: dropping it closes the connection.
            let client = reqwest::Client::new();
            drop(timeout(aborted, client.get(&url).send()).await);
            drop(client);
            let answer = http.get(&url).send().await?;
            anyhow::ensure!(answer.status() == 200, "{}", answer.text().await?);
        }
        Ok(())
    });
    join_all(reads).await.into_iter().collect()
}
