//! Cancels that are received.

use std::sync::{Arc, Mutex};

use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::id::SessionId;
use tarsy_service::subscribe_cancels;
use tarsy_testkit::{TestNats, eventually};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_cancel_is_received_also_after_the_bus_was_away() {
    let mut nats = TestNats::dedicated().await.unwrap();
    let (subscriber, publisher) = (
        nats.connect("service", "subscriber").await.unwrap(),
        nats.connect("service", "publisher").await.unwrap(),
    );
    let (received, over) = (Arc::new(Mutex::new(Vec::new())), CancellationToken::new());
    let note = Arc::clone(&received);
    let cancel = move |session| note.lock().unwrap().push(session);
    let speaking = async {
        for _ in 0..2 {
            let session = SessionId::new();
            eventually("the cancel", async || {
                // Nobody says when a subscription stands.
                let cancel = Cancel { session_id: session };
                let _ = publisher.publish(subject::control_cancel(session), &cancel).await;
                received.lock().unwrap().contains(&session)
            })
            .await;
            nats.server().unwrap().kill().await;
            nats.server().unwrap().launch().await.unwrap();
        }
        over.cancel();
    };
    tokio::join!(subscribe_cancels(subscriber, over.clone(), cancel), speaking);
    assert!(received.lock().unwrap().len() >= 2);
}
