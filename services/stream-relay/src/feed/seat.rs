//! One viewer of one session: what it has had.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use jiff::Timestamp;
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_domain::id::{SessionId, TimelineEventId};

use crate::hub::{Join, Presence};
use crate::metrics;
use crate::outbox::{Outbox, Pushed};
use crate::protocol::{Channel, Control};
use crate::row::Row;

/// What a viewer is ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Its history is being read.
    Catching {
        /// Which read it waits for.
        turn: u64,
    },
    /// It gets what happens as it happens.
    Live,
    /// Its queue was full; it gets nothing until there is room.
    Muted,
}

#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) outbox: Arc<Outbox>,
    presence: Presence,
    pub(crate) phase: Phase,
    /// The next event it is owed.
    pub(crate) next: i64,
    /// How far each streaming text was sent, in bytes.
    pub(crate) sent: HashMap<TimelineEventId, usize>,
    pub(crate) rereads: u32,
}

impl Seat {
    pub(crate) fn new(join: Join) -> Self {
        Self {
            outbox: join.outbox,
            presence: join.presence,
            phase: Phase::Catching { turn: 0 },
            next: join.after + 1,
            sent: HashMap::new(),
            rereads: 0,
        }
    }

    pub(crate) fn begin_again(&mut self, after: i64) {
        self.next = after + 1;
        self.sent.clear();
        self.rereads = 0;
    }

    pub(crate) fn awaits(&self, turn: u64) -> bool {
        self.phase == Phase::Catching { turn } && !self.is_gone()
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.presence.is_gone()
    }

    pub(crate) fn live(&mut self) {
        self.phase = Phase::Live;
        self.rereads = 0;
    }

    /// Sends an event if it is the one the viewer is owed; false once there is no room for it.
    pub(crate) fn offer(&mut self, row: &Row) -> bool {
        if row.seq != self.next || self.is_gone() {
            return true;
        }
        match self.outbox.push_event(row.frame.clone()) {
            Pushed::Taken => {
                self.next += 1;
                true
            }
            Pushed::Full | Pushed::Gone => {
                self.phase = Phase::Muted;
                false
            }
        }
    }

    /// Tells the viewer to reload, and goes on from this event.
    pub(crate) fn overflow(&mut self, channel: Channel, next: i64) {
        self.outbox.push_control(Control::overflow(channel).frame());
        self.next = next;
        self.sent.clear();
    }

    /// Sends what the viewer has not had of a text.
    pub(crate) fn bring(&mut self, bring: &mut Bring<'_>) {
        let have = bring.content.len();
        let sent = self.sent.get(&bring.id).copied().unwrap_or(0);
        if sent >= have || self.is_gone() {
            return;
        }
        // For a viewer that cannot take it, a long text is not even written down.
        if !self.outbox.has_room(have - sent) {
            metrics::text_dropped();
            return;
        }
        let Some(frame) = bring.from(sent) else { return };
        match self.outbox.push_transient(frame) {
            Pushed::Taken => {
                self.sent.insert(bring.id, have);
            }
            Pushed::Full => metrics::text_dropped(),
            Pushed::Gone => {}
        }
    }
}

/// A chunk as it came, for all who are owed just that.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) offset: usize,
    pub(crate) frame: Utf8Bytes,
}

/// A text that is brought to viewers; a frame made for one serves the next with the same need.
#[derive(Debug)]
pub(crate) struct Bring<'a> {
    session: SessionId,
    id: TimelineEventId,
    content: &'a str,
    now: Timestamp,
    shared: Option<Shared>,
    made: Option<Shared>,
}

impl<'a> Bring<'a> {
    pub(crate) fn new(
        session: SessionId,
        id: TimelineEventId,
        content: &'a str,
        now: Timestamp,
        shared: Option<Shared>,
    ) -> Self {
        Self { session, id, content, now, shared, made: None }
    }

    /// A frame with the text from this byte on.
    fn from(&mut self, offset: usize) -> Option<Utf8Bytes> {
        let known = self.shared.iter().chain(&self.made).find(|known| known.offset == offset);
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
        self.made = Some(Shared { offset, frame: frame.clone() });
        Some(frame)
    }
}
