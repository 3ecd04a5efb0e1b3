//! Chains, stages of several agents, and chats, on the real processes: each flow checks timeline,
//! messages, interactions, and the events that a viewer was sent.

use std::sync::LazyLock;
use std::time::Duration;

use anyhow::Context as _;
use insta::assert_snapshot;
use serde_json::json;
use tarsy_e2e::model::usual;
use tarsy_e2e::{Answer, Asked, Gate, Llm, Purpose, Records, Script, Shared, StackOptions, Viewer};

const TIMEOUT: Duration = Duration::from_mins(1);

const CHAINS: &str = "  \
  three:
    alert_types: [three]
    stages:
      - {name: first, agents: [{name: Alpha}]}
      - {name: second, agents: [{name: Beta}]}
      - {name: third, agents: [{name: Gamma}]}
    chat: {agent: Ledger}
  any:
    alert_types: [any]
    stages:
      - {name: together, agents: [{name: Alpha}, {name: Beta}, {name: Gamma}], success_policy: any}
    chat: {agent: Ledger}
  all:
    alert_types: [all]
    stages:
      - {name: before, agents: [{name: Alpha}]}
      - {name: together, agents: [{name: Alpha}, {name: Beta}, {name: Gamma}], success_policy: all}
      - {name: after, agents: [{name: Alpha}]}
  replicas:
    alert_types: [replicas]
    stages:
      - {name: together, agents: [{name: Alpha}], replicas: 3}
  rules:
    alert_types: [rules]
    rules_first: true
    stages:
      - {name: reading, agents: [{name: Alpha}]}
  limit:
    alert_types: [limit]
    stages:
      - {name: reading, agents: [{name: Alpha, max_iterations: 2}]}
  text:
    alert_types: [text]
    stages:
      - {name: reading, agents: [{name: Alpha, iteration_strategy: react}]}
";

static STACK: Shared = Shared::new(|| StackOptions {
    llm: Llm::Scripted(Script::new(play)),
    chains: CHAINS,
    workers: 6,
    ..StackOptions::default()
});

/// Opened as soon as there is a viewer.
static WATCHED: LazyLock<Gate> = LazyLock::new(Gate::default);

fn play(asked: &Asked) -> Answer {
    let answer = chosen(asked);
    if asked.contains("before a viewer") {
        return Answer::Waits(WATCHED.clone(), Box::new(answer));
    }
    answer
}

/// Every agent looks once and concludes; what is special is named by the alert.
fn chosen(asked: &Asked) -> Answer {
    let agent = asked.role().unwrap_or("Ledger");
    if asked.purpose() == Purpose::Synthesis && asked.contains("the synthesis breaks") {
        return Answer::Refuses(401);
    }
    if let Some(answer) = usual(asked) {
        return answer;
    }
    if agent == "Beta" && asked.contains("Beta breaks") {
        return Answer::Refuses(401);
    }
    if asked.contains("Type: limit") && !asked.last().contains("iterations are used") {
        return Answer::call("ledger__look", json!({ "what": format!("turn {}", asked.turn()) }));
    }
    if asked.contains("Type: text") {
        return Answer::text(match asked.turn() {
            0 => {
                "Thought: look.\nAction: ledger.look\nAction Input: {\"what\": \"disk\"}\n\
                 Observation: made up by the model\nFinal Answer: made up, too"
            }
            1 => "Hm, the disk.",
            _ => "Thought: enough.\nFinal Answer: Alpha found the disk full.",
        });
    }
    let look = asked.tools.iter().any(|tool| tool == "ledger__look");
    match asked.turn() {
        0 if look => Answer::call("ledger__look", json!({ "what": agent })),
        _ if asked.purpose() == Purpose::Chat => {
            let questions = asked.task().matches("<question>").count();
            Answer::Text(format!("{agent} answers {questions}."))
        }
        _ => Answer::Text(format!("{agent} found the disk full.")),
    }
}

#[test]
fn each_of_three_stages_builds_on_what_the_ones_before_it_found() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("three", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        first
          Alpha
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        second
          Beta
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        third
          Gamma
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let last = records.prompts("third").join("\n");
        assert!(last.contains("CHAIN_CONTEXT_START"), "{last}");
        assert!(last.contains("Alpha found") && last.contains("Beta found"), "{last}");
        let first = records.prompts("first").join("\n");
        assert!(!first.contains("CHAIN_CONTEXT_START"), "{first}");
        assert_eq!(records.detail["final_analysis"], "Gamma found the disk full.");
        Ok(())
    })
}

#[test]
fn one_of_three_agents_fails_and_any_policy_goes_on_with_the_others() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) = stack.begun("any", "Beta breaks before a viewer").await?;
        // The ends of cards are not sent again to later subscribers: all three agents wait for
        // their models until the viewer has seen that they have their tools.
        let reported = |viewer: &Viewer, kind: &str, status: Option<&str>| {
            let seen = viewer.seen();
            let kind = seen.iter().filter(|event| event["type"] == kind);
            kind.filter(|event| status.is_none_or(|status| event["status"] == status)).count()
        };
        let ready = |viewer: &Viewer| Ok(reported(viewer, "interaction.created", None) == 3);
        viewer.wait_until("three agents have their tools", TIMEOUT, ready).await?;
        WATCHED.open();
        stack.completes(&viewer).await?;
        let ended = |viewer: &Viewer| {
            let ended = |status| reported(viewer, "execution.status", Some(status));
            Ok((ended("completed"), ended("failed")) == (3, 1))
        };
        viewer.wait_until("each card ends by itself", TIMEOUT, ended).await?;
        let records = Records::agreeing(stack, &session, &viewer).await?;
        assert_snapshot!(records.report(), @r"
        together
          Alpha
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
          Beta (failed)
            timeline: error
            messages: system, user
            llm: iteration (failed)
          Gamma
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        together - Synthesis
          SynthesisAgent
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: synthesis
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let synthesis = records.prompts("together - Synthesis").join("\n");
        assert!(synthesis.contains("Status: failed"), "{synthesis}");
        assert!(synthesis.contains("Gamma found the disk full."), "{synthesis}");
        Ok(())
    })
}

#[test]
fn one_of_three_agents_fails_and_all_policy_ends_the_chain_with_what_was_found()
-> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("all", "Beta breaks", "failed").await?;
        assert_snapshot!(records.report(), @r"
        before
          Alpha
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        together (failed)
          Alpha
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
          Beta (failed)
            timeline: error
            messages: system, user
            llm: iteration (failed)
          Gamma
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        session (failed)
        ");
        let error = records.detail["error_message"].as_str().unwrap_or_default();
        assert!(error.contains("together") && error.contains("Beta failed"), "{error}");
        let found = records.detail["final_analysis"].as_str().unwrap_or_default();
        assert!(found.contains("Gamma found the disk full."), "{found}");
        Ok(())
    })
}

#[test]
fn three_agents_that_succeed_satisfy_all_policy() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, viewer) = stack.investigated("all", "disk full", "completed").await?;
        let steps: Vec<_> = viewer
            .seen()
            .iter()
            .filter(|event| event["type"] == "stage.status" && event["status"] == "completed")
            .map(|event| json!([event["stage_index"], event["stage_name"]]))
            .collect();
        let names = ["before", "together", "together - Synthesis", "after"];
        let expected: Vec<_> = (1..).zip(names).map(|(index, name)| json!([index, name])).collect();
        assert_eq!(steps, expected);
        let after = records.prompts("after").join("\n");
        assert!(after.contains("The synthesis: all agree."), "{after}");
        assert!(!after.contains("Gamma found"), "the synthesis stands for the agents: {after}");
        Ok(())
    })
}

#[test]
fn three_replicas_have_names_of_their_own_and_one_synthesis() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("replicas", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        together
          Alpha-1
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
          Alpha-2
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
          Alpha-3
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        together - Synthesis
          SynthesisAgent
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: synthesis
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        assert_eq!(records.stages[0]["parallel_type"], "replica");
        Ok(())
    })
}

#[test]
fn a_failed_synthesis_fails_the_session_and_keeps_what_the_agents_found() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("any", "the synthesis breaks", "failed").await?;
        assert_snapshot!(records.report(), @r"
        together
          Alpha
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
          Beta
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
          Gamma
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        together - Synthesis (failed)
          SynthesisAgent (failed)
            timeline: error
            messages: system, user
            llm: synthesis (failed)
        session (failed)
        ");
        let found = records.detail["final_analysis"].as_str().unwrap_or_default();
        assert!(found.contains("## Alpha") && found.contains("Gamma found"), "{found}");
        Ok(())
    })
}

#[test]
fn at_the_limit_of_iterations_the_agent_concludes_without_tools() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("limit", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Alpha
            timeline: llm_tool_call, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant, tool, user, assistant
            llm: iteration, iteration, forced_conclusion
            mcp: ledger.look, ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        assert_eq!(records.detail["final_analysis"], "Alpha found the disk full.");
        Ok(())
    })
}

#[test]
fn a_react_agent_sees_its_malformed_turn_and_corrects_it() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (records, _) = stack.investigated("text", "disk full", "completed").await?;
        assert_snapshot!(records.report(), @r"
        reading
          Alpha
            timeline: llm_response, llm_tool_call, llm_response, llm_response, final_analysis
            messages: system, user, assistant, user, assistant, user, assistant
            llm: iteration, iteration, final_analysis
            mcp: ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let repair = records.prompts("reading");
        let repair = repair.last().copied().unwrap_or_default();
        assert!(repair.contains("could not be read"), "{repair}");
        let contents: Vec<_> = records.messages.iter().map(|message| &message["content"]).collect();
        let contents = json!(contents).to_string();
        assert!(contents.contains("Observation: [call 1] answered."), "{contents}");
        assert!(contents.contains("ledger entry: look disk"), "{contents}");
        assert!(
            !contents.contains("made up"),
            "an answer of the model to itself counts for nothing"
        );
        assert_eq!(records.detail["final_analysis"], "Alpha found the disk full.");
        Ok(())
    })
}

#[test]
fn an_alert_that_narrows_the_tools_binds_every_agent_and_the_chat() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let alert = json!({
            "alert_type": "any",
            "data": "only with a pencil",
            "mcp": { "servers": [{ "name": "ledger", "tools": ["record"] }] },
        });
        let (records, viewer) = stack.investigated_whole(&alert, "completed").await?;
        let records = stack.answered(records.session(), &viewer, "Who wrote it?").await?;
        assert_snapshot!(records.report(), @r"
        together
          Alpha
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
          Beta
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
          Gamma
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: final_analysis
        together - Synthesis
          SynthesisAgent
            timeline: llm_response, final_analysis
            messages: system, user, assistant
            llm: synthesis
        chat: Chat Response
          Ledger
            timeline: user_question, llm_response, final_analysis
            messages: system, user, assistant
            llm: chat_response
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        let asked = stack.model()?.asked();
        let mut with_tools = 0;
        for asked in asked
            .iter()
            .filter(|asked| asked.contains("only with a pencil") && !asked.tools.is_empty())
        {
            assert_eq!(asked.tools, ["ledger__record", "tarsy__load_skill"], "{}", asked.system);
            with_tools += 1;
        }
        assert_eq!(with_tools, 4, "three agents and the chat were offered the one tool");
        Ok(())
    })
}

#[test]
fn three_questions_are_answered_in_turn_each_with_the_earlier_answers() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (mut records, viewer) = stack.investigated("three", "disk full", "completed").await?;
        for question in ["Who?", "When?", "And before?"] {
            records = stack.answered(records.session(), &viewer, question).await?;
        }
        assert_snapshot!(records.report(), @r"
        first
          Alpha
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        second
          Beta
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        third
          Gamma
            timeline: llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: iteration, final_analysis
            mcp: ledger.look
        chat: Chat Response
          Ledger
            timeline: user_question, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: chat_response, chat_response
            mcp: ledger.look
        chat: Chat Response
          Ledger
            timeline: user_question, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: chat_response, chat_response
            mcp: ledger.look
        chat: Chat Response
          Ledger
            timeline: user_question, llm_tool_call, llm_response, final_analysis
            messages: system, user, assistant, tool, assistant
            llm: chat_response, chat_response
            mcp: ledger.look
        session
            timeline: executive_summary
            llm: executive_summary, verdict
        ");
        assert_eq!(records.contents("user_question"), ["Who?", "When?", "And before?"]);
        let questions = viewer.seen().into_iter().filter(|event| {
            event["type"] == "timeline_event.created" && event["event_type"] == "user_question"
        });
        let answering = questions.map(|question| question["execution_id"].clone());
        let agents = records.executions.iter().rev().take(3).rev();
        let agents = agents.map(|execution| execution["id"].clone());
        assert_eq!(answering.collect::<Vec<_>>(), agents.collect::<Vec<_>>());
        let last = records.messages.iter().rfind(|message| message["role"] == "user");
        let last = records
            .messages
            .iter()
            .filter(|message| message["role"] == "user")
            .filter_map(|message| message["content"].as_str())
            .find(|prompt| prompt.contains("<question>\nAnd before?"))
            .with_context(|| format!("no prompt of the last question: {last:?}"))?;
        for part in ["Who?", "When?", "Ledger answers", "Gamma found", "ledger.look"] {
            assert!(last.contains(part), "{part:?} is not in {last}");
        }
        Ok(())
    })
}

#[test]
fn a_model_is_given_what_the_rules_found() -> anyhow::Result<()> {
    STACK.run(async |stack| {
        let (session, viewer) =
            stack.begun("rules", "the disk of web-1 is full, after rules").await?;
        stack.completes(&viewer).await?;
        let asked = stack.model()?.asked();
        let mut own = asked.iter().filter(|asked| asked.contains("web-1 is full, after rules"));
        let first = own.next().context("the model is asked")?;
        assert!(first.contains("No result shows a fault"), "{}", first.task());
        assert!(!first.contains("no LLM was used"), "models copy it: {}", first.task());
        let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
        let names = detail["stages"].as_array().into_iter().flatten();
        let names: Vec<_> = names.filter_map(|stage| stage["stage_name"].as_str()).collect();
        assert_eq!(names, ["rules", "reading"]);
        Ok(())
    })
}
