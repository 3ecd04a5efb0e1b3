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

/// The messages of a session in the stream of events.
async fn events(stack: &Stack) -> u64 {
    let states = stack.bus.stream_states().await.unwrap();
    states.iter().find(|one| one.name == "TARSY_EVENTS").unwrap().messages
}

#[tokio::test]
async fn nothing_of_a_deleted_session_stays_in_streams_and_a_crash_leaves_it_to_the_next_round() {
    let stack = Stack::start().await;
    let id = ended(&stack, &json!({"data": "the disk of walrus-7 is full"})).await;
    eventually("every event is published", async || {
        let stored = stack.count("select count(*) from events").await.unwrap();
        stored > 0 && events(&stack).await == stored.unsigned_abs()
    })
    .await;
    assert_eq!(delete(&stack, id, "why").await.status, 200);
    eventually("the stream has nothing of it", async || events(&stack).await == 0).await;

    // As if an event had been on its way, or the process had ended before.
    let late = tarsy_contracts::event::Committed {
        session_id: id,
        seq: 99,
        kind: "session.status".to_owned(),
        payload: "{}".to_owned(),
    };
    stack.bus.publish_event(&late).await.unwrap();
    let log = stack.get("/api/v1/audit-log?action=remove_copies").await.body;
    assert_eq!(log["entries"], json!([]), "not before whoever published has done so");
    let earlier = "with earlier as (update deleted_sessions set deleted_at = deleted_at - interval '2 minutes' returning 1)
        select count(*) from earlier";
    assert_eq!(stack.count(earlier).await.unwrap(), 1);
    eventually("the audit log has it", async || {
        let log = stack.get("/api/v1/audit-log?action=remove_copies").await.body;
        let entries = log["entries"].as_array().unwrap();
        entries.iter().any(|one| one["object"] == json!(format!("/api/v1/sessions/{id}")))
    })
    .await;
    assert_eq!(events(&stack).await, 0);
    let left = "select count(*) from deleted_sessions where copies_removed_at is null";
    assert_eq!(stack.count(left).await.unwrap(), 0);
}

/// Its acknowledgement was lost, and the stream delivers it again.
#[tokio::test]
async fn a_queued_alert_of_a_deleted_session_is_not_stored_again() {
    let stack = Stack::start().await;
    let id = ended(&stack, &json!({"data": "the disk is full"})).await;
    assert_eq!(delete(&stack, id, "why").await.status, 200);
    let alert = json!({
        "kept": "inline",
        "alert": {"session_id": id, "alert_data": "the disk is full", "chain_id": "host", "config_snapshot": {}},
    });
    stack
        .bus
        .publish_durable(tarsy_bus::DurableMessage {
            subject: "tarsy.intake.alert".to_owned(),
            message_id: id.to_string(),
            payload: alert.to_string().into(),
        })
        .await
        .unwrap();
    eventually("the queue is empty", async || stack.bus.queued_alerts().await.unwrap() == 0).await;
    assert_eq!(stack.count("select count(*) from alert_sessions").await.unwrap(), 0);
    assert_eq!(stack.count("select count(*) from dead_letters").await.unwrap(), 0);
}
