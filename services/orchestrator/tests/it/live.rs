//! Text while it is written.

use futures::StreamExt as _;
use tarsy_contracts::live::{Live, LiveBody, Snapshot, SnapshotRequest};
use tarsy_contracts::subject;
use tarsy_domain::status::SessionStatus;
use tarsy_llm::Script;

use crate::stack::{Stack, WAIT, answer_with, chain, text};

#[tokio::test]
async fn a_late_viewer_gets_the_text_so_far_and_the_chunks_after_it() {
    let long: Vec<String> = (0..800).map(|number| format!("é{number}")).collect();
    let long = long.join(" ");
    let begins = vec![text("Größe: "), text(&long), text(" – ")];
    let ends = vec![text("fünf "), text("Grad")];
    let stack =
        Stack::new([Script::Pause(begins.clone(), ends.clone()), answer_with("Short.")]).await;
    let begun: String = whole(&begins);
    let all = format!("{begun}{}", whole(&ends));
    let mut submitted = stack.submit(&chain()).await;
    let mut live = stack.bus.subscribe(subject::live_session(submitted.id)).await.unwrap();
    stack.worker("one").await;

    let mut received = String::new();
    let mut listen = async |until: usize, received: &mut String| {
        while received.len() < until {
            let message = live.next().await.unwrap();
            let live: Live = serde_json::from_slice(&message.payload).unwrap();
            if let LiveBody::Chunk { delta, offset, .. } = live.body {
                assert_eq!(
                    offset,
                    received.len() as u64,
                    "every piece begins where the last ended"
                );
                received.push_str(&delta);
            }
        }
    };
    tokio::time::timeout(WAIT, listen(begun.len(), &mut received)).await.unwrap();
    assert_eq!(received, begun);

    // The pieces have a connection of their own. This event has the one on which the owner began to
    // listen for late viewers before.
    submitted.until("timeline_event.created", "streaming").await;
    let subject = subject::live_snapshot(submitted.id);
    let snapshot: Snapshot = stack.bus.request(subject, &SnapshotRequest {}, WAIT).await.unwrap();
    assert_eq!(snapshot.streams.len(), 1);
    assert_eq!(snapshot.streams[0].content, begun);

    stack.llm.resume();
    tokio::time::timeout(WAIT, listen(all.len(), &mut received)).await.unwrap();
    assert_eq!(received, all);
    submitted.ends(SessionStatus::Completed).await;
    let session = stack.check_end(&submitted, SessionStatus::Completed).await;
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
