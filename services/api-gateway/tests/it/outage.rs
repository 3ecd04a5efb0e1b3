use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use tarsy_domain::id::SessionId;
use tarsy_testkit::eventually;

use crate::stack::{Stack, send};

async fn stored(stack: &Stack, id: SessionId) {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        if let Ok(Some(_)) = stack.store.find_session_status(id).await {
            return;
        }
        assert!(Instant::now() < until, "the kept alert {id} was never stored");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn without_postgresql_alerts_are_kept_and_stored_later_under_the_returned_id() {
    let mut stack = Stack::dedicated().await;
    stack.pg().server().unwrap().stop().await;
    let small = stack.submit(&json!({"data": "small. password: hunter2hunter2"})).await;
    let large = stack.submit(&json!({"data": "large ".repeat(150_000)})).await;
    let keyed = async || {
        let request = stack.request(Method::POST, "/api/v1/alerts").json(&json!({"data": "keyed"}));
        send(request.header("Idempotency-Key", "outage")).await.session_id()
    };
    let (first, second) = (keyed().await, keyed().await);
    assert_eq!(first, second, "one key, one session, also without the table");
    assert_eq!(small.body["status"], "queued");
    let ids = [small.session_id(), large.session_id(), first];

    // Reading is not possible, and says so without internals.
    let list = stack.get("/api/v1/sessions").await;
    assert_eq!(list.status, 503);
    assert!(list.headers.contains_key("retry-after"));
    let text = list.body.to_string();
    assert!(!text.contains("postgres") && !text.contains("sql"), "{text}");

    stack.pg().server().unwrap().launch().await.unwrap();
    for id in ids {
        stored(&stack, id).await;
    }
    let session = stack.store.find_session(ids[0]).await.unwrap().unwrap();
    assert!(!session.alert_data.contains("hunter2"), "kept alerts are masked, too");
    let session = stack.store.find_session(ids[1]).await.unwrap().unwrap();
    assert_eq!(session.alert_data.len(), "large ".len() * 150_000);
    let events = stack.store.list_events(ids[0], 0, 10).await.unwrap();
    assert_eq!(events.len(), 1);
    let page = stack.get("/api/v1/sessions").await;
    assert_eq!(page.body["pagination"]["total_items"], 3);
}

#[tokio::test]
async fn without_nats_alerts_are_stored_all_the_same() {
    let mut stack = Stack::dedicated().await;
    stack.nats().server().unwrap().stop().await;
    eventually("the gateway's notice", async || {
        stack.get("/health").await.body["status"] == "degraded"
    })
    .await;
    let id = stack.pending().await;
    assert!(stack.store.find_session_status(id).await.unwrap().is_some());
    let health = stack.get("/health").await;
    assert_eq!((health.status.as_u16(), &health.body["status"]), (200, &json!("degraded")));
    assert_eq!(stack.get("/readyz").await.status, 200, "degraded is ready");
    let servers = stack.get("/api/v1/system/mcp-servers").await.body["servers"].clone();
    assert!(servers[0]["error"].as_str().unwrap().contains("bus is away"), "{servers}");
    let warnings = stack.get("/api/v1/system/warnings").await.body["warnings"].clone();
    assert_eq!(warnings[0]["category"], "bus");
    assert_eq!(stack.post(&format!("/api/v1/sessions/{id}/cancel")).await.status, 200);
}

#[tokio::test]
async fn without_both_an_alert_is_sent_back_with_a_time_to_return() {
    let mut stack = Stack::dedicated().await;
    stack.nats().server().unwrap().stop().await;
    stack.pg().server().unwrap().stop().await;
    let answer = stack.submit(&json!({"data": "x"})).await;
    assert_eq!(answer.status, 503);
    assert!(answer.headers.contains_key("retry-after"));
    assert_eq!(answer.body["type"], "/problems/unavailable");
}
