//! A person reviews an investigation, and the next one of the same problem is given the review, on the real processes with
//! the permissions of each.

#![expect(clippy::indexing_slicing, reason = "a missing field fails the test")]

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tarsy_contracts::slack::WRONG_ACTION;
use tarsy_e2e::model::{Vectors, usual};
use tarsy_e2e::{Answer, Asked, Failures, Llm, RESPONDER, Script, Stack, StackOptions};

const TIMEOUT: Duration = Duration::from_mins(2);
const FINGERPRINT: &str = "ledger-empty-web-1";
const FINDING: &str = "The moon emptied the ledger.";
const CAUSE: &str = "a cron job of Friday; password=hunter2hunter2";

fn options() -> StackOptions {
    let script = Script::new(|asked: &Asked| usual(asked).unwrap_or_else(|| Answer::text(FINDING)));
    StackOptions {
        llm: Llm::Scripted(script),
        least_privilege: true,
        posts: Some((7, Failures::Answered)),
        defaults: "  memory:\n    embedding: {provider: played, model: vectors, dimensions: 256}\n",
        ..StackOptions::default()
    }
}

/// An alert of the same problem, whose investigation completed.
async fn investigated(stack: &Stack) -> anyhow::Result<String> {
    let alert = json!({
        "alert_type": "ledger", "data": "the ledger of web-1 is empty", "fingerprint": FINGERPRINT,
        "severity": "critical",
    });
    let session = stack.submit_whole(&alert).await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    Ok(session)
}

/// The text of a new API token with this name and role.
async fn token(stack: &Stack, name: &str, role: &str) -> anyhow::Result<String> {
    let (status, body) = stack
        .post("/api/v1/tokens", &json!({ "name": name, "role": role, "expires_in_days": 1 }))
        .await?;
    anyhow::ensure!(status == 201, "{status} {body}");
    Ok(body["token"].as_str().context("a token has a text")?.to_owned())
}

async fn review(stack: &Stack, session: &str, role: &str, review: &Value) -> anyhow::Result<u16> {
    let token = token(stack, role, role).await?;
    let url = format!("{}/api/v1/sessions/{session}/review", stack.url());
    let request = reqwest::Client::new().put(url).bearer_auth(token).json(review);
    Ok(request.send().await?.status().as_u16())
}

/// The first prompts of a session's agents, as they are stored.
async fn tasks(stack: &Stack, session: &str) -> anyhow::Result<String> {
    let tasks: Vec<String> = sqlx::query_scalar(
        "select content from messages where session_id = $1::uuid and role = 'user' order by id",
    )
    .bind(session)
    .fetch_all(&mut stack.sql().await?)
    .await?;
    Ok(tasks.concat())
}

/// A click on *Wrong* below the message about a session changes the message and the review.
async fn reviewed_in_slack(stack: &Stack, session: &str) -> anyhow::Result<()> {
    let has_button =
        async |stack: &Stack| Ok(!stack.posts()?.buttons(session, WRONG_ACTION).is_empty());
    stack.wait_until("Slack has the button", TIMEOUT, has_button).await?;
    let buttons = stack.posts()?.buttons(session, WRONG_ACTION);
    assert_eq!(stack.use_button(&buttons[0]).await?, 200);
    let expected = format!("*Reviewed as wrong* by {}", RESPONDER.1);
    stack
        .wait_until("the message shows the review", TIMEOUT, async |stack| {
            let messages = stack.posts()?.messages(session);
            Ok(messages.iter().any(|message| message["blocks"].to_string().contains(&expected)))
        })
        .await?;
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["review"], "wrong");
    Ok(())
}

#[tokio::test]
async fn the_next_investigation_of_the_problem_is_given_what_people_reviewed() -> anyhow::Result<()>
{
    let stack = Stack::start(options()).await?;
    let first = investigated(&stack).await?;
    let wrong = json!({ "review": "wrong", "actual_cause": CAUSE, "object": "web-1" });
    assert_eq!(review(&stack, &first, "viewer", &wrong).await?, 403);
    let unreviewed = investigated(&stack).await?;
    assert!(!tasks(&stack, &unreviewed).await?.contains("earlier_investigation"));
    assert_eq!(review(&stack, &first, "responder", &wrong).await?, 200);

    let next = investigated(&stack).await?;
    let tasks = tasks(&stack, &next).await?;
    assert_eq!(tasks.matches("<earlier_investigation").count(), 1, "{tasks}");
    assert!(tasks.contains("a cron job of Friday") && tasks.contains("as wrong"), "{tasks}");
    assert!(!tasks.contains(FINDING) && !tasks.contains("hunter2"), "{tasks}");
    let detail = stack.get(&format!("/api/v1/sessions/{next}")).await?;
    let seen = detail["seen_before"].as_array().context("it was given sessions")?;
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!((&seen[0]["session_id"], &seen[0]["review"]), (&json!(first), &json!("wrong")));
    assert_eq!(seen[0]["finding"], Value::Null);
    assert_eq!(detail["earlier_sessions"], json!({ "count": 2, "last_session_id": unreviewed }));
    let list = stack.get(&format!("/api/v1/sessions?fingerprint={FINGERPRINT}")).await?;
    assert_eq!(list["pagination"]["total_items"], 3);

    reviewed_in_slack(&stack, &next).await?;
    another_alert_is_given_the_memory(&stack, &first).await
}

/// An alert of another problem with words of the review is given what its reviewer wrote, and keeps it; edited, retired and
/// deleted by who may.
async fn another_alert_is_given_the_memory(stack: &Stack, first: &str) -> anyhow::Result<()> {
    let page = stack.get("/api/v1/memories?q=cron+friday").await?;
    let memory = page["memories"][0].clone();
    assert_eq!(
        (&memory["object"], &memory["state"]),
        (&json!("web-1"), &json!("active")),
        "{page}"
    );
    assert_eq!(memory["sources"][0]["session_id"], first);
    let alert = json!({ "alert_type": "ledger", "data": "rows are missing on web-1 since the cron job of Friday" });
    let session = stack.submit_whole(&alert).await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    let given = tasks(stack, &session).await?;
    assert_eq!(given.matches("<memory confirmed=").count(), 1, "{given}");
    assert!(given.contains("a cron job of Friday") && !given.contains("hunter2"), "{given}");
    assert!(!given.contains("<earlier_investigation") && !given.contains(FINDING), "{given}");
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["recalled"][0]["memory_id"], memory["id"], "{}", detail["recalled"]);
    an_alert_in_other_words_is_given_it(stack, &memory["id"]).await?;

    let path = format!("/api/v1/memories/{}", memory["id"].as_str().unwrap_or_default());
    let retired = json!({ "state": "retired" });
    for (role, expected) in [("viewer", 403), ("responder", 200)] {
        let token = token(stack, &format!("{role}-of-memories"), role).await?;
        let url = format!("{}{path}", stack.url());
        let answer =
            reqwest::Client::new().patch(url).bearer_auth(token).json(&retired).send().await?;
        assert_eq!(answer.status(), expected, "{role}");
    }
    let memory = stack.get(&path).await?;
    assert_eq!(
        (&memory["state"], &memory["edited_by"]),
        (&json!("retired"), &json!("responder-of-memories"))
    );
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["recalled"].as_array().map(Vec::len), Some(1), "the record stays");
    the_command_line_changes_a_memory(stack, memory["id"].as_str().unwrap_or_default()).await
}

/// The vector of the memory is made, and one of an alert that shares none of its words is near to it.
async fn an_alert_in_other_words_is_given_it(stack: &Stack, memory: &Value) -> anyhow::Result<()> {
    stack
        .wait_until("the memory has its vector", TIMEOUT, async |stack| {
            let made = "select exists (select from memory_vectors where embedding is not null)";
            let found: bool = sqlx::query_scalar(made).fetch_one(&mut stack.sql().await?).await?;
            Ok(found)
        })
        .await?;
    let given = async || in_other_words(stack).await;
    assert_eq!(given().await?[0]["memory_id"], *memory);

    // Without vectors it is given nothing, and completes; with others it is found once the memory has one of them.
    stack.model()?.embeds(Vectors::Refused);
    assert_eq!(given().await?, json!([]));
    stack.model()?.embeds(Vectors::OfLength(64));
    assert_eq!(given().await?, json!([]));
    let due = "update memory_vectors set claimed_at = now() - interval '1 hour'";
    sqlx::query(due).execute(&mut stack.sql().await?).await?;
    stack
        .wait_until("the memory has a vector of the other length", TIMEOUT, async |stack| {
            let made = "select bool_and(cardinality(embedding) = 64) is true from memory_vectors";
            let all: bool = sqlx::query_scalar(made).fetch_one(&mut stack.sql().await?).await?;
            Ok(all)
        })
        .await?;
    assert_eq!(given().await?[0]["memory_id"], *memory);
    Ok(())
}

/// What an alert is given that shares no word with the memory.
async fn in_other_words(stack: &Stack) -> anyhow::Result<Value> {
    let alert = json!({ "alert_type": "ledger", "data": "nightly schedule" });
    let session = stack.submit_whole(&alert).await?;
    let viewer = stack.watch(&session).await?;
    stack.completes(&viewer).await?;
    Ok(stack.get(&format!("/api/v1/sessions/{session}")).await?["recalled"].clone())
}

/// Lists, restores, edits, exports and deletes a memory.
async fn the_command_line_changes_a_memory(stack: &Stack, id: &str) -> anyhow::Result<()> {
    let url = stack.client().url().to_owned();
    let run = async |words: &[&str]| {
        let words = [&["--url", &url, "memories"], words].concat();
        let answer = stack.command(&words).await?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        anyhow::ensure!(answer.status.success(), "{words:?}: {answer:?}");
        anyhow::Ok(text)
    };
    let listed = run(&["list", "--state", "retired"]).await?;
    assert!(listed.contains(id) && listed.contains("web-1"), "{listed}");
    assert!(run(&["restore", id]).await?.starts_with("active: "));
    assert_eq!(run(&["edit", id, "the job of Friday"]).await?.trim(), "active: the job of Friday");
    let exported: Value = serde_json::from_str(&run(&["export", "--text", "friday"]).await?)?;
    assert_eq!(exported["memories"][0]["text"], "the job of Friday");
    assert_eq!(run(&["delete", id]).await?.trim(), "deleted");
    assert!(run(&["list"]).await?.contains("no such memories"));
    Ok(())
}
