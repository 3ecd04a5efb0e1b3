use tarsy_domain::id::TimelineEventId;

use crate::world::{World, closes, opens};

#[tokio::test]
async fn a_late_viewer_gets_the_text_so_far_and_then_every_byte_once() {
    let world = World::start().await;
    let session = world.session().await;
    let id = TimelineEventId::new();
    world.tell(session, vec![opens(id)]).await;
    let whole = "Das Gerät „web-7“ läuft → 日本語 und 🚀 dazu.";
    let cut = whole.char_indices().nth(20).unwrap().0;
    world.owner_knows(session, id, &whole[..cut]);
    world.owner_is_there(session).await;
    let mut viewer = world.watching(session).await;
    let mut at = cut;
    for letter in whole[cut..].chars() {
        let mut buffer = [0; 4];
        world.chunk(session, id, at as u64, letter.encode_utf8(&mut buffer)).await;
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
    let world = World::start().await;
    let session = world.session().await;
    let id = TimelineEventId::new();
    let mut viewer = world.watching(session).await;
    world.tell(session, vec![opens(id)]).await;
    assert_eq!(viewer.next().await["type"], "timeline_event.created");
    world.owner_knows(session, id, "one two ");
    world.owner_is_there(session).await;
    world.chunk(session, id, 0, "one ").await;
    // "two " is lost.
    world.chunk(session, id, 8, "three").await;
    assert_eq!(viewer.read_text(13).await, "one two three");
}

#[tokio::test]
async fn the_end_of_an_event_is_the_end_of_its_text() {
    let world = World::start().await;
    let session = world.session().await;
    let id = TimelineEventId::new();
    let mut viewer = world.watching(session).await;
    world.tell(session, vec![opens(id)]).await;
    world.chunk(session, id, 0, "abc").await;
    assert_eq!(viewer.read_text(3).await, "abc");
    world.tell(session, vec![closes(id, "abcdef")]).await;
    let end = viewer.next().await;
    assert_eq!(
        (end["type"].as_str(), end["content"].as_str()),
        (Some("timeline_event.completed"), Some("abcdef"))
    );
    world.chunk(session, id, 3, "def").await;
    world.tell(session, vec![opens(TimelineEventId::new())]).await;
    assert_eq!(viewer.next().await["type"], "timeline_event.created");
}
