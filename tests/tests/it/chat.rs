//! Questions about an investigation that is over, on the real processes.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tarsy_e2e::model::usual;
use tarsy_e2e::{
    Answer, Asked, Llm, Purpose, Records, Script, Stack, StackOptions, Viewer, record_is_whole,
};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_secs(90);

/// Two questions, and the files for which their calls wait.
const QUESTIONS: [(&str, &str); 2] = [("Who wrote it?", "first"), ("When was that?", "second")];

/// Every conversation is a call and a conclusion; the call of a question lasts until the test lets it
/// go.
fn slow_answers() -> StackOptions {
    let script = Script::new(|asked: &Asked| {
        usual(asked).unwrap_or_else(|| match (asked.purpose(), asked.turn()) {
            (Purpose::Chat, 0) => {
                // The questions before it are in the record, too.
                let last = QUESTIONS.iter().rfind(|(question, _)| asked.contains(question));
                let until = last.map_or("never", |(_, file)| *file);
                Answer::call("ledger__record", json!({"what": "slow", "until": until}))
            }
            (_, 0) => Answer::call("ledger__record", json!({"what": "slow"})),
            _ => Answer::text("All was recorded."),
        })
    });
    StackOptions { llm: Llm::Scripted(script), orchestrators: 2, ..StackOptions::default() }
}

/// A session that is over, and its viewer.
async fn over(stack: &Stack) -> anyhow::Result<(String, Viewer)> {
    let (session, viewer) = stack.begun("ledger", "the ledger of web-1 is empty").await?;
    stack.completes(&viewer).await?;
    Ok((session, viewer))
}

async fn ends(viewer: &Viewer, stage: &str, status: &str) -> anyhow::Result<()> {
    viewer.stage_ends(stage, status, TIMEOUT).await?;
    Ok(())
}

#[tokio::test]
async fn while_a_question_is_answered_another_one_is_refused() -> anyhow::Result<()> {
    let stack = Stack::start(slow_answers()).await?;
    let (session, viewer) = over(&stack).await?;
    for (question, file) in QUESTIONS {
        let stage = stack.ask(&session, question).await?;
        let path = format!("/api/v1/sessions/{session}/chat/messages");
        let (status, second) = stack.post(&path, &json!({ "content": "Me, too!" })).await?;
        assert_eq!(status, 409, "{second}");
        std::fs::write(stack.path(file), "")?;
        ends(&viewer, &stage, "completed").await.with_context(|| stack.logs())?;
    }
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(
        (&detail["status"], &detail["chat_message_count"]),
        (&json!("completed"), &json!(2))
    );
    assert_eq!((&detail["total_stages"], &detail["completed_stages"]), (&json!(1), &json!(1)));
    Records::agreeing(&stack, &session, &viewer).await?;
    Ok(())
}

#[tokio::test]
async fn a_killed_owner_of_a_question_is_followed_by_another() -> anyhow::Result<()> {
    let mut stack = Stack::start(StackOptions { lease_seconds: 4, ..slow_answers() }).await?;
    let (session, viewer) = over(&stack).await?;
    let [(question, file), _] = QUESTIONS;
    let stage = stack.ask(&session, question).await?;
    stack
        .wait_until("the call is made", TIMEOUT, async |stack| {
            Ok(Seen::value(stack.ledger(), |lines| lines.len() == 2))
        })
        .await?;
    let owner = stack.owner(&session).await?.context("the question has an owner")?;
    stack.kill(&owner).await?;
    stack
        .wait_until("another owner has it", TIMEOUT, async |stack| {
            Ok(stack.owner(&session).await?.is_some_and(|now| now != owner))
        })
        .await?;
    std::fs::write(stack.path(file), "")?;

    ends(&viewer, &stage, "completed").await.with_context(|| stack.logs())?;
    assert_eq!(stack.ledger().len(), 2, "the call was not made again: {:?}", stack.ledger());
    let stages: i64 = sqlx::query_scalar("select count(*) from stages where session_id = $1::uuid")
        .bind(&session)
        .fetch_one(&mut stack.sql().await?)
        .await?;
    assert_eq!(stages, 2);
    assert_eq!(stack.owner(&session).await?, None, "nobody owns what is answered");
    record_is_whole(&stack, &session, &viewer).await
}

#[tokio::test]
async fn an_answer_is_cancelled_and_the_session_stays_as_it_is() -> anyhow::Result<()> {
    let stack = Stack::start(slow_answers()).await?;
    let (session, viewer) = over(&stack).await?;
    let stage = stack.ask(&session, "Who wrote it?").await?;
    stack
        .wait_until("the call is made", TIMEOUT, async |stack| {
            Ok(Seen::value(stack.ledger(), |lines| lines.len() == 2))
        })
        .await?;
    let cancel = format!("/api/v1/sessions/{session}/cancel");
    assert_eq!(stack.post(&cancel, &json!({})).await?.0, 200);
    ends(&viewer, &stage, "cancelled").await.with_context(|| stack.logs())?;
    assert_eq!(stack.post(&cancel, &json!({})).await?.0, 409, "nothing runs any more");
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["status"], "completed");
    assert_eq!(detail["final_analysis"], "All was recorded.");
    record_is_whole(&stack, &session, &viewer).await
}

#[tokio::test]
async fn the_offline_analyst_answers_from_the_record_and_its_tools() -> anyhow::Result<()> {
    let stack = Stack::start(StackOptions::default()).await?;
    let (session, viewer) = stack.begun("host", "disk usage of / is 91 %").await?;
    stack.completes(&viewer).await?;
    let stage = stack.ask(&session, "How full is the disk now?").await?;
    ends(&viewer, &stage, "completed").await.with_context(|| stack.logs())?;
    let timeline = stack.get(&format!("/api/v1/sessions/{session}/timeline")).await?;
    let answer = timeline
        .as_array()
        .into_iter()
        .flatten()
        .find(|event| {
            event["stage_id"] == stage.as_str() && event["event_type"] == "final_analysis"
        })
        .and_then(|event| event["content"].as_str())
        .context("the question has an answer")?;
    assert!(answer.contains("no LLM was used"), "{answer}");
    assert!(answer.contains("used_percent") && answer.contains("[call "), "{answer}");
    Ok(())
}
