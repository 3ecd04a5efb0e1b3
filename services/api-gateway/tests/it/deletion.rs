//! Deletion of sessions by a person, and what is answered about them afterwards.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_domain::id::SessionId;
use tarsy_testkit::eventually;

use crate::reviews::ended;
use crate::stack::{Answer, Stack, send};

async fn delete(stack: &Stack, id: SessionId, reason: &str) -> Answer {
    let request = stack.request(Method::DELETE, &format!("/api/v1/sessions/{id}"));
    send(request.query(&[("reason", reason)])).await
}

#[tokio::test]
async fn a_deleted_session_leaves_who_when_and_why_and_nothing_else() {
    let stack = Stack::start().await;
    let id = ended(&stack, &json!({"data": "the disk of walrus-7 is full"})).await;
    stack.can_be_searched(&id.to_string()).await;
    let answer = delete(&stack, id, "names a customer, password=hunter2hunter2").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body, json!({"deleted_sessions": [id]}));
    for part in [
        "",
        "/summary",
        "/status",
        "/timeline",
        "/alerts",
        "/claims",
        "/trace",
        "/recording",
        "/review",
    ] {
        let gone = stack.get(&format!("/api/v1/sessions/{id}{part}")).await;
        assert_eq!(gone.status, 410, "{part} {gone:?}");
        let detail = gone.body["detail"].as_str().unwrap();
        assert!(detail.contains("deleted by api-client on 20"), "{detail}");
        assert!(detail.contains("names a customer") && !detail.contains("hunter2"), "{detail}");
        assert_eq!(gone.body["type"], "/problems/gone");
    }
    assert_eq!(delete(&stack, id, "again").await.status, 410);
    assert_eq!(stack.get("/api/v1/sessions").await.body["sessions"], json!([]));
    assert_eq!(stack.get("/api/v1/search?q=walrus-7").await.body["hits"], json!([]));
    let rows = "select (select count(*) from alert_sessions) + (select count(*) from events)
        + (select count(*) from session_words) + (select count(*) from search_documents)";
    assert_eq!(stack.count(rows).await.unwrap(), 0);
    eventually("the audit log has it", async || {
        let log = stack.get("/api/v1/audit-log?action=delete_session").await.body;
        let entries = log["entries"].as_array().unwrap();
        entries.iter().any(|one| {
            one["outcome"] == "allowed" && one["object"] == json!(format!("/api/v1/sessions/{id}"))
        })
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_deleted_is_refused_with_the_way_to_it() {
    let stack = Stack::start().await;
    let unknown = delete(&stack, SessionId::new(), "why").await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
    let waits = stack.pending().await;
    let bare = send(stack.request(Method::DELETE, &format!("/api/v1/sessions/{waits}"))).await;
    assert_eq!((bare.status.as_u16(), bare.fields()), (400, vec!["reason"]));
    assert_eq!(delete(&stack, waits, &"x".repeat(501)).await.fields(), ["reason"]);
    let refused = delete(&stack, waits, "why").await;
    assert_eq!(refused.status, 409);
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains(&format!("tarsy cancel {waits}")), "{detail}");
    assert_eq!(stack.post(&format!("/api/v1/sessions/{waits}/cancel")).await.status, 200);
    assert_eq!(delete(&stack, waits, "why").await.status, 200);
}

#[tokio::test]
async fn a_replay_goes_with_its_session_and_keeps_it_while_it_runs() {
    let stack = Stack::start().await;
    let id = ended(&stack, &json!({"data": "the disk is full"})).await;
    let recording = stack.get(&format!("/api/v1/sessions/{id}/recording")).await;
    assert_eq!(recording.status, 200, "{recording:?}");
    let replay = send(
        stack.request(Method::POST, &format!("/api/v1/sessions/{id}/replay")).json(&json!({})),
    )
    .await;
    assert_eq!(replay.status, 202, "{replay:?}");
    let replay: Value = replay.body["session_id"].clone();
    let refused = delete(&stack, id, "why").await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(
        refused.body["detail"].as_str().unwrap().starts_with("its replay has not ended"),
        "{refused:?}"
    );
    let path = format!("/api/v1/sessions/{}", replay.as_str().unwrap());
    assert_eq!(stack.post(&format!("{path}/cancel")).await.status, 200);
    let deleted = delete(&stack, id, "why").await;
    assert_eq!(deleted.body, json!({"deleted_sessions": [id, replay]}));
    assert_eq!(stack.get(&path).await.status, 410);
}
