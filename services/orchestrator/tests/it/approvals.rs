//! Tool calls that need a person's approval.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use tarsy_contracts::judged::{Judged, Language};
use tarsy_contracts::mcp::{Requirement, Tool, ToolTerms};
use tarsy_domain::access::Identification;
use tarsy_domain::event::{ApprovalDecision, TimelineKind};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::{Chunk, Script, ToolCall};
use tarsy_store::{Approval, DecideOutcome, Decider};
use tarsy_tools::ScriptedToolbox;

use crate::stack::{Stack, WAIT, answer, answer_with, calls, chain, read_only, usage};

const DEFINITION: &str = "0123";

fn restart(requirement: Requirement, pinned: bool) -> Tool {
    Tool {
        read_only: false,
        terms: ToolTerms {
            requirement,
            pinned,
            reason: "its name has the word 'restart'".to_owned(),
            definition: DEFINITION.to_owned(),
            ..ToolTerms::default()
        },
        ..read_only("host", "restart")
    }
}

fn tools(tool: Tool) -> ScriptedToolbox {
    ScriptedToolbox::new().with_tool(tool).answers("host.restart", "restarted")
}

async fn stack(tool: Tool) -> Stack {
    let turns = [calls("host.restart"), answer_with("It is done."), answer_with("Short.")];
    Stack::with(turns, tools(tool)).await
}

pub(crate) async fn waiting(stack: &Stack, session: SessionId) -> Approval {
    let look = async {
        loop {
            let open = stack.store.list_open_approvals(10).await.unwrap();
            if let Some(one) =
                open.into_iter().map(|one| one.approval).find(|one| one.session_id == session)
            {
                return one;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(WAIT, look).await.unwrap()
}

pub(crate) async fn decide(stack: &Stack, approval: &Approval, decision: ApprovalDecision) {
    let (session, id) = (approval.session_id, approval.id);
    let anna = Decider { name: "anna", with: Identification::SignIn };
    let decided = stack.store.decide_approval(session, id, decision, anna).await.unwrap();
    assert!(matches!(decided, DecideOutcome::Decided(_)), "{decided:?}");
}

#[tokio::test]
async fn a_call_that_changes_something_is_made_after_a_person_approved_it() {
    let stack = stack(restart(Requirement::Approval, true)).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let approval = waiting(&stack, submitted.id).await;
    assert_eq!(stack.toolbox.calls().len(), 0, "nothing happens before the decision");
    assert_eq!((&*approval.server_name, &*approval.tool_name), ("host", "restart"));
    assert_eq!(approval.tool_arguments, json!({}));
    assert!(approval.reason.contains("may change something"), "{}", approval.reason);
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
    assert_eq!(stack.prompt(1), answer(1, "restarted"));
    let shown = stack.texts(submitted.id, TimelineKind::ToolApproval).await;
    assert_eq!(shown, ["Approved by anna, signed in."]);
}

fn sql(id: &str, statement: &str) -> Script {
    let call = ToolCall {
        id: id.to_owned(),
        name: "db.query".to_owned(),
        arguments: json!({ "sql": statement }).to_string(),
        ..ToolCall::default()
    };
    Script::Answer(vec![Chunk::ToolCall(call), usage()])
}

#[tokio::test]
async fn of_a_tool_that_takes_statements_only_those_that_change_something_wait() {
    let judged = Judged {
        parameter: "sql".to_owned(),
        language: Language::Postgresql,
        may_be_absent: false,
    };
    let mut query = Tool { read_only: false, ..read_only("db", "query") };
    query.terms.requirement = Requirement::Approval;
    query.terms.judged = vec![judged];
    query.terms.definition = DEFINITION.to_owned();
    let toolbox = ScriptedToolbox::new().with_tool(query).answers("db.query", "3 rows");
    let turns = [
        sql("c1", "SELECT count(*) FROM users"),
        sql("c2", "DROP TABLE users CASCADE"),
        answer_with("It is done."),
        answer_with("Short."),
    ];
    let stack = Stack::with(turns, toolbox).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let approval = waiting(&stack, submitted.id).await;
    let [made] = &*stack.toolbox.calls() else { panic!("the statement that reads is made") };
    assert_eq!(made.call.permit, None, "the gateway judges it again");
    assert_eq!(approval.tool_arguments, json!({"sql": "DROP TABLE users CASCADE"}));
    assert!(approval.reason.contains("'sql'"), "{}", approval.reason);
    decide(&stack, &approval, ApprovalDecision::Denied).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
}

#[tokio::test]
async fn a_denied_call_is_not_made_and_the_agent_goes_on() {
    let stack = stack(restart(Requirement::Approval, true)).await;
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let approval = waiting(&stack, submitted.id).await;
    decide(&stack, &approval, ApprovalDecision::Denied).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 0);
    assert!(stack.prompt(1).contains("a person denied it"), "{}", stack.prompt(1));
    assert_eq!(
        stack.texts(submitted.id, TimelineKind::ToolApproval).await,
        ["Denied by anna, signed in."]
    );
}

#[tokio::test]
async fn a_call_that_nobody_approves_in_time_is_not_made() {
    let mut stack = stack(restart(Requirement::Acceptance, true)).await;
    stack.queue.approval_timeout = Duration::from_secs(1);
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 0);
    assert!(stack.prompt(1).contains("nobody gave it in time"), "{}", stack.prompt(1));
    let shown = stack.texts(submitted.id, TimelineKind::ToolApproval).await;
    assert_eq!(shown, ["Nobody decided in time: the call was not made."]);
}

#[tokio::test]
async fn a_new_owner_finds_the_request_and_the_decision() {
    let stack = stack(restart(Requirement::Approval, true)).await;
    let first = stack.doomed("one").await;
    let mut submitted = stack.submit(&chain()).await;
    let approval = waiting(&stack, submitted.id).await;
    first.kill().await;
    decide(&stack, &approval, ApprovalDecision::Approved).await;
    stack.abandoned().await;
    stack.worker("two").await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
    assert_eq!(stack.prompt(1), answer(1, "restarted"));
    assert_eq!(stack.texts(submitted.id, TimelineKind::ToolApproval).await.len(), 1);
}

#[tokio::test]
async fn an_unknown_tool_that_was_accepted_runs() {
    let stack = stack(restart(Requirement::Acceptance, true)).await;
    let accepted = BTreeMap::from([("restart".to_owned(), DEFINITION.to_owned())]);
    stack.store.accept_tools("host", &accepted, "olaf").await.unwrap();
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
    assert_eq!(stack.texts(submitted.id, TimelineKind::ToolApproval).await.len(), 0);
}

#[tokio::test]
async fn a_tool_that_changed_since_it_was_accepted_is_withheld() {
    let stack = stack(restart(Requirement::None, true)).await;
    let accepted = BTreeMap::from([("restart".to_owned(), "what it was".to_owned())]);
    stack.store.accept_tools("host", &accepted, "olaf").await.unwrap();
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(stack.llm.requests()[0].tools.is_empty(), "the model does not see its description");
    assert_eq!(stack.toolbox.calls().len(), 0, "nor can the model call it by its name");
    assert!(stack.prompt(1).contains("it has changed since"), "{}", stack.prompt(1));
}
