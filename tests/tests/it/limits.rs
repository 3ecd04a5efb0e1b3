//! What bounds an investigation: budgets, providers that cannot be used, models that do not answer. And how calls
//! are numbered, so that a conclusion can name them.

use std::time::Duration;

use anyhow::Context as _;
use insta::assert_snapshot;
use serde_json::{Value, json};
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Llm, Purpose, Records, Script, Shared, StackOptions};

const TIMEOUT: Duration = Duration::from_secs(90);

/// A ledger whose calls may not take long.
const SERVERS: &str = "  \
  hasty:
    transport: {<<: *ledger, call_timeout: 2s}
    policy: {mode: allow_all}
";

const DEFAULTS: &str = "  llm_timeouts: {first_token: 15s, stall: 8s}\n";

/// A cent for each token.
const PRICES: &str = "  cost_estimation: {model_rates: {gpt-played: {input_per_million: 10000, output_per_million: 10000}}}\n";

const CHAINS: &str = "  \
  frugal:
    alert_types: [frugal]
    budget: {tool_calls: 2}
    stages:
      - {name: reading, agents: [{name: Ledger}]}
      - {name: telling, agents: [{name: Ledger}]}
  terse:
    alert_types: [terse]
    budget: {llm_calls: 2}
    stages:
      - {name: reading, agents: [{name: Ledger}]}
    chat: {agent: Ledger}
  brief:
    alert_types: [brief]
    budget: {tokens: 150}
    stages:
      - {name: reading, agents: [{name: Ledger}]}
  dear:
    alert_types: [dear]
    budget: {cost_usd: 1.5}
    stages:
      - {name: reading, agents: [{name: Ledger}]}
  spare:
    alert_types: [spare]
    fallback_providers: [second]
    stages:
      - {name: reading, agents: [{name: Ledger}]}
  one:
    alert_types: [one]
    stages:
      - {name: reading, agents: [{name: Ledger}]}
  hasty:
    alert_types: [hasty]
    stages:
      - {name: reading, agents: [{name: Ledger, mcp_servers: [hasty]}]}
  team:
    alert_types: [team]
    stages:
      - {name: together, agents: [{name: Ledger}], replicas: 3}
    chat: {agent: Ledger}
";

static STACK: Shared = Shared::new(|| StackOptions {
    llm: Llm::Scripted(Script::new(play)),
    chains: CHAINS,
    defaults: DEFAULTS,
    servers: SERVERS,
    system: PRICES,
    workers: 8,
    ..StackOptions::default()
});

fn play(asked: &Asked) -> Answer {
    if let Some(answer) = usual(asked) {
        return answer;
    }
    let first = asked.model == "gpt-played";
    if first && asked.contains("The first refuses") {
        return Answer::Refuses(401);
    }
    if first && asked.contains("The first is broken") {
        return Answer::Refuses(500);
    }
    if asked.contains("The model is silent") && (first || !asked.contains("for a while")) {
        return Answer::NoAnswer;
    }
    if asked.contains("The model pauses") {
        return Answer::Stalls("So far I have seen that ".to_owned());
    }
    if asked.contains("Type: hasty") && asked.turn() == 0 {
        return Answer::call("hasty__record", json!({ "what": "for long", "ms": 600_000 }));
    }
    let greedy = ["frugal", "terse", "brief", "dear"]
        .iter()
        .any(|kind| asked.contains(&format!("Type: {kind}")) && !asked.tools.is_empty());
    match asked.turn() {
        turn if greedy || turn == 0 && !asked.tools.is_empty() => {
            Answer::call("ledger__look", json!({ "what": format!("disk {turn}") }))
        }
        _ if asked.purpose() == Purpose::Chat => Answer::text("As [call 1] showed."),
        _ => Answer::text("The disk is full [call 1]."),
    }
}

fn metadata<'a>(records: &'a Records, kind: &str) -> anyhow::Result<&'a Value> {
    let event = records.first(kind).with_context(|| format!("no {kind}\n{}", records.report()))?;
    event.get("metadata").context("an event has metadata")
}

#[test]
fn a_budget_that_is_used_up_forces_the_conclusion_of_every_agent() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("frugal", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_tool_call, llm_tool_call, budget_reached, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant, tool, user, assistant
            llm: iteration, iteration, forced_conclusion
            mcp: ledger.look, ledger.look
        telling
          Ledger
            timeline: budget_reached, llm_response, final_analysis
            messages: system, user, user, assistant
            llm: forced_conclusion
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let reached = metadata(&records, "budget_reached")?;
        assert_eq!(*reached, json!({ "limit": "tool_calls", "maximum": 2, "used": 2 }));
        let budget = records.detail.get("budget").and_then(|budget| budget.get("tool_calls"));
        assert_eq!(budget, Some(&json!({ "limit": 2, "used": 2 })));
        Ok(())
    })
}

#[test]
fn budgets_of_model_calls_of_tokens_and_of_money_force_the_conclusion_too() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        for (kind, limit) in [("terse", "llm_calls"), ("brief", "tokens"), ("dear", "cost_usd")] {
            let (records, _) = stack.investigated(kind, "disk full", "completed").await?;
            insta::allow_duplicates! {
                assert_snapshot!(records.report(), @r"
                reading
                  Ledger
                    timeline: llm_tool_call, llm_tool_call, budget_reached, llm_response, final_analysis
                    messages: system, user, assistant, tool, assistant, tool, user, assistant
                    llm: iteration, iteration, forced_conclusion
                    mcp: ledger.look, ledger.look
                session
                    timeline: executive_summary
                    llm: executive_summary, verdict
                ");
            }
            let reached = metadata(&records, "budget_reached")?;
            assert_eq!(reached.get("limit"), Some(&json!(limit)), "{reached}");
            let asked = records.prompts("reading");
            let reported = asked.last().copied().unwrap_or_default();
            assert!(reported.contains("budget"), "the model is told why: {reported}");
        }
        Ok(())
    })
}

#[test]
fn a_question_has_a_budget_of_its_own() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, viewer) = stack.investigated("terse", "disk full", "completed").await?;
        let records = stack.answered(records.session(), &viewer, "How full?").await?;
        let of_chat = |row: &&Value| {
            let chat = records.stages.last().and_then(|stage| stage.get("id"));
            row.get("stage_id") == chat
        };
        assert_eq!(records.mcp.iter().filter(of_chat).count(), 2, "{}", records.report());
        let reached = records.timeline.iter().filter(of_chat);
        let reached = reached.filter(|one| one.get("event_type") == Some(&json!("budget_reached")));
        assert_eq!(reached.count(), 1, "{}", records.report());
        Ok(())
    })
}

#[test]
fn a_provider_that_refuses_is_followed_by_the_next_one() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("spare", "The first refuses", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: error, provider_fallback, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration (failed), iteration, final_analysis
            mcp: ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let switch = metadata(&records, "provider_fallback")?;
        assert_eq!(switch.get("from"), Some(&json!("played")));
        assert_eq!(switch.get("to"), Some(&json!("second")));
        let begun: Vec<_> = records.executions.iter().map(|one| one.get("llm_provider")).collect();
        assert_eq!(begun, [Some(&json!("played"))], "the one it began with");
        Ok(())
    })
}

#[test]
fn a_provider_that_stays_broken_is_followed_by_the_next_one() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("spare", "The first is broken", "completed").await?;
        let switch = metadata(&records, "provider_fallback")?;
        assert_eq!(switch.get("to"), Some(&json!("second")));
        assert_eq!(
            records.detail.get("final_analysis"),
            Some(&json!("The disk is full [call 1]."))
        );
        let second = records.llm.iter().filter(|call| {
            call.get("model_name") == Some(&json!("gpt-second"))
                && call.get("error_message").is_none_or(Value::is_null)
                && call.get("execution_id").is_some_and(Value::is_string)
        });
        assert_eq!(second.count(), 2, "the agent stays with it\n{}", records.report());
        Ok(())
    })
}

#[test]
fn a_model_that_never_begins_twice_ends_the_agent_as_timed_out() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("one", "The model is silent", "timed_out").await?;
        assert_snapshot!(records.report(), @r"
        reading (timed_out)
          Ledger (timed_out)
            timeline: error, error
            messages: system, user
            llm: iteration (failed), iteration (failed)
        session (timed_out)
        ");
        Ok(())
    })
}

#[test]
fn a_model_that_never_begins_is_followed_by_the_next_one() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let data = "The model is silent for a while";
        let (records, _) = stack.investigated("spare", data, "completed").await?;
        let switch = metadata(&records, "provider_fallback")?;
        assert_eq!(switch.get("to"), Some(&json!("second")));
        Ok(())
    })
}

#[test]
fn a_model_that_pauses_for_too_long_twice_ends_the_agent_as_timed_out() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("one", "The model pauses", "timed_out").await?;
        assert_snapshot!(records.report(), @r"
        reading (timed_out)
          Ledger (timed_out)
            timeline: llm_response (failed), error, llm_response (failed), error
            messages: system, user
            llm: iteration (failed), iteration (failed)
        session (timed_out)
        ");
        let texts = records.contents("llm_response");
        assert!(texts.iter().all(|text| text.contains("So far")), "what came is kept: {texts:?}");
        Ok(())
    })
}

#[test]
fn a_call_that_takes_too_long_is_stopped_and_the_model_goes_on() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("hasty", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Ledger
            timeline: llm_tool_call (failed), llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: hasty.record (failed)
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let call = records.mcp.first().context("there is a call")?;
        assert_snapshot!(call.get("tool_result").and_then(Value::as_str).unwrap_or_default(), @"The tool 'hasty.record' timed out: it did not answer within 2.0 s and was cancelled.");
        stack.wait_for_ledger("cancelled record for long", TIMEOUT).await
    })
}

#[test]
fn calls_are_numbered_through_the_session_and_models_see_the_numbers() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, viewer) = stack.investigated("team", "disk full", "completed").await?;
        let records = stack.answered(records.session(), &viewer, "How full?").await?;
        let number = |call: &Value| call.get("call_number").and_then(Value::as_i64);
        let numbers: Vec<_> = records.mcp.iter().filter_map(number).collect();
        assert_eq!(numbers, [1, 2, 3, 4], "three agents and the chat");
        for call in &records.mcp {
            let card =
                records.timeline.iter().find(|one| one.get("id") == call.get("timeline_event_id"));
            let shown = card.and_then(|card| card.get("metadata")).and_then(number);
            assert_eq!(shown, number(call), "the card shows the number");
            let reported = records.messages.iter().filter(|message| {
                let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
                message.get("execution_id") == call.get("execution_id")
                    && message.get("role") == Some(&json!("tool"))
                    && number(call).is_some_and(|number| text.contains(&format!("[call {number}]")))
            });
            assert_eq!(reported.count(), 1, "the model is told the number");
        }
        let synthesis = records.prompts("together - Synthesis").join("\n");
        let chat = records.prompts("Chat Response").join("\n");
        for number in 1..=3 {
            let number = format!("[call {number}]");
            assert!(synthesis.contains(&number), "{number} is not in {synthesis}");
            assert!(chat.contains(&number), "{number} is not in {chat}");
        }
        Ok(())
    })
}
