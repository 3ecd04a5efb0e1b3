//! One watched session: its events in order, its streaming text, and what each viewer has had.
//!
//! Pure: events, rows and snapshots come in as values, frames go into the viewers' queues, and what
//! must be read is asked for through [`Feed::job`] and [`Feed::reads`].

mod log;
mod seat;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use tarsy_contracts::live::{LiveBody, Snapshot};
use tarsy_domain::clock::Clock;
use tarsy_domain::id::{SessionId, TimelineEventId};

use crate::feed::log::{Ended, Log, Orphans};
use crate::feed::seat::{Bring, Phase, Seat, Shared};
use crate::hub::Join;
use crate::metrics;
use crate::outbox::Pushed;
use crate::protocol::{Channel, Control};
use crate::row::{Effect, Row};
use crate::text::{Step, Text};

/// How many earlier events a viewer is sent; with more it is told to reload.
pub(crate) const CATCHUP: usize = 200;
/// How often a missing event is looked for before it is given up.
const GAP_TRIES: u32 = 6;
/// How often a viewer's history is read again because events overtook it.
const REREADS: u32 = 5;
/// How often the owner may not know a text before it is forgotten.
const MISSES: u8 = 3;

/// What the table says: the newest number given out, and rows from a number on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    /// The newest number; none without such a session.
    pub(crate) last: Option<i64>,
    /// The rows, in order.
    pub(crate) rows: Vec<Row>,
}

/// A viewer's history that must be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) viewer: u64,
    pub(crate) after: i64,
    /// Tells this read from an earlier one of the same viewer.
    pub(crate) turn: u64,
}

/// A look at the table, and perhaps at the owner before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Rows after this number are wanted; none when no viewer has been served yet.
    pub(crate) after: Option<i64>,
    /// Whether the owner is asked for its text first.
    pub(crate) snapshot: bool,
    /// How often this gap has been looked at.
    pub(crate) tries: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Wants {
    rows: bool,
    snapshot: bool,
}

pub(crate) struct Feed {
    session: SessionId,
    clock: Arc<dyn Clock>,
    seats: HashMap<u64, Seat>,
    log: Log,
    texts: HashMap<TimelineEventId, Text>,
    orphans: Orphans,
    ended: Ended,
    wants: Wants,
    reads: Vec<Read>,
    turns: u64,
    gap_tries: u32,
    degraded: bool,
}

impl Feed {
    pub(crate) fn new(session: SessionId, clock: Arc<dyn Clock>) -> Self {
        Self {
            session,
            clock,
            seats: HashMap::new(),
            log: Log::default(),
            texts: HashMap::new(),
            orphans: Orphans::default(),
            ended: Ended::default(),
            wants: Wants::default(),
            reads: Vec::new(),
            turns: 0,
            gap_tries: 0,
            degraded: false,
        }
    }

    /// Gives a viewer a seat; its history is asked for.
    pub(crate) fn join(&mut self, join: Join) {
        if self.degraded {
            join.outbox.push_control(Control::degraded(self.channel()).frame());
        }
        let (viewer, after) = (join.viewer, join.after);
        self.seats.insert(viewer, Seat::new(join));
        self.read_for(viewer, after);
    }

    /// Tells a viewer again what came after this event.
    pub(crate) fn catch_up(&mut self, viewer: u64, after: i64) {
        if let Some(seat) = self.seats.get_mut(&viewer) {
            seat.begin_again(after);
            self.read_for(viewer, after);
        }
    }

    /// The histories that must be read.
    pub(crate) fn reads(&mut self) -> Vec<Read> {
        std::mem::take(&mut self.reads)
    }

    /// Whether this read is still waited for.
    pub(crate) fn awaits(&self, read: Read) -> bool {
        self.seats.get(&read.viewer).is_some_and(|seat| seat.awaits(read.turn))
    }

    /// What else must be read.
    pub(crate) fn job(&mut self) -> Option<Job> {
        let wants = std::mem::take(&mut self.wants);
        (wants.rows || wants.snapshot).then(|| Job {
            after: self.log.next.map(|next| next - 1),
            snapshot: wants.snapshot,
            tries: self.gap_tries,
        })
    }

    /// Whether the table is waited for because an event is missing.
    pub(crate) fn has_work(&self) -> bool {
        self.wants.rows || self.wants.snapshot
    }

    /// A viewer's history was read.
    pub(crate) fn history(&mut self, read: Read, page: Page) {
        if !self.awaits(read) {
            return;
        }
        let newest = page.last.unwrap_or(0).max(page.rows.last().map_or(0, |row| row.seq));
        let told = contiguous(read.after, &page.rows);
        let whole = told == page.rows.len()
            && told <= CATCHUP
            && read.after + i64::try_from(told).unwrap_or(i64::MAX) == newest;
        if self.log.next.is_none() {
            self.log.next = Some(if whole { read.after + 1 } else { newest + 1 });
            self.wants.snapshot = true;
        }
        if whole {
            for row in &page.rows {
                self.ingest(row.clone());
            }
        }
        self.settle();
        self.serve(read, page.rows.into_iter().take(told.min(CATCHUP)), whole);
        self.orphans_to_texts();
    }

    /// Sends a viewer its history and lets it take part, if it is level with the others by then.
    fn serve(&mut self, read: Read, rows: impl Iterator<Item = Row>, whole: bool) {
        let Some(next) = self.log.next else { return };
        let Some(seat) = self.seats.get_mut(&read.viewer) else { return };
        seat.next = read.after + 1;
        for row in rows {
            if !seat.offer(&row) {
                return;
            }
        }
        if whole {
            for row in self.log.tail_from(seat.next) {
                if !seat.offer(row) {
                    return;
                }
            }
        }
        let (level, rereads) = (seat.next >= next, seat.rereads);
        if whole && !level && rereads < REREADS {
            seat.rereads += 1;
            let after = seat.next - 1;
            self.read_for(read.viewer, after);
            return;
        }
        if !whole || !level {
            metrics::overflow("history");
            seat.overflow(Channel::Session(self.session), next.max(seat.next));
        }
        seat.live();
        self.bring_seat(read.viewer);
    }

    /// A stored event came over the bus.
    pub(crate) fn event(&mut self, row: Row) {
        self.ingest(row);
        self.settle();
        self.orphans_to_texts();
    }

    /// Something that is not stored came over the bus.
    pub(crate) fn live(&mut self, body: &LiveBody, frame: &Utf8Bytes) {
        if let LiveBody::Chunk { event_id, delta, offset } = body {
            let Ok(offset) = usize::try_from(*offset) else { return };
            self.chunk(*event_id, offset, delta, Some(frame));
            return;
        }
        for seat in self.seats.values_mut().filter(|seat| seat.phase == Phase::Live) {
            if seat.outbox.push_transient(frame.clone()) == Pushed::Full {
                metrics::text_dropped();
            }
        }
    }

    /// The table, and the owner if it was asked, were looked at.
    pub(crate) fn looked(&mut self, job: Job, page: Page, snapshot: Option<Snapshot>) {
        let full = page.rows.len() >= CATCHUP;
        let newest = page.last.unwrap_or(0);
        for row in page.rows {
            self.ingest(row);
        }
        self.settle();
        let Some(next) = self.log.next else { return };
        let missing = self.log.has_ahead() || newest >= next;
        if full {
            self.wants.rows = true;
        } else if missing && job.after.is_some() {
            self.gap_tries += 1;
            self.wants.rows = true;
            if self.gap_tries > GAP_TRIES {
                self.give_up_gap(newest);
            }
        }
        if !missing {
            self.gap_tries = 0;
        }
        if let Some(snapshot) = snapshot {
            self.snapshot(snapshot, !full && !missing);
        }
        self.orphans_to_texts();
        self.sweep();
    }

    /// Time passes: what a lost message hid is looked for.
    pub(crate) fn tick(&mut self) {
        self.wants.rows |= self.log.next.is_some();
        self.wants.snapshot |= !self.texts.is_empty() || !self.orphans.is_empty();
        self.orphans.age(MISSES * 2);
        self.sweep();
    }

    /// Something may have been missed.
    pub(crate) fn missed_something(&mut self) {
        self.wants = Wants { rows: true, snapshot: true };
    }

    /// The bus, or the table behind a viewer's history, went away or came back.
    pub(crate) fn set_degraded(&mut self, degraded: bool) {
        if self.degraded == degraded {
            return;
        }
        self.degraded = degraded;
        let channel = self.channel();
        let word = if degraded { Control::degraded(channel) } else { Control::recovered(channel) };
        let frame = word.frame();
        for seat in self.seats.values() {
            seat.outbox.push_control(frame.clone());
        }
    }

    /// Drops who has left and gives those who were too slow a new start.
    pub(crate) fn sweep(&mut self) {
        self.seats.retain(|_, seat| !seat.is_gone());
        let Some(next) = self.log.next else { return };
        let channel = self.channel();
        let mut revived = Vec::new();
        for (viewer, seat) in &mut self.seats {
            if seat.phase == Phase::Muted && seat.outbox.is_roomy() {
                metrics::overflow("slow");
                seat.overflow(channel, next);
                seat.live();
                revived.push(*viewer);
            }
        }
        for viewer in revived {
            self.bring_seat(viewer);
        }
    }

    /// Whether a viewer waits for room in its queue.
    pub(crate) fn has_muted(&self) -> bool {
        self.seats.values().any(|seat| seat.phase == Phase::Muted)
    }

    fn channel(&self) -> Channel {
        Channel::Session(self.session)
    }

    fn read_for(&mut self, viewer: u64, after: i64) {
        self.turns += 1;
        if let Some(seat) = self.seats.get_mut(&viewer) {
            seat.phase = Phase::Catching { turn: self.turns };
            self.reads.push(Read { viewer, after, turn: self.turns });
        }
    }

    /// Puts an event where its number says.
    fn ingest(&mut self, row: Row) {
        match self.log.place(row) {
            log::Place::Next(row) => self.append(row),
            log::Place::Ahead => {
                metrics::gap();
                self.wants.rows = true;
            }
            log::Place::Early | log::Place::Known => {}
        }
    }

    /// Appends what waited for its turn.
    fn settle(&mut self) {
        while let Some(row) = self.log.ready() {
            self.append(row);
        }
    }

    fn append(&mut self, row: Row) {
        self.gap_tries = 0;
        match row.effect {
            Effect::Opens(id) => {
                self.texts.entry(id).or_default();
            }
            Effect::Closes(id) => {
                self.texts.remove(&id);
                self.orphans.forget(id);
                self.ended.insert(id);
                for seat in self.seats.values_mut() {
                    seat.sent.remove(&id);
                }
            }
            Effect::None => {}
        }
        for seat in self.seats.values_mut().filter(|seat| seat.phase == Phase::Live) {
            seat.offer(&row);
        }
        self.log.append(row);
    }

    /// Goes on after events that will not come; the viewers are told to reload.
    fn give_up_gap(&mut self, newest: i64) {
        let next = self.log.skip_gap(newest);
        self.gap_tries = 0;
        let channel = self.channel();
        tracing::warn!(session = %self.session, next, "events are missing; viewers reload");
        for seat in self.seats.values_mut() {
            if seat.phase == Phase::Live && seat.next < next {
                metrics::overflow("gap");
                seat.overflow(channel, next);
            }
        }
        self.settle();
    }

    fn chunk(
        &mut self,
        id: TimelineEventId,
        offset: usize,
        delta: &str,
        frame: Option<&Utf8Bytes>,
    ) {
        let Some(text) = self.texts.get_mut(&id) else {
            if !self.ended.contains(id) {
                self.orphans.keep(id, offset, delta);
                self.wants = Wants { rows: true, snapshot: true };
            }
            return;
        };
        match text.add(offset, delta) {
            Step::Nothing => {}
            Step::Hole => self.wants.snapshot = true,
            Step::Grown => {
                // Others may have had to wait for this one: then it is not all that is new.
                let alone = text.content().len() == offset + delta.len();
                let shared = frame.filter(|_| alone);
                self.bring_all(id, shared.map(|frame| Shared { offset, frame: frame.clone() }));
            }
            Step::TooLong => self.forget(id),
        }
    }

    /// The owner's word: `level` when every row up to now is in, so that a text whose beginning has
    /// not been seen must be an old one.
    fn snapshot(&mut self, snapshot: Snapshot, level: bool) {
        let mut listed = Vec::with_capacity(snapshot.streams.len());
        for stream in snapshot.streams {
            let id = stream.event_id;
            listed.push(id);
            if self.ended.contains(id) || (!level && !self.texts.contains_key(&id)) {
                continue;
            }
            match self.texts.entry(id).or_default().replace(stream.content) {
                Step::TooLong => self.forget(id),
                Step::Grown => self.bring_all(id, None),
                Step::Nothing | Step::Hole => {}
            }
        }
        let mut lost = Vec::new();
        for (id, text) in self.texts.iter_mut().filter(|(id, _)| !listed.contains(id)) {
            if text.has_hole() {
                text.misses = text.misses.saturating_add(1);
                if text.misses >= MISSES {
                    lost.push(*id);
                }
            }
        }
        for id in lost {
            self.forget(id);
        }
        self.orphans.age(MISSES);
    }

    /// Follows a text no longer; its end will tell all of it.
    fn forget(&mut self, id: TimelineEventId) {
        self.texts.remove(&id);
        self.ended.insert(id);
    }

    /// Chunks that came before their event's beginning.
    fn orphans_to_texts(&mut self) {
        for id in self.orphans.ids() {
            if self.texts.contains_key(&id) {
                for (offset, delta) in self.orphans.forget(id) {
                    self.chunk(id, offset, &delta, None);
                }
            }
        }
    }

    fn bring_all(&mut self, id: TimelineEventId, shared: Option<Shared>) {
        let Some(text) = self.texts.get(&id) else { return };
        let now = self.clock.now();
        let mut bring = Bring::new(self.session, id, text.content(), now, shared);
        for seat in self.seats.values_mut().filter(|seat| seat.phase == Phase::Live) {
            seat.bring(&mut bring);
        }
    }

    fn bring_seat(&mut self, viewer: u64) {
        let Some(seat) = self.seats.get_mut(&viewer) else { return };
        if seat.phase != Phase::Live {
            return;
        }
        let now = self.clock.now();
        for (id, text) in &self.texts {
            seat.bring(&mut Bring::new(self.session, *id, text.content(), now, None));
        }
    }
}

/// How many rows follow one another from the one after `after` on.
fn contiguous(after: i64, rows: &[Row]) -> usize {
    rows.iter().zip(after + 1..).take_while(|(row, expected)| row.seq == *expected).count()
}
