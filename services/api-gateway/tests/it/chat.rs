//! Questions about an investigation that is over.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_bus::WakeUp;
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::{subject, topology};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{NewSession, SessionEnd};

use crate::stack::{Answer, Stack, send};

pub(crate) const LEASE: Duration = Duration::from_mins(1);

async fn ask(stack: &Stack, id: SessionId, body: &Value) -> Answer {
    let path = format!("/api/v1/sessions/{id}/chat/messages");
    send(stack.request(Method::POST, &path).json(body)).await
}

/// A session that ended like this.
pub(crate) async fn over(stack: &Stack, status: SessionStatus) -> SessionId {
    let id = stack.pending().await;
    end(stack, status).await;
    id
}

pub(crate) async fn end(stack: &Stack, status: SessionStatus) {
    let claim = stack.store.claim_session("owner", LEASE, 5).await.unwrap().unwrap();
    let end = SessionEnd {
        status,
        final_analysis: None,
        executive_summary: None,
        executive_summary_error: None,
        verdict_failure: None,
        error_message: None,
        failure: None,
    };
    stack.store.finish_session(claim.fence, end).await.unwrap();
}

#[tokio::test]
async fn a_question_is_accepted_masked_and_wakes_a_worker() {
    let stack = Stack::start().await;
    let id = over(&stack, SessionStatus::Failed).await;
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!((&detail["chat_enabled"], &detail["chat_id"]), (&json!(true), &json!(null)));
    let text = "Does password=hunter2-and-more still work?";
    let answer = ask(&stack, id, &json!({"content": text})).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let woken = stack.bus.wake_ups(&topology::CHAT_WORK).wait(Duration::from_mins(1)).await;
    assert_eq!(woken, WakeUp::Received);
    let claim = stack.store.claim_chat("owner", LEASE).await.unwrap().unwrap();
    assert_eq!(json!(claim.stage.id), answer.body["stage_id"]);
    assert!(!claim.question.contains("hunter2"), "{}", claim.question);
    assert!(claim.question.contains("still work?"));
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!(detail["chat_id"], answer.body["chat_id"]);
    assert_eq!((&detail["chat_message_count"], &detail["status"]), (&json!(1), &json!("failed")));
    let stage = &detail["stages"][0];
    assert_eq!((&stage["chat_id"], &stage["status"]), (&detail["chat_id"], &json!("active")));
    let timeline = stack.get(&format!("/api/v1/sessions/{id}/timeline")).await.body;
    assert_eq!(timeline[0]["event_type"], "user_question");
    assert_eq!(timeline[0]["metadata"]["author"], "api-client");
}

#[tokio::test]
async fn one_question_at_a_time() {
    let stack = Stack::start().await;
    let id = over(&stack, SessionStatus::Completed).await;
    assert_eq!(ask(&stack, id, &json!({"content": "Why?"})).await.status, 202);
    let second = ask(&stack, id, &json!({"content": "Why?"})).await;
    assert_eq!(second.status, 409);
    assert!(second.body["detail"].as_str().unwrap().contains("being answered"));
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_with_the_reason() {
    let stack = Stack::start().await;
    let good = json!({"content": "Why?"});
    assert_eq!(ask(&stack, SessionId::new(), &good).await.status, 404);
    let waits = stack.pending().await;
    let refused = ask(&stack, waits, &good).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body["detail"].as_str().unwrap().contains("pending"));
    assert_eq!(stack.post(&format!("/api/v1/sessions/{waits}/cancel")).await.status, 200);
    let refused = ask(&stack, waits, &good).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body["detail"].as_str().unwrap().contains("cancelled"));

    let id = over(&stack, SessionStatus::TimedOut).await;
    let long = "é".repeat(100_001);
    for bad in [json!({}), json!({"content": " "}), json!({"content": 7}), json!({"content": long})]
    {
        let answer = ask(&stack, id, &bad).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec!["content"]));
    }
    let longest = json!({"content": "é".repeat(100_000)});
    assert_eq!(ask(&stack, id, &longest).await.status, 202);
}

#[tokio::test]
async fn a_chain_without_a_chat_is_not_asked() {
    let stack = Stack::start().await;
    let id = SessionId::new();
    let session = NewSession {
        id,
        alert_data: "the disk is full".to_owned(),
        alert_type: None,
        chain_id: "mute".to_owned(),
        author: None,
        principal: None,
        runbook_url: None,
        mcp_selection: None,
        requested_provider: None,
        slack_message_fingerprint: None,
        fields: AlertFields::default(),
        idempotency: None,
        settings: tarsy_store::SessionSettings::default(),
        config_snapshot: json!({"stages": []}),
        traceparent: None,
    };
    stack.store.insert_session(session).await.unwrap();
    end(&stack, SessionStatus::Completed).await;
    let refused = ask(&stack, id, &json!({"content": "Why?"})).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body["detail"].as_str().unwrap().contains("no chat"));
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!(detail["chat_enabled"], false);
}

#[tokio::test]
async fn a_cancel_reaches_the_question_of_a_session_that_is_over() {
    use futures::StreamExt as _;
    let stack = Stack::start().await;
    let id = over(&stack, SessionStatus::Completed).await;
    let cancel = format!("/api/v1/sessions/{id}/cancel");
    assert_eq!(stack.post(&cancel).await.status, 409, "nothing runs");
    let good = json!({"content": "Why?"});
    assert_eq!(ask(&stack, id, &good).await.status, 202);
    assert_eq!(stack.post(&cancel).await.status, 200, "it waits");
    assert_eq!(stack.post(&cancel).await.status, 409);
    assert_eq!(ask(&stack, id, &good).await.status, 202);
    let claim = stack.store.claim_chat("owner", LEASE).await.unwrap().unwrap();
    let mut controls = stack.bus.subscribe(subject::control_cancel(id)).await.unwrap();
    assert_eq!(stack.post(&cancel).await.status, 200, "it runs");
    let received = tokio::time::timeout(Duration::from_mins(1), controls.next()).await;
    received.unwrap().unwrap();
    assert!(stack.store.renew_lease(claim.fence, LEASE).await.unwrap().cancel_requested);
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!(detail["status"], "completed", "the session is as it was");
}
