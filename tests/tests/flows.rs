//! Agents that work at once, and agents that call their tools by text, on real parts.

use std::time::Duration;

use serde_json::json;
use tarsy_e2e::{Llm, Reply, Stack, StackOptions, record_is_whole};

const PATIENCE: Duration = Duration::from_secs(90);

const CHAINS: &str = "  \
  team:
    alert_types: [team]
    stages:
      - name: reading
        agents: [{name: Ledger}, {name: Ledger}, {name: Ledger}]
        success_policy: all
  text:
    alert_types: [text]
    stages:
      - name: reading
        agents: [{name: Ledger, iteration_strategy: react}]
";

async fn start(turns: Vec<Reply>) -> anyhow::Result<Stack> {
    let options =
        StackOptions { llm: Llm::Scripted(turns), chains: CHAINS, ..StackOptions::default() };
    Stack::start(options).await
}

/// One column of a query about a session.
async fn ask(stack: &Stack, session: &str, query: &'static str) -> anyhow::Result<Vec<String>> {
    let mut sql = stack.sql().await?;
    Ok(sqlx::query_scalar(query).bind(session).fetch_all(&mut sql).await?)
}

/// The kinds on the timeline, in its order.
async fn kinds(stack: &Stack, session: &str) -> anyhow::Result<Vec<String>> {
    ask(
        stack,
        session,
        "select event_type from timeline_events where session_id = $1::uuid \
         order by sequence_number",
    )
    .await
}

const ROLES: &str = "select string_agg(m.role, ' ' order by m.sequence_number) \
     from messages m join stages s on s.id = m.stage_id where m.session_id = $1::uuid \
     group by m.execution_id, s.stage_index order by s.stage_index";

const TURNS: &str = "select interaction_type from llm_interactions \
     where session_id = $1::uuid order by created_at, id";

#[tokio::test]
async fn three_agents_at_once_are_joined_by_a_synthesis() -> anyhow::Result<()> {
    let turns = vec![
        Reply::Calls(vec![("ledger__look", json!({"what": "disk", "ms": 50}))]),
        Reply::Says("The disk is full."),
    ];
    let stack = start(turns).await?;
    let session = stack.submit("team", "disk full").await?;
    let viewer = stack.watch(&session).await?;
    assert_eq!(viewer.wait_for_end(PATIENCE).await?, "completed", "{}", stack.logs());
    record_is_whole(&stack, &session, &viewer).await?;

    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["final_analysis"], "The synthesis: all agree.");
    let kinds = kinds(&stack, &session).await?;
    let count = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
    assert_eq!((count("llm_tool_call"), count("llm_response"), count("final_analysis")), (3, 4, 4));
    assert_eq!(kinds[10..], ["final_analysis", "executive_summary"], "{kinds:?}");

    let roles = ask(&stack, &session, ROLES).await?;
    let agent = "system user assistant tool assistant";
    assert_eq!(roles, [agent, agent, agent, "system user assistant"]);
    let turns = ask(&stack, &session, TURNS).await?;
    assert_eq!(turns.len(), 8);
    assert_eq!(turns[6..], ["synthesis", "executive_summary"]);
    assert_eq!(stack.vendor()?.requests().await?, 8);
    assert_eq!(stack.ledger(), ["look disk", "look disk", "look disk"]);

    let seen = viewer.seen();
    let stages: Vec<_> = seen
        .iter()
        .filter(|event| event["type"] == "stage.status")
        .map(|event| json!([event["stage_name"], event["stage_index"], event["status"]]))
        .collect();
    assert_eq!(
        stages,
        [
            json!(["reading", 1, "started"]),
            json!(["reading", 1, "completed"]),
            json!(["reading - Synthesis", 2, "started"]),
            json!(["reading - Synthesis", 2, "completed"]),
        ]
    );
    let done = seen
        .iter()
        .filter(|event| event["type"] == "execution.status" && event["status"] == "completed")
        .count();
    assert_eq!(done, 4, "every agent's card ends by itself");
    Ok(())
}

#[tokio::test]
async fn an_agent_without_tool_calling_uses_tools_by_text() -> anyhow::Result<()> {
    let turns = vec![
        Reply::Says(
            "Thought: the disk first.\nAction: ledger.look\nAction Input: {\"what\": \"disk\"}\n\
             Observation: made up by the model\nFinal Answer: made up, too",
        ),
        Reply::Says("So it is the disk?"),
        Reply::Says("Thought: enough.\nFinal Answer: The disk is full."),
    ];
    let stack = start(turns).await?;
    let session = stack.submit("text", "disk full").await?;
    let viewer = stack.watch(&session).await?;
    assert_eq!(viewer.wait_for_end(PATIENCE).await?, "completed", "{}", stack.logs());
    record_is_whole(&stack, &session, &viewer).await?;

    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await?;
    assert_eq!(detail["final_analysis"], "The disk is full.");
    assert_eq!(stack.ledger(), ["look disk"]);
    let kinds = kinds(&stack, &session).await?;
    let response = "llm_response";
    assert_eq!(
        kinds,
        [response, "llm_tool_call", response, response, "final_analysis", "executive_summary"]
    );
    let roles = ask(&stack, &session, ROLES).await?;
    assert_eq!(roles, ["system user assistant user assistant user assistant"]);
    let turns = ask(&stack, &session, TURNS).await?;
    assert_eq!(turns, ["iteration", "iteration", "final_analysis", "executive_summary"]);
    let said = ask(
        &stack,
        &session,
        "select content from messages where session_id = $1::uuid order by sequence_number",
    )
    .await?;
    assert!(said[3].starts_with("Observation: the call answered."), "{}", said[3]);
    assert!(said[3].contains("ledger entry: look disk"), "{}", said[3]);
    assert!(said.iter().all(|text| !text.contains("made up")), "{said:?}");
    Ok(())
}
