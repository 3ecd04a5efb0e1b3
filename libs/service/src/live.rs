//! Text that a model is still writing: sent in chunks to subscribers, and held whole for snapshots of
//! late subscribers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_contracts::live::{Live, LiveBody, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::subject;
use tarsy_domain::clock::Clock;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The least time between two chunks: text that comes sooner is gathered until then. The same as in llm-service.
const GATHER: Duration = Duration::from_millis(10);
/// The size at which a chunk is sent at once, in bytes.
const FLUSH_AT: usize = 2048;
/// The longest chunk, in bytes: a model may send much at once, and a message has a limit.
const MAX_CHUNK: usize = 64 * 1024;
/// Snapshot requests that are answered at once.
const SNAPSHOT_CONCURRENCY: usize = 64;
/// The delay before serving snapshots again after the subscription ended.
const RESUBSCRIBE_DELAY: Duration = Duration::from_secs(1);

type Texts = HashMap<SessionId, HashMap<TimelineEventId, String>>;

/// The live streams of this process; cheap to clone.
#[derive(Clone)]
pub struct LiveStreams {
    texts: Arc<Mutex<Texts>>,
    bus: Bus,
    clock: Arc<dyn Clock>,
}

impl LiveStreams {
    pub fn new(bus: &Bus, clock: Arc<dyn Clock>) -> Self {
        Self { texts: Arc::default(), bus: bus.clone(), clock }
    }

    pub fn open(&self, session: SessionId, event: TimelineEventId) -> LiveStream {
        append(&self.texts, session, event, "");
        LiveStream {
            live: self.clone(),
            session,
            event,
            text: String::new(),
            sent: 0,
            sent_at: None,
            flush_at: None,
        }
    }

    /// All text sent so far of the open streams of a session; the next chunk begins where the snapshot
    /// ends.
    pub fn snapshot(&self, session: SessionId) -> Snapshot {
        snapshot(&self.texts, session)
    }

    /// Answers snapshot requests for one session on `subject`, until `done`. `others` counts, at each
    /// answer, the other processes that stream for the session.
    pub async fn serve_snapshots(
        &self,
        subject: String,
        session: SessionId,
        others: impl Fn() -> u32 + Clone + Send + Sync + 'static,
        done: &CancellationToken,
    ) {
        loop {
            let (live, others) = (self.clone(), others.clone());
            let serving = self.bus.respond(
                subject.clone(),
                None,
                SNAPSHOT_CONCURRENCY,
                done.clone(),
                move |_: SnapshotRequest| {
                    let snapshot = Snapshot { others: others(), ..live.snapshot(session) };
                    async move { Ok(snapshot) }
                },
            );
            // Subscribing may hang while the bus is away; the end of the work does not wait for it.
            tokio::select! {
                () = done.cancelled() => return,
                served = serving => if let Err(error) = served {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(%error, "could not serve snapshots of live text");
                },
            }
            tokio::select! {
                () = done.cancelled() => return,
                () = tokio::time::sleep(RESUBSCRIBE_DELAY) => {}
            }
        }
    }

    /// Publishes a transient event to a session's subscribers. Failures are ignored: the tables have
    /// everything that matters.
    pub async fn publish(&self, session: SessionId, body: LiveBody) {
        self.send(subject::live_session(session), session, body).await;
    }

    /// Publishes a transient event to the subscribers of the session list.
    pub async fn publish_to_list(&self, session: SessionId, body: LiveBody) {
        self.send(subject::LIVE_SESSIONS.to_owned(), session, body).await;
    }

    async fn send(&self, subject: String, session: SessionId, body: LiveBody) {
        let live = Live { session_id: session, timestamp: self.clock.now(), body };
        if let Err(error) = self.bus.publish(subject, &live).await {
            tracing::trace!(error = %tarsy_telemetry::chain(&error), "could not publish a live event");
        }
    }
}

fn snapshot(texts: &Mutex<Texts>, session: SessionId) -> Snapshot {
    let Ok(texts) = texts.lock() else { return Snapshot::default() };
    let streams = texts.get(&session).into_iter().flatten();
    let streams = streams
        .map(|(event_id, content)| StreamingText { event_id: *event_id, content: content.clone() });
    Snapshot { streams: streams.collect(), others: 0 }
}

fn append(texts: &Mutex<Texts>, session: SessionId, event: TimelineEventId, delta: &str) {
    if let Ok(mut texts) = texts.lock() {
        texts.entry(session).or_default().entry(event).or_default().push_str(delta);
    }
}

fn remove(texts: &Mutex<Texts>, session: SessionId, event: TimelineEventId) {
    if let Ok(mut texts) = texts.lock()
        && let Some(events) = texts.get_mut(&session)
    {
        events.remove(&event);
        if events.is_empty() {
            texts.remove(&session);
        }
    }
}

/// The text of one timeline event while it is being written; dropping it closes the stream.
pub struct LiveStream {
    live: LiveStreams,
    session: SessionId,
    event: TimelineEventId,
    text: String,
    sent: usize,
    sent_at: Option<Instant>,
    flush_at: Option<Instant>,
}

impl LiveStream {
    pub fn event(&self) -> TimelineEventId {
        self.event
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// When the unsent text is due.
    pub fn flush_at(&self) -> Option<Instant> {
        self.flush_at
    }

    /// Appends text; sends it at once, unless a chunk was sent a moment ago and little is unsent.
    pub async fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        self.flush_at = due(self.sent_at, self.text.len() - self.sent);
        if self.flush_at.is_none_or(|at| at <= Instant::now()) {
            self.flush().await;
        }
    }

    /// Sends all unsent text.
    pub async fn flush(&mut self) {
        self.flush_at = None;
        while let Some(delta) = self.text.get(self.sent..).map(|rest| prefix(rest, MAX_CHUNK))
            && !delta.is_empty()
        {
            let body = LiveBody::Chunk {
                event_id: self.event,
                delta: delta.to_owned(),
                offset: self.sent as u64,
            };
            // A viewer subscribes before it requests the snapshot: what the snapshot lacks arrives as a
            // chunk.
            append(&self.live.texts, self.session, self.event, delta);
            self.sent += delta.len();
            self.live.publish(self.session, body).await;
            self.sent_at = Some(Instant::now());
        }
    }
}

/// When so many unsent bytes are due; none if that is now.
fn due(sent_at: Option<Instant>, unsent: usize) -> Option<Instant> {
    sent_at.filter(|_| unsent < FLUSH_AT).map(|at| at + GATHER)
}

/// The longest prefix of a text of at most `limit` bytes and whole characters.
fn prefix(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

impl Drop for LiveStream {
    fn drop(&mut self) {
        remove(&self.live.texts, self.session, self.event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_waits_only_behind_a_chunk_and_only_if_it_is_short() {
        let sent_at = Instant::now();
        assert_eq!(due(None, 1), None);
        assert_eq!(due(Some(sent_at), 1), Some(sent_at + GATHER));
        assert_eq!(due(Some(sent_at), FLUSH_AT), None);
    }

    #[test]
    fn a_chunk_never_splits_a_character() {
        assert_eq!(prefix("aéb", 2), "a");
        assert_eq!(prefix("aéb", 3), "aé");
        assert_eq!(prefix("aéb", 99), "aéb");
        assert_eq!(prefix("", 4), "");
    }

    #[test]
    fn a_text_is_in_the_snapshot_until_it_is_removed() {
        let (texts, session, event) =
            (Mutex::new(Texts::new()), SessionId::new(), TimelineEventId::new());
        assert!(snapshot(&texts, session).streams.is_empty());
        append(&texts, session, event, "");
        append(&texts, session, event, "né");
        assert_eq!(snapshot(&texts, session).streams[0].content, "né");
        remove(&texts, session, event);
        assert!(snapshot(&texts, session).streams.is_empty());
    }
}
