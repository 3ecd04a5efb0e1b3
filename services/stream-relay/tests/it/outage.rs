use serde_json::json;
use tarsy_domain::id::TimelineEventId;

use crate::stack::{Stack, happens, opens};

#[tokio::test]
async fn without_the_bus_events_come_late_and_nothing_is_missed() {
    let mut stack = Stack::with_dedicated_nats().await;
    let session = stack.session().await;
    let mut viewer = stack.subscriber(session).await;
    let mut list = stack.viewer().await;
    list.send(json!({"action": "subscribe", "channel": "sessions"})).await;
    assert_eq!(list.next().await["type"], "subscription.confirmed");

    stack.nats().server().unwrap().stop().await;
    let channel = format!("session:{}", session.id);
    let degraded = viewer.next().await;
    assert_eq!(
        (&degraded["type"], &degraded["channel"]),
        (&json!("connection.degraded"), &json!(channel))
    );
    assert_eq!(list.next().await["type"], "connection.degraded");

    // Nobody can publish; the table has it all the same.
    let id = TimelineEventId::new();
    stack.commit(session, vec![happens("meanwhile"), opens(id)]).await;
    assert_eq!(viewer.until("timeline_event.created").await["content"], "meanwhile");
    assert_eq!(viewer.until("timeline_event.created").await["event_id"], json!(id));

    stack.nats().server().unwrap().launch().await.unwrap();
    assert_eq!(viewer.until("connection.recovered").await["channel"], json!(channel));
    assert_eq!(list.until("connection.recovered").await["channel"], "sessions");
    assert_eq!(list.until("catchup.overflow").await["channel"], "sessions");

    let mut connection = stack.bus.connection();
    connection.wait_for(|state| state.connected).await.unwrap();
    stack.write(session, vec![happens("after")]).await;
    assert_eq!(viewer.until("timeline_event.created").await["content"], "after");
    stack.respond_with(session, id, "written while nobody could hear").await;
    assert_eq!(viewer.read_text(31).await, "written while nobody could hear");
}
