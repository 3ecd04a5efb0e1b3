//! What a channel reads, and where.

use serde_json::json;
use tarsy_contracts::status::{Instance, Warning};
use tarsy_contracts::topology;
use tarsy_domain::status::SessionStatus;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::slack::{CHANNEL, Mood, Slack, session_of};
use crate::stack::{Alert, Stack};

#[tokio::test]
async fn a_start_and_an_end_are_posted_in_the_thread_of_the_alert() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let notifier = fixture.notifier().await;
    let root = slack.somebody_writes(&json!({ "text": "FIRING: disk &lt;full&gt;  on web-1" }));
    for _ in 0..50 {
        slack.somebody_writes(&json!({ "text": "lunch?" }));
    }
    let fingerprint = Some("firing: Disk <full> on web-1");
    let claim = fixture.running(Alert { fingerprint, ..Alert::default() }).await;
    fixture.until("the start is told", async || slack.posted().len() == 1).await;
    fixture.end(&claim, SessionStatus::Completed, "The *disk* <!channel> was full").await;
    fixture.until("the end is told", async || slack.posted().len() == 2).await;

    let posted = slack.posted();
    assert!(posted.iter().all(|one| one["thread_ts"] == root.as_str()), "{posted:#?}");
    assert!(posted[0]["text"].as_str().unwrap().starts_with("Investigation started"));
    let end = posted[1]["blocks"].to_string();
    for block in
        posted[1]["blocks"].as_array().unwrap().iter().filter(|one| one["text"].is_object())
    {
        assert_eq!(block["text"]["verbatim"], true, "Slack reads nothing into a text: {block}");
    }
    assert!(end.contains(":white_check_mark: *Investigation complete*"), "{end}");
    assert!(end.contains("The _disk_ &lt;!channel&gt; was full"), "{end}");
    let link = format!("<https://tarsy.example/sessions/{}|Open the session>", claim.session.id);
    assert!(end.contains(&link), "{end}");
    assert!(!fixture.log().contains("xoxb-"), "{}", fixture.log());
    drop(notifier);
}

#[tokio::test]
async fn without_a_fingerprint_only_the_end_is_posted_and_long_texts_are_truncated() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    let claim = fixture.running(Alert::default()).await;
    // The start of a session that has ended is nothing to be told any more, and has no row.
    fixture.until("its start is skipped", async || fixture.count(SKIPPED_STARTS).await == 1).await;
    let long = "<&".repeat(10_000);
    fixture.end(&claim, SessionStatus::Completed, &long).await;
    fixture.until("the end is told", async || !slack.posted().is_empty()).await;
    let unheard = Alert { fingerprint: Some("nobody wrote this"), ..Alert::default() };
    fixture.ended(unheard, SessionStatus::Failed).await;
    // Whether this one's start is posted before its end is a matter of time; the end comes last.
    let last_blocks = || slack.posted().last().unwrap()["blocks"].to_string();
    fixture
        .until("both ends are posted", async || last_blocks().contains("The model went away"))
        .await;

    let posted = slack.posted();
    assert_eq!(session_of(&posted[0]), claim.session.id.to_string());
    assert!(posted.iter().all(|one| one.get("thread_ts").is_none()), "{posted:#?}");
    for block in posted[0]["blocks"].as_array().unwrap() {
        let length = block["text"]["text"].as_str().unwrap_or_default().chars().count();
        assert!(length <= 2_900, "{length}");
    }
    let cut = posted[0]["blocks"][1]["text"]["text"].as_str().unwrap();
    assert!(cut.ends_with("… (more in the session)"), "{cut}");
    assert!(!cut.contains('<'), "{cut}");
    let failed = last_blocks();
    let error = "*Error:* Provider google failed: The model went away. Correct the key of";
    assert!(failed.contains(error) && failed.contains("operating#keys-of-models"), "{failed}");
    assert!(failed.contains("The whole analysis"), "{failed}");
    fixture.week("2026-W09", &["slack"]).await;
    fixture.until("the week is posted", async || last_blocks().contains("2026-W09")).await;
    let week = last_blocks();
    for part in [
        "*Prevention* · what came again in 2026-W09",
        "*Sessions:* 12, 3 in the week before",
        "4 not understood, 0 refused",
        "<https://tarsy.example/prevention?week=2026-W09|Open the week>",
    ] {
        assert!(week.contains(part), "{part} is missing in {week}");
    }
    let kept = "select count(*) from weekly_messages where found is not null";
    fixture.until("its texts are deleted", async || fixture.count(kept).await == 0).await;
    assert_eq!(fixture.count(SKIPPED_STARTS).await, 1);
}

/// The first session had no fingerprint; whether the second one's start was told is a matter of time.
const SKIPPED_STARTS: &str = "select count(*) from notifications n
    join alert_sessions s on s.id = n.session_id
    where n.kind = 'started' and n.status = 'skipped' and s.slack_message_fingerprint is null";

#[tokio::test]
async fn an_end_whose_thread_is_locked_goes_into_the_channel() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let root = slack.somebody_writes(&json!({ "text": "disk full on web-1" }));
    let _notifier = fixture.notifier().await;
    let fingerprint = Some("disk full on web-1");
    let claim = fixture.running(Alert { fingerprint, ..Alert::default() }).await;
    fixture.until("the start is told", async || slack.posted().len() == 1).await;
    slack.somebody_locks(&root);
    fixture.end(&claim, SessionStatus::Completed, "the disk was full").await;
    fixture.until("the end is told", async || slack.posted().len() == 2).await;
    let posted = slack.posted();
    assert_eq!(posted[0]["thread_ts"], root.as_str());
    assert!(posted[1].get("thread_ts").is_none(), "{posted:#?}");
    assert!(
        posted[1]["text"].as_str().unwrap().starts_with("Investigation complete"),
        "{posted:#?}"
    );
}

#[tokio::test]
async fn a_start_is_not_posted_when_the_session_ends_before_it_could_be() {
    // Slack does not answer until the session has ended.
    let (asked, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (noted, known) = (Arc::clone(&asked), Arc::clone(&over));
    let slack = Slack::with(Box::new(move |_| {
        noted.store(true, Ordering::SeqCst);
        if known.load(Ordering::SeqCst) { Mood::Well } else { Mood::Hangs }
    }))
    .await;
    let fixture = Stack::with_channel(&slack).await;
    let root = slack.somebody_writes(&json!({ "text": "disk full on web-1" }));
    let _notifier = fixture.notifier().await;
    let fingerprint = Some("disk full on web-1");
    let claim = fixture.running(Alert { fingerprint, ..Alert::default() }).await;
    fixture.until("its thread is looked for", async || asked.load(Ordering::SeqCst)).await;
    fixture.end(&claim, SessionStatus::Completed, "the disk was full").await;
    over.store(true, Ordering::SeqCst);
    fixture.until("the end is told", async || !slack.posted().is_empty()).await;

    let posted = slack.posted();
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert!(
        posted[0]["text"].as_str().unwrap().starts_with("Investigation complete"),
        "{posted:#?}"
    );
    assert_eq!(posted[0]["thread_ts"], root.as_str());
    let skipped =
        "select count(*) from notifications where kind = 'started' and status = 'skipped'";
    assert_eq!(fixture.count(skipped).await, 1);
}

#[tokio::test]
async fn a_post_that_slack_carries_out_late_is_found_and_not_sent_again() {
    let first = AtomicBool::new(true);
    let slack = Slack::with(Box::new(move |method| {
        let late = method == "chat.postMessage" && first.swap(false, Ordering::SeqCst);
        if late { Mood::Late } else { Mood::Well }
    }))
    .await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    let id = fixture.ended(Alert::default(), SessionStatus::Completed).await;
    let sent = "select count(*) from notifications where kind = 'ended' and status = 'sent'";
    fixture.until("its end is sent", async || fixture.count(sent).await == 1).await;
    fixture.until("the late post is there", async || slack.carried_out_late() == 1).await;
    let posted = slack.posted();
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!(session_of(&posted[0]), id.to_string());
}

#[tokio::test]
async fn a_bot_that_may_not_read_the_channel_posts_and_warns_once() {
    let slack = Slack::with(Box::new(|method| match method {
        "chat.postMessage" => Mood::Well,
        _ => Mood::Refuses("missing_scope"),
    }))
    .await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    for count in 1..=2 {
        let fingerprint = Some("disk full on web-1");
        let alert = Alert { fingerprint, ..Alert::default() };
        fixture.ended(alert, SessionStatus::Completed).await;
        let ends = || {
            let posted = slack.posted();
            posted.iter().filter(|one| one["text"].to_string().contains("complete")).count()
        };
        fixture.until("its end is posted", async || ends() == count).await;
    }
    let warnings = fixture.log().matches("the bot may not read the channel").count();
    assert_eq!(warnings, 1, "{}", fixture.log());
    assert!(fixture.log().contains("channels:history"), "the warning names the scope");
}

#[tokio::test]
async fn a_notifier_is_among_the_instances() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    let instances = async || {
        let bucket = fixture.bus.kv(&topology::INSTANCES);
        bucket.entries::<Instance>().await.unwrap_or_default()
    };
    let is_there = async || instances().await.iter().any(|one| one.service == "notifier");
    fixture.until("it has written its heartbeat", is_there).await;
    let all = instances().await;
    assert_eq!(all[0].instance, "notifier-1");
    assert!(!all[0].config_hash.is_empty(), "its configuration is compared with the others'");
}

#[tokio::test]
async fn what_slack_refuses_as_such_is_a_dead_letter_and_a_warning() {
    let slack = Slack::with(Box::new(|_| Mood::Refuses("invalid_blocks"))).await;
    let fixture = Stack::with_channel(&slack).await;
    let _notifier = fixture.notifier().await;
    let id = fixture.ended(Alert::default(), SessionStatus::Completed).await;
    fixture
        .until("it is given up", async || {
            !fixture.store.list_dead_letters(10).await.unwrap().is_empty()
        })
        .await;
    let letter = fixture.store.list_dead_letters(10).await.unwrap().remove(0);
    assert_eq!(
        (letter.subject.as_str(), letter.error.as_str()),
        ("notification.slack", "invalid_blocks")
    );
    assert!(String::from_utf8(letter.payload).unwrap().contains(&id.to_string()));
    let warning = || async {
        let bucket = fixture.bus.kv(&topology::WARNINGS);
        bucket.get::<Warning>("notifications.slack").await.unwrap()
    };
    fixture.until("there is a warning", async || warning().await.is_some()).await;
    assert_eq!(warning().await.unwrap().details, "invalid_blocks");
    assert_eq!(
        fixture.count("select count(*) from notifications where status = 'failed'").await,
        1
    );
}

#[tokio::test]
async fn a_session_that_ended_before_a_destination_was_known_is_none_of_its_business() {
    let slack = Slack::start().await;
    let fixture = Stack::with_channel(&slack).await;
    let old = fixture.ended(Alert::default(), SessionStatus::Completed).await;
    let _notifier = fixture.notifier().await;
    let new = fixture.ended(Alert::default(), SessionStatus::Completed).await;
    fixture.until("the new one is told", async || !slack.posted().is_empty()).await;
    assert_eq!(session_of(&slack.posted()[0]), new.to_string());
    assert_ne!(old, new);
    assert_eq!(slack.posted()[0]["channel"], CHANNEL);
    assert_eq!(fixture.count("select count(*) from notifications where kind = 'ended'").await, 1);
}
