//! The state of work on sessions, for two people at once.

use reqwest::Method;
use serde_json::{Value, json};
use tarsy_domain::access::{Grant, Role};
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_testkit::eventually;

use crate::matrix::api_token;
use crate::stack::{Answer, Stack, send};

fn path(id: SessionId) -> String {
    format!("/api/v1/sessions/{id}/triage")
}

/// Sends a change as the holder of a token.
async fn triage(stack: &Stack, token: &str, id: SessionId, body: &Value) -> Answer {
    let request = stack.anonymous(Method::POST, &path(id)).bearer_auth(token);
    send(request.json(body)).await
}

async fn two(stack: &Stack) -> (String, String) {
    let responder = Grant::Role(Role::Responder);
    (api_token(stack, "ann", &responder).await, api_token(stack, "bob", &responder).await)
}

#[tokio::test]
async fn who_comes_second_learns_who_has_the_session_and_may_take_it_over() {
    let stack = Stack::start().await;
    let (ann, bob) = two(&stack).await;
    let id = stack.pending().await;
    assert_eq!(stack.get(&path(id)).await.body["triage"], "new");
    let take = json!({"triage": "taken"});
    let (first, second) =
        tokio::join!(triage(&stack, &ann, id, &take), triage(&stack, &bob, id, &take));
    let (winner, loser) = if first.status == 200 { ("ann", &bob) } else { ("bob", &ann) };
    let refused = if first.status == 200 { &second } else { &first };
    assert_eq!(refused.status, 409, "{refused:?}");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.starts_with(&format!("taken by {winner}; ")), "{detail}");
    let over = triage(&stack, loser, id, &json!({"triage": "taken", "take_over": true})).await;
    assert_eq!(over.status, 200, "{over:?}");
    assert_eq!(over.body["entries"].as_array().unwrap().len(), 2);
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!((&detail["triage"], &detail["assignee"]), (&json!("taken"), &over.body["assignee"]));
}

#[tokio::test]
async fn a_note_is_masked_kept_once_and_audited() {
    let stack = Stack::start().await;
    let (ann, _) = two(&stack).await;
    let id = stack.pending().await;
    let body = json!({
        "id": TriageEntryId::new(), "triage": "done", "note": "rotated password=hunter2hunter2 of the exporter",
    });
    for _ in 0..2 {
        let answer = triage(&stack, &ann, id, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(!answer.body.to_string().contains("hunter2"), "{answer:?}");
        let entries = answer.body["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 1, "{answer:?}");
        assert!(entries[0]["note"].as_str().unwrap().starts_with("rotated "));
    }
    let detail = stack.get(&format!("/api/v1/sessions/{id}")).await.body;
    assert_eq!(detail["triage_entries"], json!(1));
    let mut other = body.clone();
    other["note"] = json!("something else");
    assert_eq!(triage(&stack, &ann, id, &other).await.status, 409);
    eventually("the audit log has all three", async || {
        let log = stack.get("/api/v1/audit-log?action=triage_session").await.body;
        let entries = log["entries"].as_array().unwrap();
        let by_ann = entries.iter().filter(|one| one["principal"] == "ann").count();
        (entries.len(), by_ann) == (3, 3)
            && entries.iter().all(|one| one["object"] == json!(path(id)))
    })
    .await;
}

#[tokio::test]
async fn lists_are_filtered_by_state_and_by_who_reads_them() {
    let stack = Stack::start().await;
    let (ann, bob) = two(&stack).await;
    let (taken, done) = (stack.pending().await, stack.pending().await);
    stack.pending().await;
    triage(&stack, &ann, taken, &json!({"triage": "taken"})).await;
    triage(&stack, &bob, done, &json!({"triage": "done"})).await;
    let total = async |token: &str, query: &str| {
        let path = format!("/api/v1/sessions?{query}");
        let list = send(stack.anonymous(Method::GET, &path).bearer_auth(token)).await;
        list.body["pagination"]["total_items"].as_i64()
    };
    assert_eq!(total(&ann, "triage=taken").await, Some(1));
    assert_eq!(total(&ann, "triage=taken,done").await, Some(2));
    assert_eq!(total(&ann, "assignee=bob").await, Some(1));
    assert_eq!(total(&ann, "mine=true&triage=taken").await, Some(1));
    assert_eq!(total(&bob, "mine=true&triage=taken").await, Some(0));
    assert_eq!(total(&bob, "mine=false").await, Some(3));
    let options = stack.get("/api/v1/sessions/filter-options").await.body;
    assert_eq!(options["assignees"], json!(["ann", "bob"]));
}

#[tokio::test]
async fn what_is_no_change_is_refused_with_its_fields() {
    let stack = Stack::start().await;
    let (ann, _) = two(&stack).await;
    let id = stack.pending().await;
    let wrong = triage(&stack, &ann, id, &json!({"triage": "open", "state": 1})).await;
    assert_eq!((wrong.status.as_u16(), wrong.fields()), (400, vec!["state", "triage"]));
    let unknown = triage(&stack, &ann, SessionId::new(), &json!({"triage": "done"})).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(stack.get(&path(SessionId::new())).await.status, 404);
}
