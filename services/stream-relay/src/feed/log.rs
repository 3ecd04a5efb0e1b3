//! The order of a session's events, and the events that came too early.

use std::collections::{BTreeMap, VecDeque};

use crate::row::Row;

/// Events that may wait for an earlier one.
const MAX_AHEAD: usize = 512;
/// The last events, for viewers whose history was read meanwhile: how many, and how many bytes.
const MAX_TAIL: usize = 64;
const MAX_TAIL_BYTES: usize = 1024 * 1024;

/// How an event relates to the next number.
#[derive(Debug)]
pub(crate) enum Position {
    Next(Row),
    /// One before it is missing.
    Ahead,
    /// The first number is not known yet; it is held.
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
    pub(crate) fn insert(&mut self, row: Row) -> Position {
        match self.next {
            None => {
                self.hold(row);
                Position::Early
            }
            Some(next) if row.seq == next => Position::Next(row),
            Some(next) if row.seq < next => Position::Known,
            Some(_) => {
                self.hold(row);
                Position::Ahead
            }
        }
    }

    /// The next event, if it is held.
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

    /// The last events from this number on; nothing if the first of them is no longer held.
    pub(crate) fn tail_from(&self, seq: i64) -> impl Iterator<Item = &Row> {
        let covered = self.tail.front().is_some_and(|first| first.seq <= seq);
        self.tail.iter().filter(move |row| covered && row.seq >= seq)
    }

    pub(crate) fn has_ahead(&self) -> bool {
        !self.ahead.is_empty()
    }

    /// Skips a gap; returns the number that comes next.
    pub(crate) fn skip_gap(&mut self, newest: i64) -> i64 {
        let first = self.ahead.keys().next().copied().unwrap_or(newest + 1);
        let next = first.max(self.next.unwrap_or(first));
        self.next = Some(next);
        self.tail.clear();
        self.tail_bytes = 0;
        next
    }

    fn hold(&mut self, row: Row) {
        // The furthest is dropped first: the table has it when its turn comes.
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
