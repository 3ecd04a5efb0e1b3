//! Text that is still being written: kept whole for late viewers, sent in pieces to present ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tarsy_contracts::live::{Live, LiveBody, Snapshot, StreamingText};
use tarsy_contracts::subject;
use tarsy_domain::id::{SessionId, TimelineEventId};
use tokio::time::Instant;

use crate::app::App;

/// A piece is sent when it is this old,
const FLUSH_AFTER: Duration = Duration::from_millis(30);
/// or this long, in bytes.
const FLUSH_AT: usize = 2048;
/// A piece is never longer, in bytes: a model may say a lot at once, a message has a limit.
const LONGEST: usize = 64 * 1024;

type Texts = HashMap<SessionId, HashMap<TimelineEventId, String>>;

/// The texts that are being written in this process; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveTexts(Arc<Mutex<Texts>>);

impl LiveTexts {
    /// What is being written in a session right now: all that was sent of it, so that the next
    /// piece begins where the snapshot ends.
    pub(crate) fn snapshot(&self, session: SessionId) -> Snapshot {
        let Ok(texts) = self.0.lock() else { return Snapshot::default() };
        let streams = texts.get(&session).into_iter().flatten();
        Snapshot {
            streams: streams
                .map(|(event_id, content)| StreamingText {
                    event_id: *event_id,
                    content: content.clone(),
                })
                .collect(),
        }
    }

    fn append(&self, session: SessionId, event: TimelineEventId, delta: &str) {
        if let Ok(mut texts) = self.0.lock() {
            texts.entry(session).or_default().entry(event).or_default().push_str(delta);
        }
    }

    fn remove(&self, session: SessionId, event: TimelineEventId) {
        if let Ok(mut texts) = self.0.lock()
            && let Some(events) = texts.get_mut(&session)
        {
            events.remove(&event);
            if events.is_empty() {
                texts.remove(&session);
            }
        }
    }
}

/// The text of one timeline event while it is being written.
pub(crate) struct LiveText {
    app: App,
    session: SessionId,
    event: TimelineEventId,
    text: String,
    sent: usize,
    flush_at: Option<Instant>,
}

impl LiveText {
    /// A text that begins now.
    pub(crate) fn begin(app: &App, session: SessionId, event: TimelineEventId) -> Self {
        app.live.append(session, event, "");
        Self { app: app.clone(), session, event, text: String::new(), sent: 0, flush_at: None }
    }

    /// The timeline event that it belongs to.
    pub(crate) fn event(&self) -> TimelineEventId {
        self.event
    }

    /// All of it so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// When the next piece wants to be sent.
    pub(crate) fn flush_at(&self) -> Option<Instant> {
        self.flush_at
    }

    /// Writes on.
    pub(crate) async fn push(&mut self, delta: &str) {
        self.text.push_str(delta);
        if self.text.len() - self.sent >= FLUSH_AT {
            self.flush().await;
        } else if self.flush_at.is_none() {
            self.flush_at = Some(Instant::now() + FLUSH_AFTER);
        }
    }

    /// Sends what was not sent yet.
    pub(crate) async fn flush(&mut self) {
        self.flush_at = None;
        while let Some(delta) = self.text.get(self.sent..).map(|rest| piece(rest, LONGEST))
            && !delta.is_empty()
        {
            let chunk = Live {
                session_id: self.session,
                timestamp: self.app.clock.now(),
                body: LiveBody::Chunk {
                    event_id: self.event,
                    delta: delta.to_owned(),
                    offset: self.sent as u64,
                },
            };
            // A viewer subscribes before it asks: what the snapshot lacks, comes as a piece.
            self.app.live.append(self.session, self.event, delta);
            self.sent += delta.len();
            tell(&self.app, self.session, chunk).await;
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
        self.app.live.remove(self.session, self.event);
    }
}

/// Sends a transient event to a session's viewers; if nobody can be reached, nothing is lost that
/// the table does not have.
pub(crate) async fn tell(app: &App, session: SessionId, live: Live) {
    send(app, subject::live_session(session), &live).await;
}

/// Sends a transient event to those who watch the list of sessions.
pub(crate) async fn tell_list(app: &App, live: Live) {
    send(app, subject::LIVE_SESSIONS.to_owned(), &live).await;
}

async fn send(app: &App, subject: String, live: &Live) {
    if let Err(error) = app.bus.publish(subject, live).await {
        tracing::trace!(error = %tarsy_telemetry::chain(&error), "a live event was not sent");
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
            (LiveTexts::default(), SessionId::fresh(), TimelineEventId::fresh());
        assert!(texts.snapshot(session).streams.is_empty());
        texts.append(session, event, "");
        texts.append(session, event, "né");
        assert_eq!(texts.snapshot(session).streams[0].content, "né");
        texts.remove(session, event);
        assert!(texts.snapshot(session).streams.is_empty());
    }
}
