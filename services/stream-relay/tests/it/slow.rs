use std::time::{Duration, Instant};

use tarsy_domain::id::TimelineEventId;

use crate::stack::{Stack, opens};

#[tokio::test]
async fn a_viewer_that_reads_nothing_delays_nobody_and_is_closed_in_the_end() {
    const CHUNK_BYTES: usize = 16 * 1024;
    const CHUNKS: usize = 120;
    let stack = Stack::start().await;
    let session = stack.session().await;
    let mut quick = stack.subscriber(session).await;
    let mut slow = Vec::new();
    for _ in 0..3 {
        slow.push(stack.subscriber(session).await);
    }
    let chunk = "x".repeat(CHUNK_BYTES);
    let (mut quickest, mut slowest) = (Duration::MAX, Duration::ZERO);
    // Several texts, since each may only become so long.
    for _ in 0..8 {
        let id = TimelineEventId::new();
        stack.write(session, vec![opens(id)]).await;
        // Pieces have a connection of their own, and could overtake the beginning of their text.
        quick.until("timeline_event.created").await;
        let began = Instant::now();
        let read = async {
            let text = quick.read_text(CHUNK_BYTES * CHUNKS).await;
            assert_eq!(text.len(), CHUNK_BYTES * CHUNKS);
        };
        let write = async {
            for number in 0..CHUNKS {
                stack.chunk(session, id, (number * CHUNK_BYTES) as u64, &chunk).await;
                tokio::task::yield_now().await;
            }
        };
        tokio::join!(read, write);
        let took = began.elapsed();
        (quickest, slowest) = (quickest.min(took), slowest.max(took));
    }
    // Whoever had to wait for a slow one would wait until that is given up, which takes ten seconds.
    let waited = slowest.saturating_sub(quickest);
    assert!(waited < Duration::from_secs(9), "the quick viewer waited {waited:?}");
    // 15 MB were sent to each; more than sockets and queue hold. Ten seconds later it is over.
    tokio::time::sleep(Duration::from_secs(11)).await;
    for viewer in &mut slow {
        assert!(viewer.is_cut_off().await);
    }
    quick.receives_nothing_more().await;
}
