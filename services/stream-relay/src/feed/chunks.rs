//! Chunks of events that are not streaming: those that came early and those that come late.

use std::collections::{HashMap, VecDeque};

use tarsy_domain::id::TimelineEventId;

/// Early chunks that are held, over all events of a session.
const MAX_EARLY: usize = 128;
/// Ended events that are remembered.
const MAX_ENDED: usize = 512;

/// Chunks of events whose beginning has not been seen.
#[derive(Debug, Default)]
pub(crate) struct EarlyChunks {
    chunks: HashMap<TimelineEventId, Waiting>,
    count: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    chunks: Vec<(usize, String)>,
    age: u8,
}

impl EarlyChunks {
    pub(crate) fn insert(&mut self, id: TimelineEventId, offset: usize, delta: &str) {
        if self.count < MAX_EARLY {
            self.count += 1;
            self.chunks.entry(id).or_default().chunks.push((offset, delta.to_owned()));
        }
    }

    pub(crate) fn remove(&mut self, id: TimelineEventId) -> Vec<(usize, String)> {
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

    /// Counts another snapshot or interval without the beginning of an event, and drops the chunks of
    /// events that reached the limit.
    pub(crate) fn age(&mut self, limit: u8) {
        let mut old = Vec::new();
        for (id, waiting) in &mut self.chunks {
            waiting.age = waiting.age.saturating_add(1);
            if waiting.age >= limit {
                old.push(*id);
            }
        }
        for id in old {
            self.remove(id);
        }
    }
}

/// The events that have ended, so that late chunks are dropped.
#[derive(Debug, Default)]
pub(crate) struct EndedEvents(VecDeque<TimelineEventId>);

impl EndedEvents {
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
