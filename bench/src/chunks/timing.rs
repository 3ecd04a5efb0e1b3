//! When each piece was sent, and how long after that it came.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::{SessionId, TimelineEventId};
use tokio::time::MissedTickBehavior;

use crate::chunks::load::Load;
use crate::samples::Samples;

/// About what a model writes in 30 ms.
const PIECE: &str = "a dozen tokens or so of a model's running text. ";

/// One text that is sent in pieces of one length, with the time of each.
#[derive(Debug)]
pub(crate) struct Text {
    session: SessionId,
    event: TimelineEventId,
    start: Instant,
    sent: Vec<AtomicU64>,
}

impl Text {
    pub(crate) fn new(session: SessionId, event: TimelineEventId, load: Load) -> Arc<Self> {
        let sent = (0..load.chunks).map(|_| AtomicU64::new(0)).collect();
        Arc::new(Self { session, event, start: Instant::now(), sent })
    }

    /// Sends all pieces, evenly.
    pub(crate) async fn send(
        &self,
        every: Duration,
        publish: impl AsyncFn(&Live, &'static str) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut tick = tokio::time::interval(every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for (number, sent) in self.sent.iter().enumerate() {
            tick.tick().await;
            let live = Live {
                session_id: self.session,
                timestamp: SystemClock.now(),
                body: LiveBody::Chunk {
                    event_id: self.event,
                    delta: PIECE.to_owned(),
                    offset: (number * PIECE.len()) as u64,
                },
            };
            let now = u64::try_from(self.start.elapsed().as_nanos())?;
            sent.store(now, Ordering::Release);
            publish(&live, PIECE).await?;
        }
        Ok(())
    }
}

#[derive(Debug)]
pub(crate) struct Reader {
    text: Arc<Text>,
    next: usize,
    samples: Samples,
}

impl Reader {
    pub(crate) fn new(text: Arc<Text>) -> Self {
        Self { text, next: 0, samples: Samples::default() }
    }

    /// The text's timeline event.
    pub(crate) fn event(&self) -> TimelineEventId {
        self.text.event
    }

    /// Notes what came; answers whether that was the last piece.
    pub(crate) fn came(&mut self, message: &[u8], at: Instant) -> anyhow::Result<bool> {
        let Ok(live) = serde_json::from_slice::<Live>(message) else { return Ok(false) };
        let LiveBody::Chunk { event_id, delta, offset } = live.body else { return Ok(false) };
        if event_id != self.text.event {
            return Ok(false);
        }
        let first = usize::try_from(offset)? / PIECE.len();
        anyhow::ensure!(first == self.next, "piece {first} came instead of {}", self.next);
        // Pieces that a reader was too slow for come as one.
        let end = first + delta.len() / PIECE.len();
        for number in first..end {
            let sent = self.text.sent.get(number).context("a piece that was never sent")?;
            let sent = Duration::from_nanos(sent.load(Ordering::Acquire));
            // The first tenth warms up.
            if number >= self.text.sent.len() / 10 {
                self.samples.push(at.duration_since(self.text.start).saturating_sub(sent));
            }
        }
        self.next = end;
        Ok(end == self.text.sent.len())
    }

    pub(crate) fn into_samples(self) -> Samples {
        self.samples
    }
}
