//! Servers that go away and come back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tarsy_bus::Handled;
use tarsy_contracts::{subject, topology};
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;
use tokio_util::sync::CancellationToken;

use crate::stack::{Stack, WAIT, answer_with, calls, chain, text};

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
    let mut stack = Stack::new([pauses, answer_with("Short.")]).await;
    let service = stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.until("timeline_event.created", "streaming").await;
    stack.nats.server().unwrap().stop().await;
    let mut connection = stack.bus.connection();
    connection.wait_for(|state| !state.connected).await.unwrap();
    stack.llm.resume();
    let finished = async {
        while !stack.session(submitted.id).await.status.is_terminal() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(WAIT, finished).await.unwrap();
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert!(!stack.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap().is_empty());

    stack.nats.server().unwrap().launch().await.unwrap();
    tarsy_testkit::connected(&stack.bus).await.unwrap();
    stack.bus.provision_consumer(&TAP).await.unwrap();
    let (received, stop) = (Arc::new(Mutex::new(Vec::new())), CancellationToken::new());
    let note = |payload: bytes::Bytes| {
        let event: Value = serde_json::from_slice(&payload).unwrap();
        received.lock().unwrap().push(event["db_event_id"].as_i64().unwrap());
        if event["status"] == "completed" && event["type"] == "session.status" {
            stop.cancel();
        }
        std::future::ready(Handled::Done)
    };
    tokio::time::timeout(WAIT, stack.bus.consume(&TAP, stop.clone(), note)).await.unwrap();
    let last = stack.store.find_last_event_seq(submitted.id).await.unwrap().unwrap();
    // Another process publishes the first event: it may come after the owner's first.
    let mut received = received.lock().unwrap().clone();
    assert!(received.iter().filter(|number| **number > 1).is_sorted(), "{received:?}");
    received.sort_unstable();
    assert_eq!(received, (1..=last).collect::<Vec<_>>());
    service.drain(WAIT).await.unwrap();
    assert!(stack.store.list_unpublished_events(Duration::ZERO, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn without_postgresql_an_owner_waits_and_goes_on() {
    let mut stack =
        Stack::dedicated([calls("host.load"), answer_with("Found."), answer_with("Short.")]).await;
    stack.queue.orphan_threshold = Duration::from_mins(1);
    let gate = stack.toolbox.block("host.load");
    stack.worker("one").await;
    let mut submitted = stack.submit(&chain()).await;
    gate.entered(1).await;
    stack.pg.server().unwrap().stop().await;
    gate.release();
    stack.pg.server().unwrap().launch().await.unwrap();
    // The test's own connections died, too, and each one says so once.
    for _ in 0..8 {
        let _ = stack.store.ping().await;
    }
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.calls().len(), 1);
}
