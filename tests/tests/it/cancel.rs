//! A cancel, wherever the work is: it stops, the tool server and the vendor are notified, and the viewer
//! sees the end. The API and the owner are different processes.

use std::time::Duration;

use anyhow::Context as _;
use insta::assert_snapshot;
use serde_json::json;
use tarsy_e2e::model::{eventually, usual};
use tarsy_e2e::{
    Answer, Asked, Llm, Purpose, Records, Script, Shared, Stack, StackOptions, Viewer,
};
use tarsy_testkit::Seen;
use tokio::time::Instant;

/// Not what is promised (200 ms; `--nocapture` prints what it took), but what a busy machine keeps.
const TIMEOUT: Duration = Duration::from_mins(1);

const CHAINS: &str = "  \
  one:
    alert_types: [one]
    stages:
      - {name: reading, agents: [{name: Ledger}]}
    chat: {agent: Ledger}
  team:
    alert_types: [team]
    stages:
      - {name: together, agents: [{name: Ledger}], replicas: 3}
";

static STACK: Shared = Shared::new(|| StackOptions {
    llm: Llm::Scripted(Script::new(play)),
    chains: CHAINS,
    workers: 8,
    // Only the cancel message is quick enough: the next renewal of the lease, every 150 s, would come after every
    // timeout of the test.
    lease_seconds: 600,
    ..StackOptions::default()
});

/// Stops for ever at the point that the alert names.
fn play(asked: &Asked) -> Answer {
    let stall = || Answer::Stalls("So far I have seen that the disk is ".to_owned());
    match asked.purpose() {
        Purpose::Summary if asked.contains("stop in the summary") => stall(),
        Purpose::Synthesis if asked.contains("stop in the synthesis") => stall(),
        Purpose::Summary | Purpose::Synthesis => usual(asked).unwrap_or(Answer::Nothing),
        Purpose::Chat if asked.contains("stop in the chat") => stall(),
        Purpose::Agent if asked.contains("stop in a stream") => stall(),
        Purpose::Agent if asked.contains("stop in a pause") => Answer::RefusesFor(503, 12),
        Purpose::Agent if asked.contains("stop in a call") => {
            Answer::call("ledger__record", json!({ "what": "for long", "ms": 120_000 }))
        }
        Purpose::Agent | Purpose::Chat if asked.contains("stop in the summary") => {
            Answer::text("stop in the summary")
        }
        _ => Answer::text("The disk is full."),
    }
}

/// Waits for the text at which the model stops for ever.
async fn stalled(viewer: &Viewer, times: usize) -> anyhow::Result<()> {
    viewer
        .wait_until("the model speaks", TIMEOUT, |viewer| {
            let texts = viewer.texts()?;
            Ok(texts.values().filter(|text| text.contains("So far I have seen")).count() == times)
        })
        .await
}

/// Cancels, and waits until the viewer received the event.
async fn cancelled(
    stack: &Stack,
    place: &str,
    session: &str,
    viewer: &Viewer,
) -> anyhow::Result<Records> {
    let begun = Instant::now();
    let (status, body) =
        stack.post(&format!("/api/v1/sessions/{session}/cancel"), &json!({})).await?;
    anyhow::ensure!(status == 200, "{status} {body}");
    let end = viewer.wait_for_end(TIMEOUT).await.with_context(|| stack.logs())?;
    print_latency(place, begun);
    anyhow::ensure!(end == "cancelled", "{end}");
    let (status, body) =
        stack.post(&format!("/api/v1/sessions/{session}/cancel"), &json!({})).await?;
    anyhow::ensure!(status == 409, "it is over: {status} {body}");
    Records::agreeing(stack, session, viewer).await
}

#[expect(clippy::print_stdout, reason = "for people who run the tests with --nocapture")]
fn print_latency(place: &str, begun: Instant) {
    println!("cancel of {place}: told after {} ms", begun.elapsed().as_millis());
}

/// The vendor sees that nobody listens any more.
async fn vendor_is_left(stack: &Stack, before: usize, many: usize) -> anyhow::Result<()> {
    let model = stack.model()?;
    eventually("the vendor's stream is closed", TIMEOUT, || {
        Seen::value(model.closed().len(), |closed| *closed >= before + many)
    })
    .await
}

#[test]
fn a_running_tool_call_is_cancelled_at_the_tool_server() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("one", "stop in a call").await?;
        stack.wait_for_ledger("record for long", TIMEOUT).await?;
        let records = cancelled(stack, "a running tool call", &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        reading (cancelled)
          Ledger (cancelled)
            timeline: llm_tool_call (cancelled)
            messages: system, user, assistant
            llm: iteration
            mcp: ledger.record (unknown)
        session (cancelled)
        ");
        stack.wait_for_ledger("cancelled record for long", TIMEOUT).await
    })
}

#[test]
fn a_running_stream_is_cancelled_at_the_vendor() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("one", "stop in a stream").await?;
        stalled(&viewer, 1).await?;
        let before = stack.model()?.closed().len();
        let records = cancelled(stack, "a running stream", &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        reading (cancelled)
          Ledger (cancelled)
            timeline: llm_response (cancelled)
            messages: system, user
            llm: iteration (failed)
        session (cancelled)
        ");
        let content = records.llm[0]["llm_response"]["content"].as_str().unwrap_or_default();
        assert!(content.starts_with("So far I have seen"), "what was said is on record: {content}");
        assert_eq!(records.llm[0]["error_message"], "the call was cancelled");
        vendor_is_left(stack, before, 1).await
    })
}

#[test]
fn all_of_three_parallel_agents_are_cancelled() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("team", "stop in a stream").await?;
        stalled(&viewer, 3).await?;
        let before = stack.model()?.closed().len();
        let records = cancelled(stack, "three parallel agents", &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        together (cancelled)
          Ledger-1 (cancelled)
            timeline: llm_response (cancelled)
            messages: system, user
            llm: iteration (failed)
          Ledger-2 (cancelled)
            timeline: llm_response (cancelled)
            messages: system, user
            llm: iteration (failed)
          Ledger-3 (cancelled)
            timeline: llm_response (cancelled)
            messages: system, user
            llm: iteration (failed)
        session (cancelled)
        ");
        vendor_is_left(stack, before, 3).await
    })
}

#[test]
fn a_synthesis_is_cancelled_and_what_the_agents_found_is_kept() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("team", "stop in the synthesis").await?;
        stalled(&viewer, 1).await?;
        let records = cancelled(stack, "a synthesis", &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        together
          Ledger-1
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
          Ledger-2
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
          Ledger-3
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
        together - Synthesis (cancelled)
          SynthesisAgent (cancelled)
            timeline: llm_response (cancelled)
            messages: system, user
            llm: synthesis (failed)
        session (cancelled)
        ");
        let found = records.detail["final_analysis"].as_str().unwrap_or_default();
        assert!(found.contains("The disk is full."), "{found}");
        Ok(())
    })
}

#[test]
fn an_executive_summary_is_cancelled_and_the_analysis_is_kept() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("one", "stop in the summary").await?;
        let summary = |one: &Asked| one.purpose() == Purpose::Summary;
        let model = stack.model()?;
        eventually("the summary is asked for", TIMEOUT, || {
            model.asked().iter().any(|one| summary(one) && one.contains("stop in the summary"))
        })
        .await?;
        // It is asked for at the same time.
        let verdict = |event: &serde_json::Value| event["type"] == "verdict.recorded";
        viewer.wait_for("the verdict", TIMEOUT, verdict).await?;
        let records = cancelled(stack, "an executive summary", &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
        session (cancelled)
            llm: executive_summary (failed), verdict
        ");
        assert_eq!(records.detail["final_analysis"], "stop in the summary");
        Ok(())
    })
}

#[test]
fn a_pause_before_the_next_try_is_cancelled() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("one", "stop in a pause").await?;
        let failure = |event: &serde_json::Value| event["event_type"] == "error";
        viewer.wait_for("first failure", TIMEOUT, failure).await?;
        let records = cancelled(stack, "a pause before the next try", &session, &viewer).await?;
        assert_eq!(records.stages[0]["status"], "cancelled");
        assert_eq!(records.executions[0]["status"], "cancelled");
        Ok(())
    })
}

#[test]
fn an_answer_in_a_chat_is_cancelled_and_the_session_stays_as_it_is() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("one", "stop in the chat").await?;
        stack.completes(&viewer).await?;
        let stage = stack.ask(&session, "How full?").await?;
        stalled(&viewer, 1).await?;
        let begun = Instant::now();
        let cancel = format!("/api/v1/sessions/{session}/cancel");
        assert_eq!(stack.post(&cancel, &json!({})).await?.0, 200);
        viewer.stage_ends(&stage, "cancelled", TIMEOUT).await?;
        print_latency("an answer in a chat", begun);
        let records = Records::agreeing(stack, &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
        chat: Chat Response (cancelled)
          Ledger (cancelled)
            timeline: user_question, llm_response (cancelled)
            messages: system, user
            llm: chat_response (failed)
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        Ok(())
    })
}
