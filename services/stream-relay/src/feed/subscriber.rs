//! One viewer of one session: what was sent to it.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use jiff::Timestamp;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_domain::id::{SessionId, TimelineEventId};

use crate::command::{Subscribe, Subscribed};
use crate::metrics;
use crate::outbox::{Outbox, Pushed};
use crate::protocol::{Channel, Control};
use crate::row::Row;

/// What a subscriber receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing until its history was read.
    CatchingUp {
        /// The read it waits for.
        turn: u64,
    },
    /// Everything as it happens.
    Live,
    /// Nothing until its full queue has spare capacity.
    Paused,
}

#[derive(Debug)]
pub(crate) struct Subscriber {
    pub(crate) outbox: Arc<Outbox>,
    subscribed: Subscribed,
    pub(crate) phase: Phase,
    /// The number of the next event to send.
    pub(crate) next: i64,
    /// How far each streaming text was sent, in bytes.
    pub(crate) sent: HashMap<TimelineEventId, usize>,
    pub(crate) rereads: u32,
}

impl Subscriber {
    pub(crate) fn new(subscribe: Subscribe) -> Self {
        Self {
            outbox: subscribe.outbox,
            subscribed: subscribe.subscribed,
            phase: Phase::CatchingUp { turn: 0 },
            next: subscribe.after + 1,
            sent: HashMap::new(),
            rereads: 0,
        }
    }

    pub(crate) fn restart(&mut self, after: i64) {
        self.next = after + 1;
        self.sent.clear();
        self.rereads = 0;
    }

    pub(crate) fn awaits(&self, turn: u64) -> bool {
        self.phase == Phase::CatchingUp { turn } && !self.has_ended()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.subscribed.has_ended()
    }

    pub(crate) fn set_live(&mut self) {
        self.phase = Phase::Live;
        self.rereads = 0;
    }

    /// Sends an event if it is the next one; false once the queue is full.
    pub(crate) fn offer(&mut self, row: &Row) -> bool {
        if row.seq != self.next || self.has_ended() {
            return true;
        }
        match self.outbox.push_event(row.frame.clone()) {
            Pushed::Taken => {
                self.next += 1;
                true
            }
            Pushed::Full | Pushed::Gone => {
                self.phase = Phase::Paused;
                false
            }
        }
    }

    /// Makes the viewer reload, and continues with this event.
    pub(crate) fn overflow(&mut self, channel: Channel, next: i64) {
        self.outbox.push_control(Control::overflow(channel).frame());
        self.next = next;
        self.sent.clear();
    }

    /// Sends the part of a text that the viewer does not have.
    pub(crate) fn update(&mut self, update: &mut TextUpdate<'_>) {
        let have = update.content.len();
        let sent = self.sent.get(&update.id).copied().unwrap_or(0);
        if sent >= have || self.has_ended() {
            return;
        }
        // A long text is not encoded for a viewer that cannot take it.
        if !self.outbox.accepts_transient(have - sent) {
            metrics::text_dropped();
            return;
        }
        let Some(frame) = update.from(sent) else { return };
        match self.outbox.push_transient(frame) {
            Pushed::Taken => {
                self.sent.insert(update.id, have);
            }
            Pushed::Full => metrics::text_dropped(),
            Pushed::Gone => {}
        }
    }
}

/// An encoded chunk, for all subscribers that need the text from this offset on.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) offset: usize,
    pub(crate) frame: Utf8Bytes,
}

/// A text that grew. A frame made for one subscriber is reused for the next with the same offset.
#[derive(Debug)]
pub(crate) struct TextUpdate<'a> {
    session: SessionId,
    id: TimelineEventId,
    content: &'a str,
    now: Timestamp,
    shared: Option<Shared>,
    encoded: Option<Shared>,
}

impl<'a> TextUpdate<'a> {
    pub(crate) fn new(
        session: SessionId,
        id: TimelineEventId,
        content: &'a str,
        now: Timestamp,
        shared: Option<Shared>,
    ) -> Self {
        Self { session, id, content, now, shared, encoded: None }
    }

    /// A frame with the text from this byte on.
    fn from(&mut self, offset: usize) -> Option<Utf8Bytes> {
        let known = self.shared.iter().chain(&self.encoded).find(|known| known.offset == offset);
        if let Some(frame) = known.map(|known| known.frame.clone()) {
            return Some(frame);
        }
        let live = Live {
            session_id: self.session,
            timestamp: self.now,
            body: LiveBody::Chunk {
                event_id: self.id,
                delta: self.content.get(offset..)?.to_owned(),
                offset: u64::try_from(offset).ok()?,
            },
        };
        let frame = Utf8Bytes::from(serde_json::to_string(&live).ok()?);
        self.encoded = Some(Shared { offset, frame: frame.clone() });
        Some(frame)
    }
}
