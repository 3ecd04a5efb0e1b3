use serde_json::json;
use tarsy_domain::id::TimelineEventId;

use crate::stack::{Stack, closes, opens};

#[tokio::test]
async fn a_late_viewer_gets_the_text_so_far_and_then_every_byte_once() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let id = TimelineEventId::new();
    stack.write(session, vec![opens(id)]).await;
    let whole = "Das Gerät „web-7“ läuft → 日本語 und 🚀 dazu.";
    let cut = whole.char_indices().nth(20).unwrap().0;
    stack.respond_with(session, id, &whole[..cut]).await;
    let mut viewer = stack.subscriber(session).await;
    let mut at = cut;
    for letter in whole[cut..].chars() {
        let mut buffer = [0; 4];
        stack.chunk(session, id, at as u64, letter.encode_utf8(&mut buffer)).await;
        at += letter.len_utf8();
    }
    let first = viewer.until("stream.chunk").await;
    assert_eq!(first["offset"], 0);
    assert!(first["delta"].as_str().unwrap().starts_with(&whole[..cut]));
    let mut text = first["delta"].as_str().unwrap().to_owned();
    while text.len() < whole.len() {
        let chunk = viewer.until("stream.chunk").await;
        assert_eq!(chunk["offset"], text.len());
        text.push_str(chunk["delta"].as_str().unwrap());
    }
    assert_eq!(text, whole);
}

#[tokio::test]
async fn a_lost_chunk_is_asked_for() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let id = TimelineEventId::new();
    let mut viewer = stack.subscriber(session).await;
    stack.write(session, vec![opens(id)]).await;
    assert_eq!(viewer.next().await["type"], "timeline_event.created");
    stack.respond_with(session, id, "one two ").await;
    stack.chunk(session, id, 0, "one ").await;
    // "two " is lost.
    stack.chunk(session, id, 8, "three").await;
    assert_eq!(viewer.read_text(13).await, "one two three");
}

#[tokio::test]
async fn the_end_of_an_event_is_the_end_of_its_text() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let id = TimelineEventId::new();
    let mut viewer = stack.subscriber(session).await;
    stack.write(session, vec![opens(id)]).await;
    stack.chunk(session, id, 0, "abc").await;
    assert_eq!(viewer.read_text(3).await, "abc");
    stack.write(session, vec![closes(id, "abcdef")]).await;
    let end = viewer.next().await;
    assert_eq!(
        (end["type"].as_str(), end["content"].as_str()),
        (Some("timeline_event.completed"), Some("abcdef"))
    );
    stack.chunk(session, id, 3, "def").await;
    stack.write(session, vec![opens(TimelineEventId::new())]).await;
    assert_eq!(viewer.next().await["type"], "timeline_event.created");
}

#[tokio::test]
async fn the_text_of_an_event_that_has_ended_is_not_sent_to_a_late_viewer() {
    let stack = Stack::start().await;
    let session = stack.session().await;
    let (ended, open) = (TimelineEventId::new(), TimelineEventId::new());
    stack.write(session, vec![opens(ended), opens(open), closes(ended, "abc")]).await;
    // An owner that was suspended, or has not closed its stream yet, still has both.
    let texts = [(ended, "ab"), (open, "xy")];
    stack.respond_with_all(session, &texts).await;
    let last = stack.store.find_last_event_seq(session.id).await.unwrap().unwrap();
    let mut viewer = stack.viewer().await;
    viewer.subscribe_after(session, last).await;
    let first = viewer.until("stream.chunk").await;
    assert_eq!(first["event_id"], open.to_string(), "{first}");
    stack.chunk(session, ended, 2, "c").await;
    stack.chunk(session, open, 2, "z").await;
    let second = viewer.until("stream.chunk").await;
    assert_eq!((&second["event_id"], &second["delta"]), (&json!(open), &json!("z")));
    viewer.receives_nothing_more().await;
}
