//! Text while it is written.

use futures::StreamExt as _;
use tarsy_contracts::live::{Live, LiveBody, Snapshot, SnapshotRequest};
use tarsy_contracts::subject;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;

use crate::world::{PATIENCE, World, chain, says, text};

#[tokio::test]
async fn a_late_viewer_gets_the_text_so_far_and_the_chunks_after_it() {
    let long: Vec<String> = (0..800).map(|number| format!("é{number}")).collect();
    let long = long.join(" ");
    let begins = vec![text("Größe: "), text(&long), text(" – ")];
    let ends = vec![text("fünf "), text("Grad")];
    let world = World::new([Script::Pause(begins.clone(), ends.clone()), says("Short.")]).await;
    let begun: String = whole(&begins);
    let all = format!("{begun}{}", whole(&ends));
    let mut story = world.submit(&chain()).await;
    let mut live = world.bus.subscribe(subject::live_session(story.id)).await.unwrap();
    world.worker("one").await;

    let mut heard = String::new();
    let mut listen = async |until: usize, heard: &mut String| {
        while heard.len() < until {
            let message = live.next().await.unwrap();
            let live: Live = serde_json::from_slice(&message.payload).unwrap();
            if let LiveBody::Chunk { delta, offset, .. } = live.body {
                assert_eq!(offset, heard.len() as u64, "every piece begins where the last ended");
                heard.push_str(&delta);
            }
        }
    };
    tokio::time::timeout(PATIENCE, listen(begun.len(), &mut heard)).await.unwrap();
    assert_eq!(heard, begun);

    // The pieces have a connection of their own. This event has the one on which the owner began to
    // listen for late viewers before.
    story.until("timeline_event.created", "streaming").await;
    let subject = subject::live_snapshot(story.id);
    let snapshot: Snapshot =
        world.bus.request(subject, &SnapshotRequest {}, PATIENCE).await.unwrap();
    assert_eq!(snapshot.streams.len(), 1);
    assert_eq!(snapshot.streams[0].content, begun);

    world.llm.resume();
    tokio::time::timeout(PATIENCE, listen(all.len(), &mut heard)).await.unwrap();
    assert_eq!(heard, all);
    story.ends(SessionStatus::Completed).await;
    let session = world.check_end(&story, SessionStatus::Completed).await;
    assert_eq!(session.final_analysis, Some(all));
}

fn whole(chunks: &[tarsy_llm::Chunk]) -> String {
    chunks
        .iter()
        .map(|chunk| match chunk {
            tarsy_llm::Chunk::Text(text) => text.as_str(),
            other => panic!("{other:?} is no text"),
        })
        .collect()
}
