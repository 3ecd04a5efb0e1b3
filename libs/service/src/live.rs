//! Text that is still being written: kept whole for late viewers, sent in pieces to present ones.

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

/// A piece is sent when it is this old,
const FLUSH_AFTER: Duration = Duration::from_millis(30);
/// or this long, in bytes.
const FLUSH_AT: usize = 2048;
/// A piece is never longer, in bytes: a model may say a lot at once, a message has a limit.
const LONGEST: usize = 64 * 1024;
/// Late viewers that are answered at once.
const SNAPSHOTS_AT_ONCE: usize = 64;
const SUBSCRIBE_AGAIN: Duration = Duration::from_secs(1);

type Texts = HashMap<SessionId, HashMap<TimelineEventId, String>>;

/// The texts that are being written in this process; cheap to clone.
#[derive(Clone)]
pub struct LiveTexts {
    texts: Arc<Mutex<Texts>>,
    bus: Bus,
    clock: Arc<dyn Clock>,
}

impl LiveTexts {
    /// No texts yet; pieces go to this bus.
    pub fn new(bus: &Bus, clock: Arc<dyn Clock>) -> Self {
        Self { texts: Arc::default(), bus: bus.clone(), clock }
    }

    /// Begins a text.
    pub fn begin(&self, session: SessionId, event: TimelineEventId) -> LiveText {
        append(&self.texts, session, event, "");
        LiveText {
            live: self.clone(),
            session,
            event,
            text: String::new(),
            sent: 0,
            flush_at: None,
        }
    }

    /// What is being written in a session right now: all that was sent of it, so that the next
    /// piece begins where the snapshot ends.
    pub fn snapshot(&self, session: SessionId) -> Snapshot {
        snapshot(&self.texts, session)
    }

    /// Answers late viewers on a subject of one session, until `done`. With how many `others` that
    /// write for the session is asked at each answer.
    pub async fn answer(
        &self,
        subject: String,
        session: SessionId,
        others: impl Fn() -> u32 + Clone + Send + Sync + 'static,
        done: &CancellationToken,
    ) {
        loop {
            let (live, others) = (self.clone(), others.clone());
            let answering = self.bus.respond(
                subject.clone(),
                None,
                SNAPSHOTS_AT_ONCE,
                done.clone(),
                move |_: SnapshotRequest| {
                    let snapshot = Snapshot { others: others(), ..live.snapshot(session) };
                    async move { Ok(snapshot) }
                },
            );
            // While the bus is away, subscribing may hang; the end of the work does not wait for it.
            tokio::select! {
                () = done.cancelled() => return,
                answered = answering => if let Err(error) = answered {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(%error, "late viewers see no live text");
                },
            }
            tokio::select! {
                () = done.cancelled() => return,
                () = tokio::time::sleep(SUBSCRIBE_AGAIN) => {}
            }
        }
    }

    /// Sends a transient event to a session's viewers; if nobody can be reached, nothing is lost that
    /// the table does not have.
    pub async fn tell(&self, session: SessionId, body: LiveBody) {
        self.send(subject::live_session(session), session, body).await;
    }

    /// Sends a transient event to those who watch the list of sessions.
    pub async fn tell_list(&self, session: SessionId, body: LiveBody) {
        self.send(subject::LIVE_SESSIONS.to_owned(), session, body).await;
    }

    async fn send(&self, subject: String, session: SessionId, body: LiveBody) {
        let live = Live { session_id: session, timestamp: self.clock.now(), body };
        if let Err(error) = self.bus.publish(subject, &live).await {
            tracing::trace!(error = %tarsy_telemetry::chain(&error), "a live event was not sent");
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

/// The text of one timeline event while it is being written.
pub struct LiveText {
    live: LiveTexts,
    session: SessionId,
    event: TimelineEventId,
    text: String,
    sent: usize,
    flush_at: Option<Instant>,
}

impl LiveText {
    /// The timeline event that it belongs to.
    pub fn event(&self) -> TimelineEventId {
        self.event
    }

    /// All of it so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// When the next piece wants to be sent.
    pub fn flush_at(&self) -> Option<Instant> {
        self.flush_at
    }

    /// Writes on.
    pub async fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        if self.text.len() - self.sent >= FLUSH_AT {
            self.flush().await;
        } else if self.flush_at.is_none() {
            self.flush_at = Some(Instant::now() + FLUSH_AFTER);
        }
    }

    /// Sends what was not sent yet.
    pub async fn flush(&mut self) {
        self.flush_at = None;
        while let Some(delta) = self.text.get(self.sent..).map(|rest| piece(rest, LONGEST))
            && !delta.is_empty()
        {
            let body = LiveBody::Chunk {
                event_id: self.event,
                delta: delta.to_owned(),
                offset: self.sent as u64,
            };
            // A viewer subscribes before it asks: what the snapshot lacks, comes as a piece.
            append(&self.live.texts, self.session, self.event, delta);
            self.sent += delta.len();
            self.live.tell(self.session, body).await;
        }
    }
}

/// The beginning of a text, at most so many bytes and whole characters.
fn piece(text: &str, longest: usize) -> &str {
    let end = (0..=longest.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}

impl Drop for LiveText {
    fn drop(&mut self) {
        remove(&self.live.texts, self.session, self.event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_never_splits_a_character() {
        assert_eq!(piece("aéb", 2), "a");
        assert_eq!(piece("aéb", 3), "aé");
        assert_eq!(piece("aéb", 99), "aéb");
        assert_eq!(piece("", 4), "");
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
