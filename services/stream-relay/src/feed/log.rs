//! The order of a session's events, and what waits for it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use tarsy_domain::id::TimelineEventId;

use crate::row::Row;

const MAX_AHEAD: usize = 512;
const MAX_TAIL: usize = 64;
const MAX_TAIL_BYTES: usize = 1024 * 1024;
const MAX_ORPHANS: usize = 128;
const MAX_ENDED: usize = 512;

/// Where an event belongs.
#[derive(Debug)]
pub(crate) enum Place {
    /// It is the next one.
    Next(Row),
    /// One before it is missing.
    Ahead,
    /// Nobody knows yet where the order starts; it is kept.
    Early,
    /// It came before.
    Known,
}

/// Events in order: the next number, what came too early, and the last few.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) next: Option<i64>,
    ahead: BTreeMap<i64, Row>,
    tail: VecDeque<Row>,
    tail_bytes: usize,
}

impl Log {
    pub(crate) fn place(&mut self, row: Row) -> Place {
        match self.next {
            None => {
                self.keep(row);
                Place::Early
            }
            Some(next) if row.seq == next => Place::Next(row),
            Some(next) if row.seq < next => Place::Known,
            Some(_) => {
                self.keep(row);
                Place::Ahead
            }
        }
    }

    /// The next event, if it waited here.
    pub(crate) fn ready(&mut self) -> Option<Row> {
        let next = self.next?;
        while let Some(entry) = self.ahead.first_entry() {
            match (*entry.key()).cmp(&next) {
                std::cmp::Ordering::Less => drop(entry.remove()),
                std::cmp::Ordering::Equal => return Some(entry.remove()),
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }

    pub(crate) fn append(&mut self, row: Row) {
        self.next = Some(row.seq + 1);
        self.tail_bytes += row.frame.len();
        self.tail.push_back(row);
        while self.tail.len() > MAX_TAIL || self.tail_bytes > MAX_TAIL_BYTES {
            let Some(old) = self.tail.pop_front() else { break };
            self.tail_bytes -= old.frame.len().min(self.tail_bytes);
        }
    }

    /// The last events from this number on; those before it are not told.
    pub(crate) fn tail_from(&self, seq: i64) -> impl Iterator<Item = &Row> {
        let covered = self.tail.front().is_some_and(|first| first.seq <= seq);
        self.tail.iter().filter(move |row| covered && row.seq >= seq)
    }

    pub(crate) fn has_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Goes on behind a gap; answers the number that comes next.
    pub(crate) fn skip_gap(&mut self, newest: i64) -> i64 {
        let first = self.ahead.keys().next().copied().unwrap_or(newest + 1);
        let next = first.max(self.next.unwrap_or(first));
        self.next = Some(next);
        self.tail.clear();
        self.tail_bytes = 0;
        next
    }

    fn keep(&mut self, row: Row) {
        // The furthest goes first: the table has it when its turn comes.
        if self.ahead.len() >= MAX_AHEAD
            && let Some(furthest) = self.ahead.last_entry()
        {
            if *furthest.key() <= row.seq {
                return;
            }
            furthest.remove();
        }
        self.ahead.insert(row.seq, row);
    }
}

/// Chunks of events whose beginning has not been seen.
#[derive(Debug, Default)]
pub(crate) struct Orphans {
    chunks: HashMap<TimelineEventId, Waiting>,
    count: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    chunks: Vec<(usize, String)>,
    age: u8,
}

impl Orphans {
    pub(crate) fn keep(&mut self, id: TimelineEventId, offset: usize, delta: &str) {
        if self.count < MAX_ORPHANS {
            self.count += 1;
            self.chunks.entry(id).or_default().chunks.push((offset, delta.to_owned()));
        }
    }

    pub(crate) fn forget(&mut self, id: TimelineEventId) -> Vec<(usize, String)> {
        let chunks = self.chunks.remove(&id).unwrap_or_default().chunks;
        self.count -= chunks.len().min(self.count);
        chunks
    }

    pub(crate) fn ids(&self) -> Vec<TimelineEventId> {
        self.chunks.keys().copied().collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The owner was asked, or time passed: what stays unexplained so often is dropped.
    pub(crate) fn age(&mut self, limit: u8) {
        let mut old = Vec::new();
        for (id, waiting) in &mut self.chunks {
            waiting.age = waiting.age.saturating_add(1);
            if waiting.age >= limit {
                old.push(*id);
            }
        }
        for id in old {
            self.forget(id);
        }
    }
}

/// The events that are over, so that a late chunk finds no viewer.
#[derive(Debug, Default)]
pub(crate) struct Ended(VecDeque<TimelineEventId>);

impl Ended {
    pub(crate) fn insert(&mut self, id: TimelineEventId) {
        if self.0.len() >= MAX_ENDED {
            self.0.pop_front();
        }
        self.0.push_back(id);
    }

    pub(crate) fn contains(&self, id: TimelineEventId) -> bool {
        self.0.contains(&id)
    }
}
