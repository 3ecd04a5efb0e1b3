//! Actions that did not work: the message about the end of their session offers the call that takes them back.

use serde_json::{Value, json};
use tarsy_contracts::action::{ActionCheck, ActionPlan, Expectation, PlannedCall, Rollback};
use tarsy_domain::access::Identification;
use tarsy_domain::action::ExpectationKind;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{ActionId, ApprovalId, SessionId};
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{Approver, Batch, NewApproval, Op};
use tarsy_testkit::{Investigation, WAIT, a_failed_action};

use crate::approvals::{buttons, with_buttons};
use crate::slack::Slack;
use crate::stack::{Alert, Stack};

fn call(tool: &str, arguments: Value) -> PlannedCall {
    PlannedCall { server_name: "ops".to_owned(), tool_name: tool.to_owned(), arguments }
}

fn plan(rollback: Option<Value>) -> ActionPlan {
    let expected = Expectation {
        pointer: Some("/ready".to_owned()),
        kind: ExpectationKind::AtLeast,
        value: json!(3),
    };
    ActionPlan {
        effect: "three replicas are ready".to_owned(),
        check: Some(ActionCheck { call: call("replicas", json!({})), expected }),
        rollback: rollback
            .map(|arguments| Rollback { call: call("undo", arguments), expected: None }),
    }
}

/// A session that is over, with an action that did not work, and another one that has no rollback.
async fn ended(stack: &Stack, rollback: Value) -> (SessionId, [ActionId; 2]) {
    let claim = stack.running(Alert::default()).await;
    let (work, events) = Investigation::start(&stack.store, claim.fence).await.unwrap();
    stack.publish(&events).await.unwrap();
    let (first, _) = a_failed_action(&stack.store, &work, plan(Some(rollback))).await.unwrap();
    let (second, call_id) = a_failed_action(&stack.store, &work, plan(None)).await.unwrap();
    let asked = work.event(TimelineKind::ToolApproval, TimelineStatus::Streaming);
    let request = NewApproval {
        id: ApprovalId::new(),
        execution_id: work.execution,
        call_id,
        timeline_event_id: asked.id,
        server_name: "ops".to_owned(),
        tool_name: "undo".to_owned(),
        tool_arguments: json!({}),
        definition: "0".repeat(64),
        reason: "it changes something".to_owned(),
        timeout: WAIT,
        decided: Some(Approver { name: "rosa".to_owned(), with: Identification::Slack }),
    };
    let done = Investigation::completed(&asked, "Approved by rosa.");
    let batch = Batch::new()
        .with(Op::OpenEvent(asked))
        .with(Op::RequestApproval(request))
        .with(Op::CloseEvent(done))
        .with(Op::CloseApproval(call_id));
    stack.store.commit(work.fence, batch).await.unwrap();
    stack.end(&claim, SessionStatus::Completed, "it is still so").await;
    (claim.session.id, [first, second])
}

async fn posted(stack: &Stack, server: &Slack) -> Value {
    stack.until("the end is posted", async || !server.posted().is_empty()).await;
    server.posted().remove(0)
}

#[tokio::test]
async fn the_end_offers_the_rollback_of_an_action_that_did_not_work_and_shows_what_became_of_it() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let arguments = json!({"of": "checkout <!channel>", "to": "a \u{200b}b"});
    let (session, [first, second]) = ended(&stack, arguments.clone()).await;
    let message = posted(&stack, &server).await;
    let text = message["blocks"].to_string();
    for part in [
        "did not work (1 before, 1 after)",
        "*It did not work. To roll it back:* `ops.undo`",
        "checkout &lt;!channel&gt;",
        "[U+200B]",
    ] {
        assert!(text.contains(part), "{part}: {message:#}");
    }
    assert!(!text.contains("<!channel>"), "{message:#}");
    let found = buttons(&message);
    let offers: Vec<&Value> =
        found.iter().filter(|one| one["action_id"] == "tarsy_roll_back").collect();
    let [offer] = offers.as_slice() else { panic!("{found:#?}") };
    let shown = call("undo", arguments).digest();
    assert_eq!(offer["value"], json!(format!("{session}/{first}/{shown}")));

    // The other action is its rollback from now on.
    sqlx::query(
        "update actions set rolls_back = $1, outcome = 'worked', observed = '3' where id = $2",
    )
    .bind(first.uuid())
    .bind(second.uuid())
    .execute(&stack.raw)
    .await
    .unwrap();
    let changed = async || {
        let text = server.posted()[0]["blocks"].to_string();
        text.contains("worked (1 before, 3 after)") && text.contains("Rollback ")
    };
    stack.until("the message shows the rollback", changed).await;
    assert_eq!(server.posted().len(), 1, "it is the same message");
}

/// Nobody consents to what the message does not show.
#[tokio::test]
async fn a_rollback_that_does_not_fit_the_message_has_a_link_and_one_without_buttons_nothing() {
    let server = Slack::start().await;
    let stack = with_buttons(&server).await;
    let _notifier = stack.notifier().await;
    let long = json!({"of": format!("{} and what is not seen", "x".repeat(3_000))});
    let (session, _) = ended(&stack, long).await;
    let message = posted(&stack, &server).await;
    let found = buttons(&message);
    assert!(found.iter().all(|one| one["action_id"] != "tarsy_roll_back"), "{found:#?}");
    let text = message["blocks"].to_string();
    let link = format!("<https://tarsy.example/sessions/{session}|Read it and roll back in TARSy>");
    assert!(text.contains(&link), "{message:#}");

    let server = Slack::start().await;
    let stack = Stack::with_channel(&server).await;
    let _notifier = stack.notifier().await;
    ended(&stack, json!({})).await;
    let text = posted(&stack, &server).await["blocks"].to_string();
    assert!(text.contains("did not work") && !text.contains("roll"), "{text}");
}
