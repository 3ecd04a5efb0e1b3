//! What goes wrong in an investigation without a crash: models that answer nothing or repeat themselves, tool
//! servers that cannot be used, calls that make no sense, a summary that cannot be had.

use std::sync::atomic::{AtomicUsize, Ordering};

use insta::assert_snapshot;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Purpose, Records, Script, Shared, StackOptions};

const CHAINS: &str = "  \
  half:
    alert_types: [half]
    stages:
      - {name: reading, agents: [{name: Ledger, mcp_servers: [ledger, broken]}]}
  without:
    alert_types: [without]
    stages:
      - {name: reading, agents: [{name: Ledger, mcp_servers: [broken]}]}
";

const SERVERS: &str = "  \
  broken:
    transport: {type: stdio, command: /bin/false}
    policy: {mode: allow_all}
";

static STACK: Shared = Shared::new(|| StackOptions {
    llm: Llm::Scripted(Script::new(play)),
    chains: CHAINS,
    servers: SERVERS,
    runbooks: &[("disk.md", "Look at the logs of web-1 first.")],
    workers: 8,
    ..StackOptions::default()
});

/// How often the model was asked that repeats itself at first.
static REPEATED: AtomicUsize = AtomicUsize::new(0);

fn play(asked: &Asked) -> Answer {
    if asked.purpose() == Purpose::Summary && asked.contains("No summary for this one.") {
        return Answer::Refuses(401);
    }
    if let Some(answer) = usual(asked) {
        return answer;
    }
    if asked.contains("The model has no words") {
        return Answer::Nothing;
    }
    if asked.contains("The model repeats itself") && REPEATED.fetch_add(1, Ordering::SeqCst) == 0 {
        return Answer::Text("And then the disk was full again. ".repeat(400));
    }
    if asked.contains("The summary breaks") {
        return Answer::text("No summary for this one.");
    }
    match asked.turn() {
        0 if asked.contains("The calls are odd") => Answer::Calls(vec![
            ("ledger__erase", json!({ "what": "all" })),
            ("ledger__record", json!({ "ms": "long" })),
        ]),
        0 if !asked.tools.is_empty() => Answer::call("ledger__look", json!({ "what": "disk" })),
        _ => Answer::text("The disk is full."),
    }
}

/// A text of the session's detail.
fn reported<'a>(records: &'a Records, key: &str) -> &'a str {
    records.detail.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn an_empty_answer_is_requested_again_twice_and_then_fails_the_session() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("ledger", "The model has no words", "failed").await?;
        assert_snapshot!(records.report(), @r"
        reading (failed)
          Ledger (failed)
            timeline: error, error, error
            messages: system, user
            llm: iteration (failed), iteration (failed), iteration (failed)
        session (failed)
        ");
        let error = reported(&records, "error_message");
        assert!(error.contains("the model returned an empty answer"), "{error}");
        let failure = records.detail.get("failure").cloned().unwrap_or_default();
        let facts = ["code", "stage", "agent", "provider"].map(|key| failure.get(key).cloned());
        let expected = ["unusable_answer", "reading", "Ledger", "played"];
        assert_eq!(facts, expected.map(|text| Some(text.into())), "{failure}");
        Ok(())
    })
}

#[test]
fn a_model_that_repeats_itself_is_cut_off_and_asked_again() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) =
            stack.investigated("ledger", "The model repeats itself", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_response (failed), error, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration (failed), iteration, final_analysis
            mcp: ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let cut = records.contents("llm_response");
        let cut = cut.first().copied().unwrap_or_default();
        assert!(cut.len() < 34 * 400, "all of it was waited for");
        assert_eq!(reported(&records, "final_analysis"), "The disk is full.");
        Ok(())
    })
}

#[test]
fn without_its_summary_the_session_is_complete_and_shows_the_reason() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("ledger", "The summary breaks", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
        session
            llm: executive_summary (failed), verdict
        ");
        assert_eq!(reported(&records, "final_analysis"), "No summary for this one.");
        assert!(!reported(&records, "executive_summary_error").is_empty(), "{}", records.detail);
        Ok(())
    })
}

#[test]
fn the_model_sees_which_tool_server_is_unavailable_and_why() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("half", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: error, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let prompt = records.prompts("reading").join("\n");
        let line = prompt.lines().find(|line| line.contains("broken")).unwrap_or_default();
        let why = line.strip_prefix("- broken: ");
        assert!(why.is_some_and(|why| !why.is_empty()), "{line:?} of {prompt}");
        Ok(())
    })
}

#[test]
fn an_agent_whose_only_tool_server_cannot_be_used_works_without_tools() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("without", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: error, llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        Ok(())
    })
}

#[test]
fn a_missing_runbook_is_reported_and_an_existing_one_is_read() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        for (name, there) in [("disk.md", true), ("nothing.md", false)] {
            let place = stack.path("runbooks").join(name);
            let alert = json!({
                "alert_type": "ledger",
                "data": "disk full",
                "runbook": format!("file:///{name}"),
            });
            assert_eq!(place.exists(), there);
            let (records, viewer) = stack.investigated_whole(&alert, "completed").await?;
            let records = stack.answered(records.session(), &viewer, "How full?").await?;
            for stage in ["reading", "Chat Response"] {
                let prompt = records.prompts(stage).join("\n");
                assert_eq!(prompt.contains("Look at the logs of web-1 first."), there, "{prompt}");
            }
            let notes = records.contents("error");
            assert_eq!(notes.is_empty(), there, "{notes:?}");
            let reported = notes.first().is_none_or(|note| note.contains("with the default one"));
            assert!(reported, "{notes:?}");
        }
        Ok(())
    })
}

#[test]
fn calls_that_make_no_sense_are_answered_with_what_would() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("ledger", "The calls are odd", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_tool_call (failed), llm_tool_call (failed), llm_response, final_analysis
            messages: system, user, assistant, tool, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.erase (failed), ledger.record (failed)
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let answers: Vec<&str> = records
            .mcp
            .iter()
            .filter_map(|call| call.get("tool_result").and_then(Value::as_str))
            .collect();
        assert_snapshot!(answers.join("\n"), @r#"
        There is no tool 'ledger.erase'. Available tools: ledger.look, ledger.record.
        The call of 'ledger.record' was not made: `what` is missing; `ms` must be of type integer, not "long". The tool takes a JSON object with: what (string, required), ms (integer), until (string), of (string), rows (integer).
        "#);
        assert!(stack.ledger().iter().all(|line| !line.contains("all")), "nothing was called");
        Ok(())
    })
}
