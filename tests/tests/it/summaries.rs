//! Large tool results on the real processes: summarized once, whatever dies.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tarsy_e2e::model::{Answer, Asked, Model, Purpose, Script, eventually, usual};
use tarsy_e2e::{Gate, Llm, Records, Stack, StackOptions};
use tarsy_testkit::Seen;

const TIMEOUT: Duration = Duration::from_mins(2);
/// Rows of about 24 bytes: 2 MB.
const ROWS: u32 = 85_000;
const SUMMARY: &str = "85,000 rows, all alike: there is nothing to see in any of them.";

/// An agent that reads much and concludes; summaries are answered by `summary`.
fn reads_much(summary: impl Fn() -> Answer + Send + Sync + 'static) -> StackOptions {
    let script = Script::new(move |asked: &Asked| {
        if asked.purpose() == Purpose::Digest {
            return summary();
        }
        usual(asked).unwrap_or_else(|| match asked.turn() {
            0 => Answer::call("ledger__look", json!({ "what": "much", "rows": ROWS })),
            _ => Answer::text("Nothing is wrong [call 1]."),
        })
    });
    let llm = Llm::Scripted(script);
    StackOptions { llm, chains: PAIR, ..StackOptions::default() }
}

const PAIR: &str = "  \
  pair:
    alert_types: [pair]
    stages:
      - {name: together, agents: [{name: Ledger}], replicas: 2}
    chat: {agent: Ledger}
";

const ALERT: &str = "the ledger of web-1 is full";

fn summaries(records: &Records) -> Vec<&Value> {
    records.timeline.iter().filter(|event| event["event_type"] == "mcp_tool_summary").collect()
}

/// The result of the call that the agent received.
fn tool_result(stack: &Stack) -> anyhow::Result<String> {
    let asked = stack.model()?.asked();
    let second = asked.iter().find(|asked| asked.last().contains("[call 1]"));
    Ok(second.map(Asked::last).unwrap_or_default())
}

#[tokio::test]
async fn two_megabytes_are_summarized_streamed_and_kept_whole() -> anyhow::Result<()> {
    let gate = Gate::default();
    let (held, pace) = (gate.clone(), Duration::from_millis(60));
    let summary = move || Answer::Halves(SUMMARY.to_owned(), pace, held.clone());
    let stack = Stack::start(reads_much(summary)).await?;
    let (session, viewer) = stack.begun("ledger", ALERT).await?;
    // It streams: the model sends the rest only after the viewer received the beginning.
    let piece = |event: &Value| event["type"] == "stream.chunk";
    let first = viewer.wait_for("first words", TIMEOUT, piece).await?;
    gate.open();
    stack.completes(&viewer).await?;

    let records = Records::agreeing(&stack, &session, &viewer).await?;
    let found = summaries(&records);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["status"], &found[0]["content"]), (&json!("completed"), &json!(SUMMARY)));
    let about = &found[0]["metadata"];
    assert_eq!((&about["server_name"], &about["call_number"]), (&json!("ledger"), &json!(1)));
    assert!(about["original_tokens"].as_u64() > Some(400_000), "{about}");
    let event = found[0]["id"].as_str().unwrap_or_default();
    assert_eq!(first["event_id"], event, "the summary is what grew first");
    // The end, which has all of the text, may overtake the last chunks.
    let seen = viewer.texts()?.remove(event).unwrap_or_default();
    assert!(!seen.is_empty() && SUMMARY.starts_with(&seen), "{seen}");

    let tool_result = tool_result(&stack)?;
    assert!(tool_result.contains(SUMMARY) && !tool_result.contains("row 7:"), "{tool_result}");
    assert_eq!(
        records.llm.iter().filter(|call| call["interaction_type"] == "summarization").count(),
        1
    );

    let call = records.mcp[0]["id"].as_str().unwrap_or_default();
    let path = format!("/api/v1/sessions/{session}/trace/mcp/{call}/result");
    let answer = reqwest::get(format!("{}{path}", stack.url())).await?;
    let kind = answer.headers()["content-type"].to_str()?.to_owned();
    assert!(kind.starts_with("text/plain"), "{kind}");
    let whole = answer.text().await?;
    assert!(whole.len() > 2_000_000, "{}", whole.len());
    assert!(whole.contains("row 84999: nothing to see"));
    assert!(!whole.contains("sk-planted"), "the whole result is masked, too");
    let other = format!("{}{}", stack.url(), path.replace(&session, call));
    assert_eq!(reqwest::get(other).await?.status(), 404);
    Ok(())
}

#[tokio::test]
async fn a_summarizer_killed_in_the_middle_leaves_one_summary() -> anyhow::Result<()> {
    let first = Arc::new(AtomicBool::new(true));
    let options = reads_much(move || {
        if first.swap(false, Ordering::SeqCst) {
            Answer::Stalls("This one will not be".to_owned())
        } else {
            Answer::text(SUMMARY)
        }
    });
    let mut stack = Stack::start(StackOptions { lease_seconds: 8, ..options }).await?;
    let (session, viewer) = stack.begun("ledger", ALERT).await?;
    viewer
        .wait_for("first words", TIMEOUT, |event| {
            event["type"] == "stream.chunk" && event["delta"].to_string().contains("This one")
        })
        .await?;
    stack.kill("summarizer").await?;
    stack.launch("summarizer").await?;

    stack.completes(&viewer).await?;
    let records = Records::agreeing(&stack, &session, &viewer).await?;
    let statuses: Vec<_> = summaries(&records).iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, [json!("failed"), json!("completed")]);
    assert_eq!(
        records.llm.iter().filter(|call| call["interaction_type"] == "summarization").count(),
        1
    );
    assert!(tool_result(&stack)?.contains(SUMMARY));
    assert_eq!(stack.ledger().len(), 1, "the call was not made again: {:?}", stack.ledger());
    Ok(())
}

#[tokio::test]
async fn without_a_summary_the_agent_reads_the_beginning_and_the_timeline_shows_the_reason()
-> anyhow::Result<()> {
    let stack = Stack::start(reads_much(|| Answer::Refuses(401))).await?;
    let (session, viewer) = stack.begun("ledger", ALERT).await?;
    stack.completes(&viewer).await?;
    let records = Records::agreeing(&stack, &session, &viewer).await?;
    assert!(summaries(&records).is_empty());
    let notes = records.contents("error");
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("[call 1] could not be summarized"), "{notes:?}");
    assert!(notes[0].contains("(key in PLAYED_KEY)"), "the variable to correct: {notes:?}");
    assert!(!notes[0].contains("sk-played"), "{notes:?}");
    let tool_result = tool_result(&stack)?;
    assert!(tool_result.contains("row 7: nothing to see"), "{} bytes", tool_result.len());
    Ok(())
}

#[tokio::test]
async fn a_cancel_ends_a_summary_at_the_vendor() -> anyhow::Result<()> {
    let stack = Stack::start(reads_much(|| Answer::Stalls("It goes on and".to_owned()))).await?;
    let (session, viewer) = stack.begun("ledger", ALERT).await?;
    viewer
        .wait_for("first words", TIMEOUT, |event| {
            event["type"] == "stream.chunk" && event["delta"].to_string().contains("It goes on")
        })
        .await?;
    let (status, _) = stack.post(&format!("/api/v1/sessions/{session}/cancel"), &json!({})).await?;
    assert_eq!(status, 200);
    stack.ends_as("cancelled", &viewer).await?;
    eventually("the vendor's stream is closed", TIMEOUT, || {
        Seen::equal(stack.model().map(Model::open).ok(), Some(0))
    })
    .await?;
    // The call was finished, but the agent did not receive the result: it ended first.
    let records = Records::of(&stack, &session).await?;
    assert_eq!(summaries(&records)[0]["status"], "cancelled");
    assert_eq!(records.mcp[0]["status"], "completed");
    Ok(())
}

#[tokio::test]
async fn synthesis_and_chat_read_the_summaries_in_place_of_the_results() -> anyhow::Result<()> {
    let stack = Stack::start(reads_much(|| Answer::text(SUMMARY))).await?;
    let (records, viewer) = stack.investigated("pair", ALERT, "completed").await?;
    let records = stack.answered(records.session(), &viewer, "How full?").await?;
    for stage in ["together - Synthesis", "Chat Response"] {
        let prompt = records.prompts(stage).join("\n");
        assert_eq!(prompt.matches(SUMMARY).count(), 2, "one of each agent, for {stage}: {prompt}");
        assert!(!prompt.contains("row 7:"), "{stage} reads the results themselves");
    }
    Ok(())
}
