//! Two people triage at once, over REST, in Slack and with the command line, on the real processes with the permissions of each;
//! viewers see every change.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_contracts::slack::{DONE_ACTION, TAKE_ACTION};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Failures, Llm, RESPONDER, Script, Stack, StackOptions, Viewer};

const TIMEOUT: Duration = Duration::from_mins(2);

fn options() -> StackOptions {
    let script = Script::new(|asked: &Asked| {
        usual(asked).unwrap_or_else(|| Answer::text("The ledger is empty."))
    });
    StackOptions {
        llm: Llm::Scripted(script),
        least_privilege: true,
        posts: Some((7, Failures::Answered)),
        ..StackOptions::default()
    }
}

async fn investigated(stack: &Stack) -> anyhow::Result<String> {
    let alert = json!({ "alert_type": "ledger", "data": "the ledger of web-1 is empty" });
    let session = stack.submit_whole(&alert).await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    Ok(session)
}

/// A person with a role, by a token of their own.
struct Person {
    token: String,
}

impl Person {
    async fn new(stack: &Stack, name: &str, role: &str) -> anyhow::Result<Self> {
        let body = json!({ "name": name, "role": role, "expires_in_days": 1 });
        let (status, body) = stack.post("/api/v1/tokens", &body).await?;
        anyhow::ensure!(status == 201, "{status} {body}");
        let token = body["token"].as_str().context("a token has a text")?.to_owned();
        Ok(Self { token })
    }

    async fn triage(
        &self,
        stack: &Stack,
        session: &str,
        change: &Value,
    ) -> anyhow::Result<(u16, Value)> {
        let url = format!("{}/api/v1/sessions/{session}/triage", stack.url());
        let request = reqwest::Client::new().post(url).bearer_auth(&self.token).json(change);
        let answer = request.send().await?;
        Ok((answer.status().as_u16(), answer.json().await?))
    }
}

/// A viewer of the session and one of the list learn of a state of work.
async fn both_see(of_session: &Viewer, of_list: &Viewer, triage: &str) -> anyhow::Result<()> {
    for viewer in [of_session, of_list] {
        viewer
            .wait_for(&format!("change to {triage}"), TIMEOUT, |event| {
                event["type"] == "session.triage" && event["triage"] == triage
            })
            .await?;
    }
    Ok(())
}

async fn slack_shows(stack: &Stack, session: &str, expected: &str) -> anyhow::Result<()> {
    stack
        .wait_until(&format!("the message shows {expected}"), TIMEOUT, async |stack| {
            let messages = stack.posts()?.messages(session);
            Ok(messages.iter().any(|message| message["blocks"].to_string().contains(expected)))
        })
        .await
}

#[tokio::test]
async fn two_people_triage_at_once_and_everybody_sees_who_has_what() -> anyhow::Result<()> {
    let stack = Stack::start(options()).await?;
    let (ann, bob) = (
        Person::new(&stack, "ann", "responder").await?,
        Person::new(&stack, "bob", "responder").await?,
    );
    let vera = Person::new(&stack, "vera", "viewer").await?;
    let session = investigated(&stack).await?;
    let of_session = stack.watch(&session).await?;
    let of_list = Viewer::connect(&stack.socket(), "sessions").await?;

    let take = json!({ "triage": "taken" });
    assert_eq!(vera.triage(&stack, &session, &take).await?.0, 403);
    let (first, second) =
        tokio::try_join!(ann.triage(&stack, &session, &take), bob.triage(&stack, &session, &take))?;
    let statuses = [first.0, second.0];
    assert!(statuses == [200, 409] || statuses == [409, 200], "{first:?} {second:?}");
    let is_ann = first.0 == 200;
    let (winner, refused) = if is_ann { ("ann", &second.1) } else { ("bob", &first.1) };
    let detail = refused["detail"].as_str().unwrap_or_default();
    assert!(detail.starts_with(&format!("taken by {winner}; ")), "{refused}");
    both_see(&of_session, &of_list, "taken").await?;
    slack_shows(&stack, &session, &format!("*Taken* by {winner}")).await?;

    // Who comes second takes it over, and finishes it with a note, which is kept once although the answer was lost.
    let (loser, name) = if is_ann { (&bob, "bob") } else { (&ann, "ann") };
    let over = json!({ "triage": "taken", "take_over": true });
    assert_eq!(loser.triage(&stack, &session, &over).await?.0, 200);
    let done = json!({
        "id": "0198f2a0-0000-7000-8000-00000000d0e1", "triage": "done", "note": "rotated password=hunter2hunter2",
    });
    for _ in 0..2 {
        let (status, work) = loser.triage(&stack, &session, &done).await?;
        assert_eq!((status, work["entries"].as_array().map(Vec::len)), (200, Some(3)), "{work}");
        assert!(!work.to_string().contains("hunter2"), "{work}");
    }
    both_see(&of_session, &of_list, "done").await?;
    slack_shows(&stack, &session, &format!("*Done* by {name}")).await?;
    let found = stack.get(&format!("/api/v1/sessions?triage=done&assignee={name}")).await?;
    assert_eq!(found["sessions"][0]["id"], json!(session));
    stack
        .wait_until("the audit log has every attempt", TIMEOUT, async |stack| {
            let log = stack.get("/api/v1/audit-log?action=triage_session").await?;
            let outcomes = |outcome: &str| {
                let entries = log["entries"].as_array().into_iter().flatten();
                entries.filter(|entry| entry["outcome"] == outcome).count()
            };
            Ok((outcomes("allowed"), outcomes("failed"), outcomes("denied")) == (4, 1, 1))
        })
        .await
}

#[tokio::test]
async fn a_session_is_taken_in_slack_and_finished_with_the_command_line() -> anyhow::Result<()> {
    let stack = Stack::start(options()).await?;
    let session = investigated(&stack).await?;
    let has_button =
        async |stack: &Stack| Ok(!stack.posts()?.buttons(&session, TAKE_ACTION).is_empty());
    stack.wait_until("Slack has the button", TIMEOUT, has_button).await?;
    let buttons = stack.posts()?.buttons(&session, TAKE_ACTION);
    assert_eq!(stack.use_button(&buttons[0]).await?, 200);
    slack_shows(&stack, &session, &format!("*Taken* by {}", RESPONDER.1)).await?;
    assert_eq!(stack.posts()?.buttons(&session, DONE_ACTION).len(), 1);

    let url = stack.client().url().to_owned();
    let held = stack.command(&["--url", &url, "sessions", "done", &session]).await?;
    assert!(!held.status.success(), "{held:?}");
    let text = String::from_utf8_lossy(&held.stdout).into_owned();
    assert!(text.contains(&format!("taken by {}; ", RESPONDER.1)), "{text}");
    let over = ["--url", &url, "sessions", "done", &session, "--take-over", "--note", "fixed"];
    let done = stack.command(&over).await?;
    assert!(done.status.success(), "{done:?}");
    let work = stack.get(&format!("/api/v1/sessions/{session}/triage")).await?;
    assert_eq!((&work["triage"], &work["entries"][0]["note"]), (&json!("done"), &json!("fixed")));
    slack_shows(&stack, &session, "*Done* by ").await
}
