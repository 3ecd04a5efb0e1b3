//! Removal of a text from everything that is stored.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_testkit::eventually;

use crate::reviews::ended;
use crate::stack::{Answer, Stack, send};

/// A secret that no rule of masking knows.
const SECRET: &str = "Tr0ub4dor \"and\" 3";

async fn redact(stack: &Stack, body: &Value) -> Answer {
    send(stack.request(Method::POST, "/api/v1/redactions").json(body)).await
}

/// Publishes an event that has the secret, as the analysis of a model would.
async fn publish(stack: &Stack, session_id: tarsy_domain::id::SessionId) {
    let payload = json!({"content": format!("said {SECRET}")}).to_string();
    let kind = "timeline_event.completed".to_owned();
    let event = tarsy_contracts::event::Committed { session_id, seq: 99, kind, payload };
    stack.bus.publish_event(&event).await.unwrap();
}

#[tokio::test]
async fn a_secret_that_came_through_is_nowhere_afterwards_and_its_reason_in_its_place() {
    let stack = Stack::start().await;
    let alert = json!({
        "data": format!("the disk is full, said {SECRET}"), "title": format!("Full {SECRET}"),
        "labels": {"note": SECRET, SECRET: "x"},
    });
    let id = ended(&stack, &alert).await;
    stack.can_be_searched(&id.to_string()).await;
    publish(&stack, id).await;
    let body = json!({"text": SECRET, "reason": "a password of the store"});
    let mut counting = body.clone();
    counting["dry_run"] = json!(true);
    let counted = redact(&stack, &counting).await;
    assert_eq!(counted.status, 200, "{counted:?}");
    assert!(
        stack.get(&format!("/api/v1/sessions/{id}")).await.body.to_string().contains("Tr0ub4dor")
    );

    let removed = redact(&stack, &body).await;
    assert_eq!(
        (&removed.body["complete"], &removed.body["continue_at"]),
        (&json!(true), &json!(null)),
        "{removed:?}"
    );
    assert_eq!(removed.body["rows"]["alert_sessions"], 1, "{removed:?}");
    // What was on its way to viewers.
    assert_eq!(removed.body["rows"]["TARSY_EVENTS"], 1, "{removed:?}");
    for part in ["", "/timeline", "/recording", "/trace"] {
        let answer = stack.get(&format!("/api/v1/sessions/{id}{part}")).await;
        assert_eq!(answer.status, 200, "{part} {answer:?}");
        assert!(!answer.body.to_string().contains("Tr0ub4dor"), "{part} {answer:?}");
    }
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    let mark = "[removed by an administrator: a password of the store]";
    assert_eq!(detail["alert_data"], json!(format!("the disk is full, said {mark}")));
    assert_eq!(stack.get("/api/v1/search?q=Tr0ub4dor").await.body["hits"], json!([]));
    assert_eq!(redact(&stack, &body).await.body["rows"], json!({}));
    eventually("the audit log has the reason, and not the text", async || {
        let log = stack.get("/api/v1/audit-log?action=redact_text").await.body;
        assert!(!log.to_string().contains("Tr0ub4dor"), "{log}");
        log["entries"].as_array().unwrap().iter().any(|one| {
            let object = one["object"].as_str().unwrap();
            object.starts_with("removed ")
                && object.contains("alert_sessions=1")
                && object.ends_with(": a password of the store")
        })
    })
    .await;
}

#[tokio::test]
async fn a_removal_is_not_complete_while_nats_is_away_and_goes_on_there_afterwards() {
    let mut stack = Stack::dedicated().await;
    let id = ended(&stack, &json!({"data": format!("said {SECRET}")})).await;
    publish(&stack, id).await;
    stack.nats().server().unwrap().kill().await;
    let body = json!({"text": SECRET, "reason": "a password"});
    eventually("it is not complete", async || {
        let answer = redact(&stack, &body).await.body;
        answer["complete"] == json!(false) && answer["queued_alerts"] == json!(null)
    })
    .await;
    stack.nats().server().unwrap().launch().await.unwrap();
    let mut removed = 0;
    eventually("it is complete", async || {
        let answer = redact(&stack, &body).await.body;
        removed += answer["rows"]["TARSY_EVENTS"].as_u64().unwrap_or_default();
        answer["complete"] == json!(true)
    })
    .await;
    assert!(removed > 0);
}

#[tokio::test]
async fn a_session_that_runs_may_write_the_text_again_and_is_named() {
    let stack = Stack::start().await;
    let id = stack.submit(&json!({"data": format!("said {SECRET}")})).await.session_id();
    let lease = std::time::Duration::from_mins(1);
    stack.store.claim_session("owner", lease, 5).await.unwrap().unwrap();
    let body = json!({"text": SECRET, "reason": "a password"});
    let answer = redact(&stack, &body).await;
    assert_eq!(
        (&answer.body["complete"], &answer.body["running_sessions"]),
        (&json!(false), &json!([id])),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_removal_that_cannot_be_meant_is_refused_without_the_text() {
    let stack = Stack::start().await;
    let place = |table: &str, after: Value| json!({"text": SECRET, "reason": "why", "continue_at": {"table": table, "after": after}});
    for (body, field) in [
        (json!({"text": SECRET}), "body"),
        (json!({"text": "session_status", "reason": "why"}), "text"),
        (json!({"text": "administrator: why", "reason": "why"}), "text"),
        (json!({"text": SECRET, "reason": format!("{SECRET} leaked")}), "reason"),
        (place("audit_log", json!(null)), "continue_at.table"),
        (place("events", json!(["x"])), "continue_at.after"),
        (place("TARSY_EVENTS", json!(["x"])), "continue_at.after"),
        (place("TARSY_INTAKE", json!(null)), "continue_at.table"),
    ] {
        let answer = redact(&stack, &body).await;
        assert_eq!((answer.status.as_u16(), answer.fields()), (400, vec![field]), "{answer:?}");
        assert!(!answer.body.to_string().contains("Tr0ub4dor"), "{answer:?}");
    }
}
