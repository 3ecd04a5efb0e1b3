use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use tarsy_domain::id::SessionId;
use tarsy_testkit::TestPg;

use crate::world::{World, send, until};

async fn stored(world: &World, id: SessionId) {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        if let Ok(Some(_)) = world.store.find_session_status(id).await {
            return;
        }
        assert!(Instant::now() < until, "the kept alert {id} was never stored");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn without_postgresql_alerts_are_kept_and_stored_later_under_the_id_that_was_told() {
    let mut world = World::with(TestPg::dedicated().await.unwrap(), &[]).await;
    world.pg.server().unwrap().stop().await;
    let small = world.submit(&json!({"data": "small. password: hunter2hunter2"})).await;
    let large = world.submit(&json!({"data": "large ".repeat(150_000)})).await;
    let keyed = async || {
        let request = world.request(Method::POST, "/api/v1/alerts").json(&json!({"data": "keyed"}));
        send(request.header("Idempotency-Key", "outage")).await.session_id()
    };
    let (first, second) = (keyed().await, keyed().await);
    assert_eq!(first, second, "one key, one session, also without the table");
    assert_eq!(small.body["status"], "queued");
    let ids = [small.session_id(), large.session_id(), first];

    // Reading is not possible, and says so without internals.
    let list = world.get("/api/v1/sessions").await;
    assert_eq!(list.status, 503);
    assert!(list.headers.contains_key("retry-after"));
    let text = list.body.to_string();
    assert!(!text.contains("postgres") && !text.contains("sql"), "{text}");

    world.pg.server().unwrap().launch().await.unwrap();
    for id in ids {
        stored(&world, id).await;
    }
    let session = world.store.find_session(ids[0]).await.unwrap().unwrap();
    assert!(!session.alert_data.contains("hunter2"), "kept alerts are masked, too");
    let session = world.store.find_session(ids[1]).await.unwrap().unwrap();
    assert_eq!(session.alert_data.len(), "large ".len() * 150_000);
    let events = world.store.list_events(ids[0], 0, 10).await.unwrap();
    assert_eq!(events.len(), 1);
    let page = world.get("/api/v1/sessions").await;
    assert_eq!(page.body["pagination"]["total_items"], 3);
}

#[tokio::test]
async fn without_nats_alerts_are_stored_all_the_same() {
    let mut world = World::dedicated().await;
    world.nats.server().unwrap().stop().await;
    until("the gateway's notice", async || world.get("/health").await.body["status"] == "degraded")
        .await;
    let id = world.pending().await;
    assert!(world.store.find_session_status(id).await.unwrap().is_some());
    let health = world.get("/health").await;
    assert_eq!((health.status.as_u16(), &health.body["status"]), (200, &json!("degraded")));
    assert_eq!(world.get("/readyz").await.status, 200, "degraded is ready");
    let servers = world.get("/api/v1/system/mcp-servers").await.body["servers"].clone();
    assert!(servers[0]["error"].as_str().unwrap().contains("bus is away"), "{servers}");
    let warnings = world.get("/api/v1/system/warnings").await.body["warnings"].clone();
    assert_eq!(warnings[0]["category"], "bus");
    assert_eq!(world.post(&format!("/api/v1/sessions/{id}/cancel")).await.status, 200);
}

#[tokio::test]
async fn without_both_an_alert_is_sent_back_with_a_time_to_return() {
    let mut world = World::with(TestPg::dedicated().await.unwrap(), &[]).await;
    world.nats.server().unwrap().stop().await;
    world.pg.server().unwrap().stop().await;
    let answer = world.submit(&json!({"data": "x"})).await;
    assert_eq!(answer.status, 503);
    assert!(answer.headers.contains_key("retry-after"));
    assert_eq!(answer.body["type"], "/problems/unavailable");
}
