//! What a session may use up, and what happens then.

use serde_json::json;
use tarsy_catalog::{Budget, Limits, ProviderType, ResolvedPrice};
use tarsy_domain::event::{LlmInteractionKind, Role, TimelineKind};
use tarsy_domain::id::{ExecutionId, SessionId};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;
use tarsy_store::Usage;

use crate::stack::{Stack, answer, answer_with, call, calls, chain, text, two_stages, usage};

fn budget(llm_calls: u32, tokens: u32, tool_calls: u32) -> Budget {
    Budget { llm_calls, tokens, tool_calls, cost_usd: None }
}

/// What the timeline says of budgets, in the order of the session.
async fn reached(stack: &Stack, id: SessionId) -> Vec<(Option<ExecutionId>, serde_json::Value)> {
    let events = stack.timeline(id).await.into_iter();
    let reached = events.filter(|event| event.kind == TimelineKind::BudgetReached);
    reached.map(|event| (event.execution_id, event.metadata.unwrap())).collect()
}

#[tokio::test]
async fn when_the_model_calls_are_used_up_every_agent_only_concludes() {
    let turns = [
        calls("host.load"),
        answer_with("It is the load."),
        answer_with("Clean up."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut chain = two_stages();
    chain.budget = budget(1, 1_000, 10);
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    submitted.check_order();
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Clean up."));
    assert_eq!(session.executive_summary.as_deref(), Some("Short."));

    let asked = stack.llm.requests();
    let offered: Vec<_> = asked.iter().map(|asked| asked.tools.len()).collect();
    assert_eq!(offered, [1, 0, 0, 0]);
    assert!(stack.prompt(1).starts_with("The budget of 1 model calls is used up; no more tools"));
    assert_eq!(stack.toolbox.opens().len(), 1, "who only concludes needs no tools");
    let executions = stack.store.list_executions(submitted.id).await.unwrap();
    let prompt = reached(&stack, submitted.id).await;
    assert_eq!(
        prompt,
        [
            (Some(executions[0].id), json!({"limit": "llm_calls", "maximum": 1, "used": 1})),
            (Some(executions[1].id), json!({"limit": "llm_calls", "maximum": 1, "used": 2})),
        ]
    );
    let words = stack.texts(submitted.id, TimelineKind::BudgetReached).await;
    assert_eq!(words[0], "The budget of 1 model calls is used up (1). The agent concludes now.");
    let trace = stack.store.find_trace(submitted.id).await.unwrap();
    let kinds = trace.stages.iter().flat_map(|stage| &stage.executions[0].llm_interactions);
    let kinds: Vec<_> = kinds.map(|one| one.kind).collect();
    let forced = LlmInteractionKind::ForcedConclusion;
    assert_eq!(kinds, [LlmInteractionKind::Iteration, forced, forced]);
    let used = stack.store.find_usage(submitted.id).await.unwrap();
    assert_eq!(used, Usage { llm_calls: 4, tokens: 60, tool_calls: 1, ..Usage::default() });
}

#[tokio::test]
async fn when_the_money_is_used_up_the_agent_concludes_and_a_model_without_a_price_counts_as_nothing()
 {
    let turns = [calls("host.load"), answer_with("It is the load."), answer_with("Short.")];
    let price = ResolvedPrice {
        input: 1_000_000,
        cached_input: 1_000_000,
        output: 2_000_000,
        thinking: None,
        listed: None,
    };
    for (price, metadata) in [
        (Some(price), Some(json!({"limit": "cost_usd", "maximum": 0.00002, "used": 0.00002}))),
        (None, None),
    ] {
        let stack = Stack::new(turns.clone()).await;
        stack.worker("one").await;
        let mut chain = chain();
        chain.budget = Budget { cost_usd: Some(20), ..Budget::default() };
        let provider = &mut chain.stages[0].agents[0].provider;
        (provider.provider_type, provider.price) = (ProviderType::Openai, price);
        let mut submitted = stack.submit(&chain).await;
        submitted.ends(SessionStatus::Completed).await;
        let session = stack.check_end(&submitted, SessionStatus::Completed).await;
        assert_eq!(session.final_analysis.as_deref(), Some("It is the load."));
        let events = reached(&stack, submitted.id).await;
        assert_eq!(events.into_iter().map(|(_, event)| event).next(), metadata);
        let detail = stack.store.find_session_detail(submitted.id).await.unwrap().unwrap();
        let cost = detail.budget.cost_micro_usd.unwrap();
        assert_eq!((cost.limit, cost.used), (20, if metadata.is_some() { 40 } else { 0 }));
    }
}

#[tokio::test]
async fn calls_that_exceed_the_budget_are_not_made() {
    let three = vec![call("a", "host.load"), call("b", "host.load"), call("c", "host.load")];
    let stack =
        Stack::new([Script::Answer(three), answer_with("The load."), answer_with("Short.")]).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.budget = budget(10, 1_000, 2);
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 2);
    let messages = &stack.llm.requests()[1].messages;
    let prompt: Vec<_> =
        messages.iter().filter(|one| one.role == Role::Tool).map(|one| &one.content).collect();
    let declined = "This call was not made: the budget of 2 tool calls is used up.";
    assert_eq!(prompt, [&answer(1, "0.4"), &answer(2, "0.4"), declined]);
    let [(_, prompt)] = &reached(&stack, submitted.id).await[..] else { panic!("no single event") };
    assert_eq!(*prompt, json!({"limit": "tool_calls", "maximum": 2, "used": 2}));
}

#[tokio::test]
async fn a_model_that_calls_by_text_concludes_too_when_its_tokens_are_used_up() {
    let calls = "Thought: hm\nAction: host.load\nAction Input: {}";
    let turns = [
        answer_with(calls),
        answer_with("Action: host.load\nAction Input: {}"),
        answer_with("The load is high."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    stack.worker("one").await;
    let mut chain = chain();
    chain.stages[0].agents[0].strategy = tarsy_catalog::Strategy::React;
    chain.budget = budget(10, 15, 10);
    let mut submitted = stack.submit(&chain).await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    // A call in place of its conclusion is refused once.
    assert_eq!(session.final_analysis.as_deref(), Some("The load is high."));
    assert_eq!(stack.toolbox.calls().len(), 1);
    let [(_, prompt)] = &reached(&stack, submitted.id).await[..] else { panic!("no single event") };
    assert_eq!(*prompt, json!({"limit": "tokens", "maximum": 15, "used": 15}));
}

#[tokio::test]
async fn another_owner_continues_to_count_and_reports_the_limit_once() {
    let pauses = Script::Pause(vec![text("It is ")], vec![]);
    let turns = [calls("host.load"), pauses, answer_with("It is the load."), answer_with("Short.")];
    let stack = Stack::new(turns).await;
    let first = stack.doomed("one").await;
    let mut chain = chain();
    chain.budget = budget(1, 1_000, 10);
    let mut submitted = stack.submit(&chain).await;
    submitted.until("timeline_event.created", "streaming").await;
    submitted.until("timeline_event.created", "streaming").await;
    submitted.until("timeline_event.created", "streaming").await;
    first.kill().await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("It is the load."));
    assert_eq!(reached(&stack, submitted.id).await.len(), 1);
    let asked = stack.llm.requests();
    assert_eq!(asked[1].messages, asked[2].messages);
    assert!(asked[2].tools.is_empty());
}

#[tokio::test]
async fn agents_at_once_share_one_budget() {
    let looks = || Script::Answer(vec![call("c", "host.load"), usage()]);
    let turns = [
        looks(),
        looks(),
        answer_with("One."),
        answer_with("Two."),
        answer_with("Both."),
        answer_with("Short."),
    ];
    let stack = Stack::new(turns).await;
    // Each has one of the two model calls: none comes back for more before both have begun.
    let gate = stack.toolbox.block("host.load");
    stack.worker("one").await;
    let mut chain = crate::flows::replicas(2, tarsy_catalog::SuccessPolicy::All);
    chain.budget = budget(2, 1_000, 10);
    let mut submitted = stack.submit(&chain).await;
    gate.entered(2).await;
    gate.release();
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis.as_deref(), Some("Both."), "a synthesis is still written");
    assert_eq!(reached(&stack, submitted.id).await.len(), 2, "each agent says so once");
}

#[tokio::test]
async fn when_the_tokens_of_the_day_are_used_up_agents_conclude_and_no_session_begins() {
    let turns = [calls("host.load"), answer_with("It is the load."), answer_with("Short.")];
    for (quotas, limit, unit) in [
        (Limits { daily_tokens: 15, ..Limits::default() }, "daily_tokens", "tokens a day"),
        (
            Limits { daily_tokens_per_sender: 15, ..Limits::default() },
            "daily_tokens_per_sender",
            "tokens a day for one sender",
        ),
    ] {
        let mut stack = Stack::new(turns.clone()).await;
        stack.quotas = quotas;
        stack.worker("one").await;
        let mut first = stack.submit(&chain()).await;
        first.ends(SessionStatus::Completed).await;
        let session = stack.check_end(&first, SessionStatus::Completed).await;
        assert_eq!(session.final_analysis.as_deref(), Some("It is the load."));
        let [(_, event)] = &reached(&stack, first.id).await[..] else { panic!("no single event") };
        assert_eq!(*event, json!({"limit": limit, "maximum": 15, "used": 15}));
        let mut second = stack.submit(&chain()).await;
        second.ends(SessionStatus::Failed).await;
        let session = stack.check_end(&second, SessionStatus::Failed).await;
        let error = session.error_message.unwrap();
        let expected = format!(
            "The budget of 15 {unit} is used up (45). Submit the alert again after 00:00 UTC."
        );
        assert_eq!(error, expected);
        assert_eq!(stack.llm.requests().len(), 3, "no model was called for it");
    }
}
