//! Calls that changed something, over HTTP: shown, and taken back by a person.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_contracts::action::{ActionCheck, ActionPlan, Expectation, PlannedCall, Rollback};
use tarsy_domain::action::ExpectationKind;
use tarsy_domain::id::{ActionId, SessionId};
use tarsy_domain::status::SessionStatus;
use tarsy_store::SessionEnd;
use tarsy_testkit::{Investigation, a_failed_action, a_session};

use crate::stack::{Stack, send};

pub(crate) fn call(tool: &str) -> PlannedCall {
    let (server_name, tool_name) = ("ops".to_owned(), tool.to_owned());
    PlannedCall { server_name, tool_name, arguments: json!({"of": "checkout"}) }
}

fn plan() -> ActionPlan {
    let expected = Expectation {
        pointer: Some("/ready".to_owned()),
        kind: ExpectationKind::AtLeast,
        value: json!(3),
    };
    ActionPlan {
        effect: "three replicas are ready".to_owned(),
        check: Some(ActionCheck { call: call("replicas"), expected }),
        rollback: Some(Rollback { call: call("undo"), expected: None }),
    }
}

/// A session with one action that did not work; `ends` says whether it is over.
pub(crate) async fn acted(stack: &Stack, ends: bool) -> (SessionId, ActionId) {
    let claim = a_session().running(&stack.store, "owner-1").await.unwrap();
    let (work, _) = Investigation::start(&stack.store, claim.fence).await.unwrap();
    let (id, _) = a_failed_action(&stack.store, &work, plan()).await.unwrap();
    if ends {
        let end = SessionEnd {
            status: SessionStatus::Completed,
            final_analysis: None,
            executive_summary: None,
            executive_summary_error: None,
            verdict_failure: None,
            error_message: None,
            failure: None,
        };
        stack.store.finish_session(work.fence, end).await.unwrap();
    }
    (work.session_id(), id)
}

async fn roll_back(stack: &Stack, session: SessionId, id: ActionId) -> (u16, Value) {
    let path = format!("/api/v1/sessions/{session}/actions/{id}/rollback");
    let answer = send(stack.request(Method::POST, &path)).await;
    (answer.status.as_u16(), answer.body)
}

#[tokio::test]
async fn an_action_is_shown_and_taken_back_once_when_its_session_is_over() {
    let stack = Stack::start().await;
    let (running, open) = acted(&stack, false).await;
    let (status, problem) = roll_back(&stack, running, open).await;
    assert_eq!(status, 409, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("in_progress"), "{problem}");

    let (session, id) = acted(&stack, true).await;
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    let action = &detail["actions"][0];
    assert_eq!(
        (&action["outcome"], &action["state"], &action["may_roll_back"]),
        (&json!("did_not_work"), &json!("ended"), &json!(true))
    );
    assert_eq!(action["check"]["expected"]["kind"], "at_least");
    let read = json!({"call_number": 2, "observed": "1", "shows_effect": false});
    assert_eq!((&action["before"], &action["observed"]), (&read, &json!("1")));
    let log = stack.get("/api/v1/audit-log?action=check_action").await.body;
    let values = json!({"before": "1", "after": "1"});
    assert_eq!(log["entries"][0]["action_values"], values, "{log}");
    let (status, _) = roll_back(&stack, session, ActionId::new()).await;
    assert_eq!(status, 404);
    let (status, begun) = roll_back(&stack, session, id).await;
    assert_eq!((status, &begun["action"]["id"]), (202, &json!(id)), "{begun}");
    let (status, problem) = roll_back(&stack, session, id).await;
    assert_eq!(status, 409, "{problem}");
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    assert!(detail["actions"][0]["rollback_by"].is_string());
    assert_eq!(detail["actions"][0]["may_roll_back"], false);
    let cancel = stack.request(Method::POST, &format!("/api/v1/sessions/{session}/cancel"));
    assert_eq!(send(cancel).await.status.as_u16(), 200);
    let detail = stack.get(&format!("/api/v1/sessions/{session}")).await.body;
    let action = &detail["actions"][0];
    assert_eq!((&action["rollback_by"], &action["may_roll_back"]), (&json!(null), &json!(true)));
    let (status, begun) = roll_back(&stack, session, id).await;
    assert_eq!(status, 202, "a rollback that did not begin can be asked for again: {begun}");
}
