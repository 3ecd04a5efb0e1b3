//! The promise: one message for each end, whatever breaks.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_domain::status::SessionStatus;

use crate::slack::{Mood, Moods, Slack, session_of};
use crate::stack::{Alert, Stack};

const SESSIONS: usize = 25;

/// A Slack that fails a third of the time, in all its ways; the same ways in each run of a seed.
fn moody(seed: u64) -> Moods {
    let mut state = seed;
    Box::new(move |method| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let posts = method == "chat.postMessage";
        match state % 100 {
            0..10 => Mood::Limited,
            10..16 => Mood::Broken,
            16..24 if posts => Mood::BrokenAfter,
            24..30 if posts => Mood::HangsAfter,
            30..32 => Mood::Hangs,
            32..34 => Mood::Refuses("internal_error"),
            _ => Mood::Well,
        }
    })
}

/// A destination waits for its answers one by one: four of them take a quarter of the time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ends_are_posted_once_each_through_failures_and_kills() {
    are_posted_once_each(0x2545_f491_4f6c_dd1d).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_ends_are_posted_once_each_through_other_failures_and_kills() {
    are_posted_once_each(0x9e37_79b9_7f4a_7c15).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_third_set_of_ends_is_posted_once_each_through_failures_and_kills() {
    are_posted_once_each(0xd1b5_4a32_d192_ed03).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fourth_set_of_ends_is_posted_once_each_through_failures_and_kills() {
    are_posted_once_each(0x8cb9_2ba7_2f3d_8dd7).await;
}

async fn are_posted_once_each(seed: u64) {
    let slack = Slack::with(moody(seed)).await;
    let fixture = Stack::with_channel(&slack).await;
    let mut notifier = fixture.notifier().await;

    let mut threads: BTreeMap<String, Option<String>> = BTreeMap::new();
    for number in 0..SESSIONS {
        // Every second session comes from a message in the channel, among other messages.
        let fingerprint = format!("alert number {number} fired");
        let threaded = number % 2 == 0;
        let root = threaded.then(|| {
            slack.somebody_writes(&json!({ "text": "good morning" }));
            let text = format!("ALERT  Number {number}\nfired");
            slack.somebody_writes(&json!({ "text": "", "attachments": [{ "fallback": text }] }))
        });
        let status = match number % 3 {
            0 => SessionStatus::Completed,
            1 => SessionStatus::Failed,
            _ => SessionStatus::TimedOut,
        };
        let fingerprint = threaded.then_some(fingerprint.as_str());
        let claim = fixture.running(Alert { fingerprint, ..Alert::default() }).await;
        // The event of every tenth end is lost: the sweep finds the session.
        if number % 10 == 9 {
            fixture.end_unpublished(&claim, status, "the disk was full").await;
        } else {
            fixture.end(&claim, status, "the disk was full").await;
        }
        threads.insert(claim.session.id.to_string(), root);
    }

    let ends = async || fixture.count(ENDS).await;
    for enough in [3, 9, 16] {
        fixture.within(LONG, "some ends are told", async || ends().await >= enough).await;
        notifier.kill().await;
        notifier = fixture.notifier().await;
    }
    let all = i64::try_from(SESSIONS).unwrap();
    fixture.within(LONG, "all ends are told", async || ends().await == all).await;
    notifier.stop(Duration::from_secs(30)).await;

    let posted = slack.posted();
    let ended: Vec<&Value> = posted.iter().filter(|one| !starts(one)).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for message in &ended {
        *counts.entry(session_of(message)).or_default() += 1;
    }
    let twice: Vec<_> = counts.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "posted more than once: {twice:?}");
    assert_eq!(counts.len(), SESSIONS);
    for message in &posted {
        let root = &threads[&session_of(message)];
        assert_eq!(message["thread_ts"].as_str(), root.as_deref(), "{message}");
    }
    // What Slack calls a message is what the row says, so that people can look it up.
    let names: Vec<String> = sqlx::query_scalar(NAMES).fetch_all(&fixture.raw).await.unwrap();
    let mut real: Vec<&str> = ended.iter().map(|one| one["ts"].as_str().unwrap()).collect();
    real.sort_unstable();
    assert_eq!(names, real);
    assert_eq!(fixture.count("select count(*) from dead_letters").await, 0);
    let starts_twice = posted.iter().filter(|one| starts(one)).map(session_of).collect::<Vec<_>>();
    let distinct: std::collections::BTreeSet<_> = starts_twice.iter().collect();
    assert_eq!(distinct.len(), starts_twice.len(), "a start was told more than once");
}

/// How long the messages through all that may take on a busy machine.
const LONG: Duration = Duration::from_mins(5);
const ENDS: &str = "select count(*) from notifications where kind = 'ended' and status = 'sent'";
const NAMES: &str =
    "select external_ref from notifications where kind = 'ended' order by external_ref";

fn starts(message: &Value) -> bool {
    message["text"].as_str().unwrap().starts_with("Investigation started")
}
