//! Settings change by a restart, and nothing else; sessions keep the settings that they began with.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::json;
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Llm, Records, Script, Stack, StackOptions};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(2);

/// An agent that never ends, except for the alerts that ask for it.
fn endless() -> Script {
    Script::new(|asked| {
        if asked.contains("too slow") {
            let text = (1..2_000).fold(String::new(), |text, number| text + &format!("{number} "));
            return Answer::Streams(text, Duration::from_millis(100));
        }
        if asked.contains("quick") {
            return Answer::text("The disk is full.");
        }
        usual(asked).unwrap_or(Answer::Stalls("So far I have seen that ".to_owned()))
    })
}

async fn in_progress(stack: &Stack, many: i64) -> anyhow::Result<()> {
    stack
        .wait_until(&format!("{many} are in progress"), TIMEOUT, async |stack| {
            let now: i64 = sqlx::query_scalar(
                "select count(*) from alert_sessions where status = 'in_progress'",
            )
            .fetch_one(&mut stack.sql().await?)
            .await?;
            Ok(Seen::equal(now, many))
        })
        .await
}

async fn status(stack: &Stack, session: &str) -> anyhow::Result<String> {
    let view = stack.get(&format!("/api/v1/sessions/{session}/status")).await?;
    Ok(view.get("status").and_then(|word| word.as_str()).unwrap_or_default().to_owned())
}

/// A session that has not begun, and whose model may take two seconds for each answer, as its stored
/// chain has it: the configuration cannot set it.
async fn with_short_turns(stack: &Stack) -> anyhow::Result<String> {
    let session = stack.submit("plain", "too slow").await?;
    sqlx::query(
        "update alert_sessions s set config_snapshot = jsonb_set(k.snapshot, '{iteration_timeout_ms}', '2000') \
         from config_snapshots k where k.digest = s.config_digest and s.id = $1::uuid",
    )
    .bind(&session)
    .execute(&mut stack.sql().await?)
    .await?;
    Ok(session)
}

/// Its agent goes on from what came of its answer, twice, then concludes; the conclusion says that it was cut off.
async fn goes_on_and_concludes(stack: &Stack, session: &str) -> anyhow::Result<()> {
    let viewer = stack.watch(session).await?;
    stack.ends_as("completed", &viewer).await?;
    let records = Records::agreeing(stack, session, &viewer).await?;
    assert_snapshot!(records.report(), @r"
    thinking
      Ledger
        timeline: llm_response, llm_response, llm_response, llm_response, llm_response (failed), error, final_analysis
        messages: system, user, assistant, user, assistant, user, assistant, user, assistant, user
        llm: iteration, iteration, iteration, forced_conclusion, forced_conclusion (failed)
    session
        timeline: executive_summary
        llm: executive_summary, verdict
    ");
    let analysis = records.detail.get("final_analysis").and_then(|text| text.as_str());
    assert!(analysis.is_some_and(|text| text.contains("cut off")), "{analysis:?}");
    Ok(())
}

#[tokio::test]
async fn cap_workers_and_session_timeout_change_with_a_restart() -> anyhow::Result<()> {
    let mut options = StackOptions {
        llm: Llm::Scripted(endless()),
        workers: 1,
        cap: Some(1),
        // The restart releases the lease; if it cannot, the lease expires within the test's timeout.
        lease_seconds: 20,
        ..StackOptions::default()
    };
    let mut stack = Stack::start(options.clone()).await?;
    let first = stack.submit("plain", "first").await?;
    in_progress(&stack, 1).await?;

    // There is no capacity for the second: it waits, and is cancelled before it begins.
    let second = stack.submit("plain", "second").await?;
    let viewer = stack.watch(&second).await?;
    assert_eq!(status(&stack, &second).await?, "pending");
    let cancel = |session: &str| format!("/api/v1/sessions/{session}/cancel");
    assert_eq!(stack.post(&cancel(&second), &json!({})).await?.0, 200);
    assert_eq!(viewer.wait_for_end(TIMEOUT).await?, "cancelled");
    let records = Records::agreeing(&stack, &second, &viewer).await?;
    assert_snapshot!(records.report(), @"session (cancelled)");
    assert!(records.detail.get("started_at").is_none_or(serde_json::Value::is_null));

    let slow = with_short_turns(&stack).await?;

    // Other settings, and a restart of those who read them; nothing is done to NATS.
    options.workers = 4;
    options.cap = Some(4);
    options.session_timeout = "12s";
    stack.configure(&options)?;
    for service in ["api-gateway", "orchestrator-1"] {
        stack.stop(service).await?;
        stack.launch(service).await?;
    }
    stack.is_ready(TIMEOUT).await?;
    let late = stack.submit("plain", "third").await?;
    let later = stack.submit("plain", "fourth").await?;
    // The first one never ends by itself: others begin beside it.
    stack
        .wait_until("the others have begun", TIMEOUT, async |stack| {
            let mut begun = status(stack, &first).await? == "in_progress";
            for session in [&late, &later] {
                begun &= status(stack, session).await? != "pending";
            }
            Ok(begun)
        })
        .await?;

    // The new ones have the new time, the first has the one that it began with.
    for session in [&late, &later] {
        let viewer = stack.watch(session).await?;
        stack.ends_as("timed_out", &viewer).await?;
        let records = Records::agreeing(&stack, session, &viewer).await?;
        insta::allow_duplicates! {
            assert_snapshot!(records.report(), @r"
            thinking (timed_out)
              Ledger (timed_out)
                timeline: llm_response (timed_out)
                messages: system, user
                llm: iteration (failed)
            session (timed_out)
            ");
        }
        let error = records.detail.get("error_message").and_then(|text| text.as_str());
        assert_eq!(error, Some("the session ran out of time"));
    }
    goes_on_and_concludes(&stack, &slow).await?;

    assert_eq!(status(&stack, &first).await?, "in_progress");
    let viewer = stack.watch(&first).await?;
    assert_eq!(stack.post(&cancel(&first), &json!({})).await?.0, 200);
    assert_eq!(viewer.wait_for_end(TIMEOUT).await?, "cancelled");

    let quick = stack.submit("plain", "quick").await?;
    let viewer = stack.watch(&quick).await?;
    stack.completes(&viewer).await?;
    Ok(())
}
