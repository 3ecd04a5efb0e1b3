use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures::future::join_all;
use reqwest::Method;
use serde_json::json;
use tarsy_domain::id::SessionId;
use tarsy_service::Settings;
use tarsy_testkit::{TestLink, TestNats, TestStack, eventually, within};
use tokio::time::timeout;

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
        stack.get("/health").await.body["checks"]["worker_pool"]["status"] == "unknown"
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
async fn without_nats_an_alert_is_answered_as_soon_as_it_is_stored() {
    let servers = TestStack::start().await.unwrap();
    let link = TestLink::to(servers.nats.url()).await.unwrap();
    let url = link.url(servers.nats.url());
    let stack = Stack::with_settings(servers, &[("NATS_URL", &url)]).await;
    link.lose();
    let alerts = async {
        for _ in 0..20 {
            assert_eq!(stack.submit(&json!({"data": "x"})).await.status, 202);
        }
    };
    // Waiting for the acknowledgement of each wake-up would take 100 s.
    timeout(Duration::from_mins(1), alerts).await.expect("no answer waits for NATS");
}

#[tokio::test]
async fn what_was_refused_while_both_were_away_is_never_investigated() {
    let mut stack = Stack::dedicated().await;
    stack.nats().server().unwrap().stop().await;
    stack.pg().server().unwrap().stop().await;
    let submit = async |number: usize| {
        let body = json!({"data": "refused"});
        let request = stack.request(Method::POST, "/api/v1/alerts").json(&body);
        // Pairs of the same key: both get the same answer.
        send(request.header("Idempotency-Key", format!("both-{}", number / 2))).await
    };
    let refused = join_all((0..10).map(submit)).await;
    for answer in &refused {
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert!(answer.headers.contains_key("retry-after"));
        assert_eq!(answer.body["type"], "/problems/unavailable");
    }
    stack.pg().server().unwrap().launch().await.unwrap();
    stack.nats().server().unwrap().launch().await.unwrap();
    eventually("the gateway serves again", async || {
        stack.get("/health").await.body["status"] == "healthy"
            || stack.get("/api/v1/sessions").await.status == 200
    })
    .await;
    let kept = stack.submit(&json!({"data": "kept"})).await.session_id();
    stored(&stack, kept).await;
    // The stream delivers in order: what had been queued before would be stored by now.
    let page = stack.get("/api/v1/sessions").await;
    assert_eq!(page.body["pagination"]["total_items"], 1);
}

#[tokio::test]
async fn an_id_that_was_returned_resolves_to_the_session_that_had_the_key() {
    let mut stack = Stack::dedicated().await;
    // It does not know the keys of the first one.
    let other = stack.another_gateway(&[]).await;
    let client = stack.client.clone();
    let keyed = async |address: SocketAddr| {
        let request = client.post(format!("http://{address}/api/v1/alerts"));
        let request = request.json(&json!({"data": "keyed"}));
        send(request.header("Idempotency-Key", "known")).await.session_id()
    };
    let first = keyed(stack.address).await;
    stack.pg().server().unwrap().stop().await;
    let second = keyed(other).await;
    assert_ne!(first, second);
    stack.pg().server().unwrap().launch().await.unwrap();
    eventually("the alias is stored", async || {
        matches!(stack.store.find_session_by_alias(second).await, Ok(Some(_)))
    })
    .await;
    let stack = &stack;
    let answer = stack.get(&format!("/api/v1/sessions/{second}")).await;
    assert_eq!((answer.status.as_u16(), &answer.body["id"]), (200, &json!(first)));
    assert_eq!(stack.get(&format!("/api/v1/sessions/{second}/status")).await.status, 200);
    assert_eq!(stack.get(&format!("/api/v1/sessions/{}", SessionId::new())).await.status, 404);
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

/// The warning about the storage of NATS, if there is one.
async fn storage_warning(stack: &Stack) -> Option<String> {
    let warnings = stack.get("/api/v1/system/warnings").await.body["warnings"].clone();
    let found = warnings.as_array()?.iter().find(|one| one["id"] == "nats.storage")?;
    found["details"].as_str().map(str::to_owned)
}

#[tokio::test]
async fn a_full_disk_of_nats_refuses_no_alert_and_is_over_without_a_restart() {
    let nats = TestNats::on_small_disk().await.unwrap();
    let servers = TestStack::with_nats(nats).await.unwrap();
    let settings = Settings::from_map(servers.environment("provisioner", "provisioner-1")).unwrap();
    let mut stack = Stack::with_settings(servers, &[]).await;
    // Three checks in a row end the warning.
    let often = Duration::from_secs(2);
    tarsy_service::start_provisioner_with(settings, stack.service.clone(), often).await.unwrap();
    stack.nats().fill_disk().unwrap();
    let begun = Instant::now();
    let id = stack.submit(&json!({"data": "the disk is full"})).await.session_id();
    assert!(stack.store.find_session_status(id).await.unwrap().is_some(), "{:?}", begun.elapsed());

    eventually("there is a warning", async || storage_warning(&stack).await.is_some()).await;
    let details = storage_warning(&stack).await.unwrap();
    assert!(details.contains("TARSY_") && details.contains("Free space"), "{details}");
    // The gateway learns from the warning, which the provisioner has raised.
    let health = stack.service.health().clone();
    // A part is listed once it was looked at.
    let state = async || health.parts().get("jetstream").is_none_or(|part| part.healthy);
    eventually("the readiness names it", async || !state().await).await;
    assert!(health.ready(), "alerts are accepted: {:?}", health.parts());
    stack.submit(&json!({"data": "while it is full"})).await.session_id();

    stack.nats().free_disk().unwrap();
    let over = async || storage_warning(&stack).await.is_none();
    within(Duration::from_mins(2), "the warning is over", over).await;
    stack.bus.wake_session_workers(id).await.unwrap();
    eventually("the readiness is complete again", state).await;
    let unpublished = "select count(*) from events where published_at is null";
    eventually("every event is published", async || stack.count(unpublished).await.unwrap() == 0)
        .await;
}
