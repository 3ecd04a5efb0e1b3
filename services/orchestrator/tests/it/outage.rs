//! Servers that go away and come back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tarsy_bus::Handled;
use tarsy_contracts::{subject, topology};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;
use tokio_util::sync::CancellationToken;

use crate::world::{PATIENCE, World, calls, chain, says, text};

const TAP: topology::Consumer = topology::Consumer {
    name: "test-tap",
    stream: topology::EVENTS.name,
    filter: subject::EVENTS_ALL,
    ack_wait: Duration::from_secs(30),
    max_deliver: -1,
};

#[tokio::test]
async fn without_nats_a_session_goes_on_and_its_events_come_later_in_order() {
    let pauses = Script::Pause(vec![text("Looking ")], vec![text("around.")]);
    let mut world = World::new([pauses, says("Short.")]).await;
    let service = world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    story.until("timeline_event.created", "streaming").await;
    world.nats.server().unwrap().stop().await;
    let mut connection = world.bus.connection();
    connection.wait_for(|state| !state.connected).await.unwrap();
    world.llm.resume();
    let finished = async {
        while !world.session(story.id).await.status.is_terminal() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, finished).await.unwrap();
    world.check_end(&story, SessionStatus::Completed).await;
    assert!(!world.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap().is_empty());

    world.nats.server().unwrap().launch().await.unwrap();
    let (heard, stop) = (Arc::new(Mutex::new(Vec::new())), CancellationToken::new());
    let note = |payload: bytes::Bytes| {
        let event: Value = serde_json::from_slice(&payload).unwrap();
        heard.lock().unwrap().push(event["db_event_id"].as_i64().unwrap());
        if event["status"] == "completed" && event["type"] == "session.status" {
            stop.cancel();
        }
        std::future::ready(Handled::Done)
    };
    tokio::time::timeout(PATIENCE, world.bus.consume(&TAP, stop.clone(), note)).await.unwrap();
    let last = world.store.find_last_event_seq(story.id).await.unwrap().unwrap();
    assert_eq!(*heard.lock().unwrap(), (1..=last).collect::<Vec<_>>());
    service.drain(PATIENCE).await.unwrap();
    assert!(world.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn without_postgresql_an_owner_waits_and_goes_on() {
    let mut world = World::dedicated([calls("host.load"), says("Found."), says("Short.")]).await;
    world.queue.orphan_threshold = Duration::from_mins(1);
    let gate = world.toolbox.block("host.load");
    world.worker("one").await;
    let mut story = world.submit(&chain()).await;
    gate.entered(1).await;
    world.pg.server().unwrap().stop().await;
    gate.release();
    world.pg.server().unwrap().launch().await.unwrap();
    // The test's own connections died, too, and each one says so once.
    for _ in 0..8 {
        let _ = world.store.ping().await;
    }
    story.ends(SessionStatus::Completed).await;
    world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(world.toolbox.calls().len(), 1);
}
