//! One session with viewers: its events in order, its streaming texts, and what each subscriber was
//! sent.
//!
//! Pure: events, rows and snapshots come in as values, frames go into the subscribers' queues, and what
//! must be read is requested through [`Feed::job`] and [`Feed::reads`].

mod chunks;
mod log;
mod request;
mod streams;
mod subscriber;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use tarsy_contracts::live::{LiveBody, Snapshot};
use tarsy_domain::clock::Clock;
use tarsy_domain::id::{SessionId, TimelineEventId};

use crate::command::Subscribe;
use crate::feed::log::{Log, Position};
use crate::feed::request::Needed;
pub(crate) use crate::feed::request::{Job, Page, Read};
use crate::feed::streams::{Added, Rows, Streams};
use crate::feed::subscriber::{Phase, Shared, Subscriber, TextUpdate};
use crate::metrics;
use crate::outbox::Pushed;
use crate::protocol::{Channel, Control};
use crate::row::{Effect, Row};

/// The most earlier events that a viewer is sent; with more it reloads.
pub(crate) const CATCHUP: usize = 200;
/// How often a missing event is looked for before it is skipped.
const MAX_GAP_TRIES: u32 = 6;
/// How often a viewer's history is read again because events overtook it.
const MAX_REREADS: u32 = 5;

pub(crate) struct Feed {
    session: SessionId,
    clock: Arc<dyn Clock>,
    subscribers: HashMap<u64, Subscriber>,
    log: Log,
    streams: Streams,
    needed: Needed,
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
            subscribers: HashMap::new(),
            log: Log::default(),
            streams: Streams::default(),
            needed: Needed::default(),
            reads: Vec::new(),
            turns: 0,
            gap_tries: 0,
            degraded: false,
        }
    }

    /// Adds a subscriber and requests its history.
    pub(crate) fn subscribe(&mut self, subscribe: Subscribe) {
        if self.degraded {
            subscribe.outbox.push_control(Control::degraded(self.channel()).frame());
        }
        let (viewer, after) = (subscribe.viewer, subscribe.after);
        self.subscribers.insert(viewer, Subscriber::new(subscribe));
        self.request_history(viewer, after);
    }

    /// Sends a viewer again what follows this event.
    pub(crate) fn catch_up(&mut self, viewer: u64, after: i64) {
        if let Some(subscriber) = self.subscribers.get_mut(&viewer) {
            subscriber.restart(after);
            self.request_history(viewer, after);
        }
    }

    /// The histories that must be read.
    pub(crate) fn reads(&mut self) -> Vec<Read> {
        std::mem::take(&mut self.reads)
    }

    /// Whether this read is still waited for.
    pub(crate) fn awaits(&self, read: Read) -> bool {
        self.subscribers.get(&read.viewer).is_some_and(|subscriber| subscriber.awaits(read.turn))
    }

    /// What else must be read.
    pub(crate) fn job(&mut self) -> Option<Job> {
        let needed = std::mem::take(&mut self.needed);
        (needed.rows || needed.snapshot).then(|| Job {
            after: self.log.next.map(|next| next - 1),
            snapshot: needed.snapshot,
            tries: self.gap_tries,
        })
    }

    pub(crate) fn has_work(&self) -> bool {
        self.needed.rows || self.needed.snapshot
    }

    /// Takes a viewer's history.
    pub(crate) fn history(&mut self, read: Read, page: Page) {
        if !self.awaits(read) {
            return;
        }
        let newest = page.last.unwrap_or(0).max(page.rows.last().map_or(0, |row| row.seq));
        let count = contiguous(read.after, &page.rows);
        let whole = count == page.rows.len()
            && count <= CATCHUP
            && read.after + i64::try_from(count).unwrap_or(i64::MAX) == newest;
        if self.log.next.is_none() {
            self.log.next = Some(if whole { read.after + 1 } else { newest + 1 });
            self.needed.snapshot = true;
        }
        if whole {
            for row in &page.rows {
                self.insert(row.clone());
            }
        }
        self.append_held();
        self.send_history(read, page.rows.into_iter().take(count.min(CATCHUP)), whole);
        self.add_early_chunks();
    }

    /// Sends a viewer its history; it then receives everything live, unless events overtook the read.
    fn send_history(&mut self, read: Read, rows: impl Iterator<Item = Row>, whole: bool) {
        let Some(next) = self.log.next else { return };
        let Some(subscriber) = self.subscribers.get_mut(&read.viewer) else { return };
        subscriber.next = read.after + 1;
        for row in rows {
            if !subscriber.offer(&row) {
                return;
            }
        }
        if whole {
            for row in self.log.tail_from(subscriber.next) {
                if !subscriber.offer(row) {
                    return;
                }
            }
        }
        let (level, rereads) = (subscriber.next >= next, subscriber.rereads);
        if whole && !level && rereads < MAX_REREADS {
            subscriber.rereads += 1;
            let after = subscriber.next - 1;
            self.request_history(read.viewer, after);
            return;
        }
        if !whole || !level {
            metrics::overflow("history");
            subscriber.overflow(Channel::Session(self.session), next.max(subscriber.next));
        }
        subscriber.set_live();
        self.send_texts_to(read.viewer);
    }

    /// Takes a stored event from the bus.
    pub(crate) fn event(&mut self, row: Row) {
        self.insert(row);
        self.append_held();
        self.add_early_chunks();
    }

    /// Takes a transient event from the bus.
    pub(crate) fn live(&mut self, body: &LiveBody, frame: &Utf8Bytes) {
        if let LiveBody::Chunk { event_id, delta, offset } = body {
            let Ok(offset) = usize::try_from(*offset) else { return };
            self.chunk(*event_id, offset, delta, Some(frame));
            return;
        }
        if let LiveBody::ExecutionProgress { event_id: Some(id), .. } = body
            && self.streams.has_ended(*id)
        {
            return;
        }
        for subscriber in self.live_subscribers() {
            if subscriber.outbox.push_transient(frame.clone()) == Pushed::Full {
                metrics::text_dropped();
            }
        }
    }

    /// Takes the result of a job; the snapshot is none if the owner was not asked or did not answer.
    pub(crate) fn looked(&mut self, job: Job, page: Page, snapshot: Option<Snapshot>) {
        let full = page.rows.len() >= CATCHUP;
        let newest = page.last.unwrap_or(0);
        for row in page.rows {
            self.insert(row);
        }
        self.append_held();
        let Some(next) = self.log.next else { return };
        let missing = self.log.has_ahead() || newest >= next;
        if full {
            self.needed.rows = true;
        } else if missing && job.after.is_some() {
            self.gap_tries += 1;
            self.needed.rows = true;
            if self.gap_tries > MAX_GAP_TRIES {
                self.skip_gap(newest);
            }
        }
        if !missing {
            self.gap_tries = 0;
        }
        if let Some(snapshot) = snapshot {
            let rows = if full || missing { Rows::Incomplete } else { Rows::Complete };
            for id in self.streams.replace(snapshot, rows) {
                self.send_text(id, None);
            }
        }
        self.add_early_chunks();
        self.sweep();
    }

    /// Requests what a lost message may have hidden; called periodically.
    pub(crate) fn tick(&mut self) {
        self.needed.rows |= self.log.next.is_some();
        self.needed.snapshot |= !self.streams.is_empty();
        self.streams.age_early_chunks();
        self.sweep();
    }

    /// Requests everything again, because messages may have been missed.
    pub(crate) fn resync(&mut self) {
        self.needed = Needed::ALL;
    }

    /// Notifies all viewers when the bus or the table becomes unavailable or available again.
    pub(crate) fn set_degraded(&mut self, degraded: bool) {
        if self.degraded == degraded {
            return;
        }
        self.degraded = degraded;
        let channel = self.channel();
        let control =
            if degraded { Control::degraded(channel) } else { Control::recovered(channel) };
        let frame = control.frame();
        for subscriber in self.subscribers.values() {
            subscriber.outbox.push_control(frame.clone());
        }
    }

    /// Removes ended subscriptions, and resumes paused ones that have spare capacity.
    pub(crate) fn sweep(&mut self) {
        self.subscribers.retain(|_, subscriber| !subscriber.has_ended());
        let Some(next) = self.log.next else { return };
        let channel = self.channel();
        let mut resumed = Vec::new();
        for (viewer, subscriber) in &mut self.subscribers {
            if subscriber.phase == Phase::Paused && subscriber.outbox.has_spare_capacity() {
                metrics::overflow("slow");
                subscriber.overflow(channel, next);
                subscriber.set_live();
                resumed.push(*viewer);
            }
        }
        for viewer in resumed {
            self.send_texts_to(viewer);
        }
    }

    /// Whether a subscriber waits for spare capacity in its queue.
    pub(crate) fn has_paused(&self) -> bool {
        self.subscribers.values().any(|subscriber| subscriber.phase == Phase::Paused)
    }

    fn channel(&self) -> Channel {
        Channel::Session(self.session)
    }

    fn live_subscribers(&mut self) -> impl Iterator<Item = &mut Subscriber> {
        self.subscribers.values_mut().filter(|subscriber| subscriber.phase == Phase::Live)
    }

    fn request_history(&mut self, viewer: u64, after: i64) {
        self.turns += 1;
        if let Some(subscriber) = self.subscribers.get_mut(&viewer) {
            subscriber.phase = Phase::CatchingUp { turn: self.turns };
            self.reads.push(Read { viewer, after, turn: self.turns });
        }
    }

    /// Appends an event if it is the next one, else holds it.
    fn insert(&mut self, row: Row) {
        match self.log.insert(row) {
            Position::Next(row) => self.append(row),
            Position::Ahead => {
                metrics::gap();
                self.needed.rows = true;
            }
            Position::Early | Position::Known => {}
        }
    }

    /// Appends held events whose turn has come.
    fn append_held(&mut self) {
        while let Some(row) = self.log.ready() {
            self.append(row);
        }
    }

    fn append(&mut self, row: Row) {
        self.gap_tries = 0;
        match row.effect {
            Effect::Opens(id) => self.streams.open(id),
            Effect::Closes(id) => {
                self.streams.close(id);
                for subscriber in self.subscribers.values_mut() {
                    subscriber.sent.remove(&id);
                }
            }
            Effect::None => {}
        }
        for subscriber in self.live_subscribers() {
            subscriber.offer(&row);
        }
        self.log.append(row);
    }

    /// Continues after events that do not appear; the viewers reload.
    fn skip_gap(&mut self, newest: i64) {
        let next = self.log.skip_gap(newest);
        self.gap_tries = 0;
        let channel = self.channel();
        tracing::warn!(session = %self.session, next, "events are missing; viewers reload");
        for subscriber in self.live_subscribers() {
            if subscriber.next < next {
                metrics::overflow("gap");
                subscriber.overflow(channel, next);
            }
        }
        self.append_held();
    }

    fn chunk(
        &mut self,
        id: TimelineEventId,
        offset: usize,
        delta: &str,
        frame: Option<&Utf8Bytes>,
    ) {
        match self.streams.add(id, offset, delta) {
            Added::Nothing => {}
            Added::UnknownEvent => self.needed = Needed::ALL,
            Added::Hole => self.needed.snapshot = true,
            Added::Grown { alone } => {
                let shared = frame.filter(|_| alone);
                self.send_text(id, shared.map(|frame| Shared { offset, frame: frame.clone() }));
            }
        }
    }

    fn add_early_chunks(&mut self) {
        for (id, chunks) in self.streams.take_opened() {
            for (offset, delta) in chunks {
                self.chunk(id, offset, &delta, None);
            }
        }
    }

    fn send_text(&mut self, id: TimelineEventId, shared: Option<Shared>) {
        let Some(content) = self.streams.content(id) else { return };
        let mut update = TextUpdate::new(self.session, id, content, self.clock.now(), shared);
        for subscriber in self.subscribers.values_mut() {
            if subscriber.phase == Phase::Live {
                subscriber.update(&mut update);
            }
        }
    }

    fn send_texts_to(&mut self, viewer: u64) {
        let Some(subscriber) = self.subscribers.get_mut(&viewer) else { return };
        if subscriber.phase != Phase::Live {
            return;
        }
        let now = self.clock.now();
        for (id, content) in self.streams.contents() {
            subscriber.update(&mut TextUpdate::new(self.session, id, content, now, None));
        }
    }
}

/// How many rows follow one another without a gap, beginning after `after`.
fn contiguous(after: i64, rows: &[Row]) -> usize {
    rows.iter().zip(after + 1..).take_while(|(row, expected)| row.seq == *expected).count()
}
