//! A backup of a running stack, the loss of everything, and a restore with which new processes go on: nothing that the backup
//! had is lost, and nothing that was done before it is done again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{
    Answer, Asked, Failures, Llm, Post, Purpose, Receiver, Records, Script, Stack, StackOptions,
    Viewer,
};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(3);
const FINISHED: &str = "alert-finished";
const UNNOTIFIED: &str = "alert-unnotified";
const RUNNING: &str = "alert-running";
const QUEUED: &str = "alert-queued";
const QUESTION: &str = "Who wrote it?";

/// Each alert is recorded once, then there is a conclusion. The call of the running one never ends by itself.
fn play(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    let alerts = [FINISHED, UNNOTIFIED, RUNNING, QUEUED];
    let Some(alert) = alerts.into_iter().find(|alert| asked.contains(alert)) else {
        return Answer::Refuses(400);
    };
    match (asked.purpose(), asked.turn()) {
        (Purpose::Chat, 0) => Answer::call("ledger__record", json!({"what": "question"})),
        (_, 0) if alert == RUNNING => {
            Answer::call("ledger__record", json!({"what": alert, "until": "never"}))
        }
        (_, 0) => Answer::call("ledger__record", json!({"what": alert})),
        _ => Answer::text("All was recorded."),
    }
}

fn options() -> StackOptions {
    StackOptions {
        llm: Llm::Scripted(Script::new(play)),
        workers: 2,
        cap: Some(1),
        posts: Some((7, Failures::Answered)),
        lease_seconds: 5,
        ..StackOptions::default()
    }
}

/// The sessions at the time of the backup, by their alerts.
type Sessions = BTreeMap<&'static str, String>;

/// Brings one session into each state.
async fn prepared(stack: &mut Stack) -> anyhow::Result<Sessions> {
    let mut sessions = Sessions::new();
    let (finished, viewer) = stack.begun("ledger", FINISHED).await?;
    stack.completes(&viewer).await?;
    stack.answered(&finished, &viewer, QUESTION).await?;
    notified(stack, &finished).await?;
    sessions.insert(FINISHED, finished);
    stack.stop("notifier").await?;
    let (unnotified, viewer) = stack.begun("ledger", UNNOTIFIED).await?;
    stack.completes(&viewer).await?;
    sessions.insert(UNNOTIFIED, unnotified);
    sessions.insert(RUNNING, stack.submit("ledger", RUNNING).await?);
    stack.wait_for_ledger(&format!("record {RUNNING}"), TIMEOUT).await?;
    sessions.insert(QUEUED, stack.submit("ledger", QUEUED).await?);
    Ok(sessions)
}

/// Waits until both receivers have the end of a session, and the notifier knows it: a post that was stored and answered by an
/// error is looked for.
async fn notified(stack: &Stack, session: &str) -> anyhow::Result<()> {
    stack
        .wait_until("the end of the session is reported", TIMEOUT, async |stack| {
            let sent: i64 = sqlx::query_scalar(
                "select count(*) from notifications where session_id = $1::uuid and kind = 'ended' and status = 'sent'",
            )
            .bind(session)
            .fetch_one(&mut stack.sql().await?)
            .await?;
            Ok(Seen::equal(sent, 2))
        })
        .await
}

async fn tarsy(stack: &Stack, arguments: &[&str]) -> anyhow::Result<Value> {
    let output = stack.command(&[arguments, &["--json"]].concat()).await?;
    let error = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "tarsy {arguments:?}: {error}");
    Ok(serde_json::from_slice(&output.stdout)?)
}

#[tokio::test]
async fn after_a_restore_new_processes_go_on_and_repeat_nothing() -> anyhow::Result<()> {
    let options = options();
    let mut stack = Stack::start(options.clone()).await?;
    let sessions = prepared(&mut stack).await?;
    let file = stack.path("backup.tar.gz").display().to_string();
    let backup = tarsy(&stack, &["backup", &file]).await?;
    assert_eq!(backup["queued_alerts"], 0, "{backup}");
    // Sent after the backup: the restored rows do not know it.
    stack.launch("notifier").await?;
    notified(&stack, &sessions[UNNOTIFIED]).await?;

    stack.lose_servers(&options).await?;
    let restored = tarsy(&stack, &["restore", &file]).await?;
    assert_eq!((&restored["restored"], &restored["rows"]), (&json!(true), &backup["rows"]));
    stack.launch_all().await?;

    let mut viewers: BTreeMap<&str, Viewer> = BTreeMap::new();
    for (alert, session) in &sessions {
        viewers.insert(alert, stack.watch(session).await?);
    }
    for alert in [RUNNING, QUEUED] {
        stack.completes(&viewers[alert]).await?;
    }
    for (alert, session) in &sessions {
        notified(&stack, session).await?;
        let records = Records::agreeing(&stack, session, &viewers[alert]).await;
        records.with_context(|| format!("{alert}\n{}", stack.logs()))?;
    }
    assert_eq!(recorded(&stack), [FINISHED, "question", QUEUED, RUNNING, UNNOTIFIED]);
    let detail = stack.get(&format!("/api/v1/sessions/{}", sessions[FINISHED])).await?;
    assert_eq!(
        (&detail["status"], &detail["chat_message_count"]),
        (&json!("completed"), &json!(1))
    );
    // Questions go on, too.
    stack.answered(&sessions[QUEUED], &viewers[QUEUED], QUESTION).await?;
    each_was_reported_once(&stack)
}

/// What the ledger has, in the order of the alphabet.
fn recorded(stack: &Stack) -> Vec<String> {
    let mut lines = stack.ledger();
    lines.retain(|line| line.starts_with("record "));
    let mut lines: Vec<String> =
        lines.into_iter().map(|line| line.trim_start_matches("record ").to_owned()).collect();
    lines
        .sort_by_key(|line| if line == "question" { format!("{FINISHED}+") } else { line.clone() });
    lines
}

/// Slack has each message once. A webhook cannot be searched, and knows what comes again by its id.
fn each_was_reported_once(stack: &Stack) -> anyhow::Result<()> {
    let mut ids: BTreeMap<(String, &str, bool), Vec<Post>> = BTreeMap::new();
    for post in stack.posts()?.received() {
        let of_slack = post.receiver == Receiver::Slack;
        ids.entry((post.session.clone(), post.event, of_slack)).or_default().push(post);
    }
    for ((session, event, of_slack), posts) in ids {
        let different: BTreeSet<&str> = posts.iter().map(|post| post.id.as_str()).collect();
        assert_eq!(different.len(), 1, "{event} of {session}: {posts:?}");
        assert!(!of_slack || posts.len() == 1, "{event} of {session} is in Slack twice: {posts:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_restore_into_a_database_in_use_or_from_a_damaged_file_is_refused() -> anyhow::Result<()>
{
    let stack = Stack::start(StackOptions::default()).await?;
    let (session, viewer) = stack.begun("ledger", "alert").await?;
    stack.completes(&viewer).await?;
    let file = stack.path("backup.tar.gz").display().to_string();
    tarsy(&stack, &["backup", &file]).await?;
    let again = stack.command(&["backup", &file]).await?;
    assert!(String::from_utf8_lossy(&again.stderr).contains("exists already"), "{again:?}");
    for (arguments, expected) in [
        (["restore", &file].as_slice(), "is not empty"),
        (["restore", &file, "--replace"].as_slice(), "stop all services first"),
    ] {
        let refused = stack.command(arguments).await?;
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && error.contains(expected), "{error}");
        assert!(error.contains("the database is as it was"), "{error}");
        assert!(!error.contains("postgres:"), "no password is shown: {error}");
    }
    tarsy(&stack, &["restore", &file, "--check"]).await?;
    let whole = std::fs::read(&file)?;
    std::fs::write(&file, whole.get(..whole.len() / 2).unwrap_or_default())?;
    let refused = stack.command(&["restore", &file, "--replace"]).await?;
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("is not a whole backup"), "{error}");
    assert_eq!(stack.get(&format!("/api/v1/sessions/{session}")).await?["status"], "completed");
    Ok(())
}
