//! Calls of agents of type `action`: approved, checked, and taken back by a person.

use serde_json::{Value, json};
use tarsy_catalog::{Backend, ResolvedChain, ResolvedRemediation};
use tarsy_contracts::action::{Action, ReadingBefore};
use tarsy_contracts::mcp::{Outcome, Requirement, Tool, ToolClass, ToolTerms};
use tarsy_domain::access::Identification;
use tarsy_domain::action::{ActionOutcome, ActionState};
use tarsy_domain::event::{ApprovalDecision, TimelineKind};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::{SessionStatus, WorkStatus};
use tarsy_llm::{Chunk, Script, ToolCall};
use tarsy_store::{ActionValues, AuditQuery, Decider, RollbackOutcome};
use tarsy_testkit::eventually;
use tarsy_tools::ScriptedToolbox;
use tarsy_tools::fake::Answer;

use crate::approvals::{decide, waiting};
use crate::replays::replayed_with;
use crate::stack::{Stack, WAIT, answer_with, chain, read_only, usage};

const ANNA: Decider<'static> = Decider { name: "anna", with: Identification::SignIn };

/// A chain whose agent changes something, where `enabled`.
fn acting(enabled: bool) -> ResolvedChain {
    let mut chain = chain();
    let agent = &mut chain.stages[0].agents[0];
    agent.provider.backend = Backend::Langchain;
    agent.action = Some(ResolvedRemediation {
        enabled,
        initial_delay_ms: 10,
        checks: 2,
        pause_ms: 10,
        deadline_ms: 60_000,
    });
    chain
}

fn scale() -> Tool {
    let terms = ToolTerms {
        class: ToolClass::Write,
        requirement: Requirement::Approval,
        pinned: true,
        reason: "its name has the word 'scale'".to_owned(),
        definition: "0123".to_owned(),
        ..ToolTerms::default()
    };
    Tool { read_only: false, terms, ..read_only("host", "scale") }
}

fn tools() -> ScriptedToolbox {
    tools_with(scale())
}

fn tools_with(scale: Tool) -> ScriptedToolbox {
    let terms = ToolTerms { class: ToolClass::ReadOnly, ..ToolTerms::default() };
    let replicas = Tool { terms, ..read_only("host", "replicas") };
    ScriptedToolbox::new()
        .with_tool(scale)
        .with_tool(replicas)
        .answers("host.scale", "scaled")
        .answers("host.replicas", r#"{"ready": 1}"#)
}

fn plan() -> Value {
    json!({
        "effect": "checkout has three ready replicas",
        "check": {
            "tool": "host.replicas",
            "arguments": {"of": "checkout"},
            "expect": {"pointer": "/ready", "at_least": 3},
        },
        "rollback": {"tool": "host.scale", "arguments": {"to": 1}, "expect": {"pointer": "/ready", "equals": "1"}},
    })
}

fn scales(intent: Option<Value>) -> Script {
    let mut arguments = json!({"to": 3});
    if let Some(intent) = intent {
        arguments["_action"] = intent;
    }
    let call = ToolCall {
        id: "c1".to_owned(),
        name: "host.scale".to_owned(),
        arguments: arguments.to_string(),
        ..ToolCall::default()
    };
    Script::Answer(vec![Chunk::ToolCall(call), usage()])
}

async fn stack(intent: Option<Value>) -> Stack {
    let turns = [scales(intent), answer_with("It was scaled."), answer_with("Short.")];
    Stack::with(turns, tools()).await
}

/// The calls that reached the tools, in order.
fn made(stack: &Stack) -> Vec<(String, Value)> {
    let calls = stack.toolbox.calls().into_iter();
    calls
        .map(|one| (one.call.name.clone(), serde_json::from_str(&one.call.arguments).unwrap()))
        .collect()
}

async fn only(stack: &Stack, session: SessionId) -> Action {
    let mut actions = stack.store.list_actions(session).await.unwrap();
    assert_eq!(actions.len(), 1, "{actions:?}");
    actions.remove(0)
}

#[tokio::test]
async fn an_action_that_did_not_work_is_rolled_back_by_a_person() {
    let stack = stack(Some(plan())).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&acting(true)).await;
    let approval = waiting(&stack, submitted.id).await;
    assert_eq!(approval.tool_arguments, json!({"to": 3}), "what is called has no plan");
    let open = stack.store.list_open_approvals(10).await.unwrap().remove(0);
    assert_eq!(open.plan.unwrap().effect, "checkout has three ready replicas");
    assert_eq!(stack.toolbox.calls().len(), 0, "nothing happens before the decision");
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;

    let check = ("host.replicas".to_owned(), json!({"of": "checkout"}));
    let scaled = |to: i64| ("host.scale".to_owned(), json!({"to": to}));
    assert_eq!(made(&stack), [check.clone(), scaled(3), check.clone(), check.clone()]);
    let action = only(&stack, submitted.id).await;
    assert_eq!(action.outcome, Some(ActionOutcome::DidNotWork), "{action:?}");
    let read =
        ReadingBefore { call_number: 2, observed: Some("1".to_owned()), shows_effect: Some(false) };
    assert_eq!(action.before, Some(read));
    assert_eq!((action.observed.as_deref(), action.check_number), (Some("1"), Some(4)));
    assert_eq!(
        action.reason.as_deref(),
        Some("expected: /ready is at least 3; found: 1, before the call: 1")
    );
    assert!(stack.prompt(1).contains("Checked by TARSy with [call 4]: did not work"));
    let shown = stack.texts(submitted.id, TimelineKind::ActionOutcome).await;
    assert!(shown[0].starts_with("host.scale [call 1]: did not work."), "{shown:?}");

    assert!(action.may_roll_back, "{action:?}");
    let begun = stack.store.begin_rollback(submitted.id, action.id, ANNA).await.unwrap();
    assert!(matches!(begun, RollbackOutcome::Begun { .. }), "{begun:?}");
    let again = stack.store.begin_rollback(submitted.id, action.id, ANNA).await.unwrap();
    assert!(matches!(again, RollbackOutcome::Busy | RollbackOutcome::NotPossible(_)), "{again:?}");
    stack.bus.wake_chat_workers(submitted.id).await.unwrap();
    let ended = async || {
        let stages = stack.store.list_stages(submitted.id).await.unwrap();
        stages.iter().all(|stage| stage.status == WorkStatus::Completed)
    };
    eventually("the rollback ends", ended).await;
    assert_eq!(made(&stack)[4..], [check.clone(), scaled(1), check]);
    let actions = stack.store.list_actions(submitted.id).await.unwrap();
    let [first, rollback] = actions.as_slice() else { panic!("{actions:?}") };
    assert_eq!(rollback.rolls_back, Some(first.id));
    assert_eq!(rollback.outcome, Some(ActionOutcome::Worked), "{rollback:?}");
    assert_eq!((first.rollback_by.as_deref(), first.may_roll_back), (Some("anna"), false));
    let decided = stack.texts(submitted.id, TimelineKind::ToolApproval).await;
    assert_eq!(decided, ["Approved by anna, signed in.", "Approved by anna, signed in."]);
    let action = Some("check_action".to_owned());
    let query = AuditQuery { action, limit: 10, ..AuditQuery::default() };
    let audited = stack.store.list_audit_entries(&query).await.unwrap();
    let one = Some("1".to_owned());
    let values = Some(ActionValues { before: one.clone(), after: one });
    let audited: Vec<_> =
        audited.into_iter().map(|entry| (entry.action_outcome, entry.action_values)).collect();
    let expected = [ActionOutcome::Worked, ActionOutcome::DidNotWork];
    assert_eq!(audited, expected.map(|outcome| (Some(outcome), values.clone())));
}

#[tokio::test]
async fn a_dry_run_is_made_before_a_person_is_asked_and_shown_to_them() {
    let turns = [scales(Some(plan())), answer_with("It was scaled."), answer_with("Short.")];
    let mut dry = scale();
    dry.terms.dry_run = Some("dry_run".to_owned());
    let would = Answer::Text("would scale checkout from 1 to 3".to_owned());
    let tools = tools_with(dry).then("host.scale", would);
    let stack = Stack::with(turns, tools).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&acting(true)).await;
    let approval = waiting(&stack, submitted.id).await;
    let scaled = |arguments: Value| ("host.scale".to_owned(), arguments);
    assert_eq!(made(&stack), [scaled(json!({"to": 3, "dry_run": true}))]);
    assert_eq!(stack.toolbox.calls()[0].call.permit, None, "the gateway judges it again");
    let open = stack.store.list_open_approvals(10).await.unwrap().remove(0);
    assert_eq!(open.dry_run.unwrap().result, "would scale checkout from 1 to 3");
    assert_eq!(approval.tool_arguments, json!({"to": 3}));
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(made(&stack)[2], scaled(json!({"to": 3})));
}

#[tokio::test]
async fn killed_owners_neither_act_nor_check_twice() {
    let stack = stack(Some(plan())).await;
    let names = || made(&stack).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let lost = || {
        let last = stack.toolbox.calls().pop().unwrap().call.call_id;
        drop(stack.toolbox.clone().with_outcome(last, Outcome::Unknown));
    };
    let reading = stack.toolbox.block("host.replicas");
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&acting(true)).await;
    let approval = waiting(&stack, submitted.id).await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    eventually("the state is read", async || names() == ["host.replicas"]).await;
    first.kill().await;
    reading.release();
    lost();

    let acting = stack.toolbox.block("host.scale");
    stack.abandoned().await;
    let second = stack.doomed("two").await;
    eventually("the call is made", async || names().contains(&"host.scale".to_owned())).await;
    let before = only(&stack, submitted.id).await.before;
    assert_eq!(before.map(|read| (read.call_number, read.shows_effect)), Some((2, Some(false))));
    let many = names().len();
    let checking = stack.toolbox.block("host.replicas");
    acting.release();
    eventually("the check runs", async || names().len() > many).await;
    second.kill().await;
    checking.release();
    lost();

    stack.abandoned().await;
    stack.worker("three").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    let names = names();
    assert_eq!(names.iter().filter(|name| *name == "host.scale").count(), 1, "{names:?}");
    assert!(names.len() <= 6, "each reading is made once more at most: {names:?}");
    assert_eq!(only(&stack, submitted.id).await.outcome, Some(ActionOutcome::DidNotWork));
}

#[tokio::test]
async fn an_effect_that_was_there_before_is_none_of_the_call() {
    let turns = [scales(Some(plan())), answer_with("It was scaled."), answer_with("Short.")];
    let ready = |many: i64| Answer::Text(json!({ "ready": many }).to_string());
    let tools = tools().then("host.replicas", ready(3)).then("host.replicas", ready(4));
    let stack = Stack::with(turns, tools).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&acting(true)).await;
    let approval = waiting(&stack, submitted.id).await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    submitted.ends(SessionStatus::Completed).await;
    let action = only(&stack, submitted.id).await;
    assert_eq!(action.outcome, Some(ActionOutcome::Unknown), "{action:?}");
    assert_eq!(action.values().as_deref(), Some("3 before, 4 after"));
    assert!(action.reason.unwrap().contains("it was so before the call"));
}

#[tokio::test]
async fn a_replay_has_the_same_outcome_and_executes_nothing_twice() {
    let turns = || [scales(Some(plan())), answer_with("It was scaled."), answer_with("Short.")];
    let read = |tools: ScriptedToolbox| {
        let text = |ready: i64| Answer::Text(json!({ "ready": ready }).to_string());
        let tools = tools.then("host.replicas", text(1));
        tools.then("host.replicas", text(2)).then("host.replicas", text(3))
    };
    let stack = Stack::with(turns().into_iter().chain(turns()), read(tools())).await;
    let worker = stack.worker("one").await;
    let chain = acting(true);
    let mut submitted = stack.submit(&chain).await;
    let approval = waiting(&stack, submitted.id).await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    submitted.ends(SessionStatus::Completed).await;
    let original = only(&stack, submitted.id).await;
    assert_eq!((original.outcome, original.check_number), (Some(ActionOutcome::Worked), Some(4)));
    assert_eq!(original.values().as_deref(), Some("1 before, 3 after"));
    worker.drain(WAIT).await.unwrap();
    // The gateway of a replay asks nobody.
    let recorded = Tool { terms: ToolTerms::default(), ..scale() };
    let recorded = ScriptedToolbox::new()
        .with_tool(recorded)
        .with_tool(read_only("host", "replicas"))
        .answers("host.scale", "scaled");
    stack.worker_with("two", read(recorded)).await;
    let replay = replayed_with(&stack, (submitted.id, &chain), &[], SessionStatus::Completed).await;
    let same = only(&stack, replay).await;
    assert_eq!((same.outcome, same.reason), (original.outcome, original.reason));
    assert_eq!((same.before, same.check_number), (original.before, original.check_number));
    assert!(!same.may_roll_back);
    let open = stack.store.list_open_approvals(10).await.unwrap();
    assert_eq!(open, [], "nobody is asked about a replay");
}

#[tokio::test]
async fn a_call_without_a_plan_or_with_remediation_off_is_not_made() {
    for (enabled, intent, words) in [
        (true, None, "Call it again with `_action`"),
        (true, Some(json!({"effect": "more"})), "`_action.check` is missing"),
        (false, Some(plan()), "the remediation of this chain is off"),
    ] {
        let stack = stack(intent).await;
        stack.worker("one").await;
        let mut submitted = stack.submit(&acting(enabled)).await;
        submitted.ends(SessionStatus::Completed).await;
        stack.check_end(&submitted, SessionStatus::Completed).await;
        assert_eq!(stack.toolbox.calls().len(), 0);
        assert!(stack.prompt(1).contains(words), "{}", stack.prompt(1));
        assert_eq!(stack.store.list_actions(submitted.id).await.unwrap(), []);
        let offered = &stack.llm.requests()[0].tools;
        let schema = offered.iter().find(|tool| tool.name.ends_with("scale")).unwrap();
        let takes = schema.parameters_schema.contains("_action");
        assert_eq!(takes, enabled, "{schema:?}");
    }
}

#[tokio::test]
async fn a_denied_action_is_not_checked_and_one_without_a_reading_check_is_unknown() {
    let stack = stack(Some(plan())).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&acting(true)).await;
    let approval = waiting(&stack, submitted.id).await;
    decide(&stack, &approval, ApprovalDecision::Denied).await;
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 0);
    let action = only(&stack, submitted.id).await;
    assert_eq!((action.state, action.outcome), (ActionState::NotMade, None));
    assert!(!action.may_roll_back);

    let mut plan = plan();
    plan["check"]["tool"] = json!("host.scale");
    let stack = self::stack(Some(plan)).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&acting(true)).await;
    let approval = waiting(&stack, submitted.id).await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(made(&stack).len(), 1, "a check never changes something");
    let action = only(&stack, submitted.id).await;
    assert_eq!(action.outcome, Some(ActionOutcome::Unknown));
    assert!(action.reason.unwrap().contains("known to only read"));
}
