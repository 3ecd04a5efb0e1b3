use serde_json::json;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::subject;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;

use crate::stack::{Stack, happens};

#[tokio::test]
async fn a_viewer_receives_past_events_and_then_new_ones() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let mut viewer = stack.viewer().await;
    viewer.subscribe(session).await;
    for (number, status) in [(1, "pending"), (2, "in_progress")] {
        let event = viewer.next().await;
        assert_eq!(event["type"], "session.status");
        assert_eq!((&event["db_event_id"], &event["status"]), (&json!(number), &json!(status)));
        assert_eq!(event["session_id"], json!(session.id));
        assert!(event["timestamp"].is_string());
    }
    stack.write(session, vec![happens("now")]).await;
    let event = viewer.next().await;
    assert_eq!((&event["db_event_id"], &event["content"]), (&json!(3), &json!("now")));
    assert_eq!(event["sequence_number"], 1);
}

#[tokio::test]
async fn events_that_overtake_each_other_or_come_twice_are_delivered_once_in_order() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let mut viewer = stack.subscriber(session).await;
    let ops = (0..5).map(|number| happens(&number.to_string())).collect();
    let events = stack.commit(session, ops).await;
    for at in [0, 2, 2, 1, 0, 4, 3, 4] {
        // On the plain subject: JetStream would drop the doubles.
        let event = &events[at];
        let subject = subject::event(session.id, &event.kind);
        let payload = bytes::Bytes::from(event.payload.clone());
        stack.bus.publish_raw(subject, payload).await.unwrap();
    }
    for number in 3..8 {
        assert_eq!(viewer.next().await["db_event_id"], number);
    }
    viewer.receives_nothing_more().await;
}

#[tokio::test]
async fn an_event_that_is_never_published_is_found_in_the_table() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let mut viewer = stack.subscriber(session).await;
    // One lost in the middle is missed at once, one lost at the end within the next resync.
    let events = stack.commit(session, vec![happens("lost"), happens("published")]).await;
    stack.bus.publish_event(&events[1]).await.unwrap();
    assert_eq!(viewer.next().await["content"], "lost");
    assert_eq!(viewer.next().await["content"], "published");
    stack.commit(session, vec![happens("lost at the end")]).await;
    assert_eq!(viewer.next().await["content"], "lost at the end");
}

#[tokio::test]
async fn too_many_earlier_events_end_in_a_reload_and_nothing_comes_twice() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let ops = (0..250).map(|number| happens(&number.to_string())).collect();
    stack.commit(session, ops).await;
    let mut viewer = stack.viewer().await;
    viewer.subscribe(session).await;
    for number in 1..=200 {
        assert_eq!(viewer.next().await["db_event_id"], number);
    }
    let channel = format!("session:{}", session.id);
    let overflow = viewer.next().await;
    assert_eq!(overflow, json!({"type": "catchup.overflow", "channel": channel, "has_more": true}));
    stack.write(session, vec![happens("newest")]).await;
    assert_eq!(viewer.next().await["db_event_id"], 253);
}

#[tokio::test]
async fn a_viewer_that_reconnects_receives_only_what_it_missed() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    stack.commit(session, vec![happens("a"), happens("b")]).await;
    let channel = format!("session:{}", session.id);
    let mut viewer = stack.viewer().await;
    viewer.send(json!({"action": "subscribe", "channel": channel, "last_event_id": 3})).await;
    assert_eq!(viewer.next().await["type"], "subscription.confirmed");
    assert_eq!(viewer.next().await["db_event_id"], 4);
    viewer.send(json!({"action": "catchup", "channel": channel, "last_event_id": 2})).await;
    assert_eq!(viewer.next().await["db_event_id"], 3);
    assert_eq!(viewer.next().await["db_event_id"], 4);
    stack.write(session, vec![happens("c")]).await;
    assert_eq!(viewer.next().await["db_event_id"], 5);
}

#[tokio::test]
async fn two_viewers_of_a_session_receive_the_same_bytes() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let mut one = stack.subscriber(session).await;
    let mut two = stack.subscriber(session).await;
    for round in 0..20 {
        stack.write(session, vec![happens(&round.to_string())]).await;
    }
    for number in 3..23 {
        let event = one.next().await;
        assert_eq!(event["db_event_id"], number);
        assert_eq!(event, two.next().await);
    }
}

#[tokio::test]
async fn a_viewer_that_unsubscribed_receives_no_more() {
    let stack = Stack::start().await;
    let (watched, left) = (stack.session().await, stack.session().await);
    let mut viewer = stack.subscriber(left).await;
    let channel = format!("session:{}", left.id);
    viewer.send(json!({"action": "unsubscribe", "channel": channel})).await;
    viewer.receives_nothing_more().await;
    viewer.subscribe(watched).await;
    viewer.next().await;
    viewer.next().await;
    stack.write(left, vec![happens("unseen")]).await;
    stack.write(watched, vec![happens("seen")]).await;
    assert_eq!(viewer.next().await["content"], "seen");
}

#[tokio::test]
async fn the_list_is_notified_of_every_session() {
    let stack = Stack::start().await;
    let mut viewer = stack.viewer().await;
    viewer.send(json!({"action": "subscribe", "channel": "sessions"})).await;
    assert_eq!(viewer.next().await["channel"], "sessions");
    let session_id = SessionId::new();
    let copy = Live {
        session_id,
        timestamp: SystemClock.now(),
        body: LiveBody::SessionStatus { status: SessionStatus::Pending },
    };
    // The subscription begins some moment after its confirmation.
    let event = loop {
        stack.bus.publish(subject::LIVE_SESSIONS.to_owned(), &copy).await.unwrap();
        let wait = std::time::Duration::from_millis(50);
        // A relay that may have missed events before asks for a reload first.
        if let Ok(event) = tokio::time::timeout(wait, viewer.next()).await
            && event["type"] != "catchup.overflow"
        {
            break event;
        }
    };
    assert_eq!(event["type"], "session.status");
    assert_eq!((&event["session_id"], &event["status"]), (&json!(session_id), &json!("pending")));
    assert!(event.get("db_event_id").is_none());
}
