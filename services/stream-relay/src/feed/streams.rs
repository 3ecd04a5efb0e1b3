//! The texts of a session that are still streaming.

use std::collections::HashMap;

use tarsy_contracts::live::Snapshot;
use tarsy_domain::id::TimelineEventId;

use crate::feed::chunks::{EarlyChunks, EndedEvents};
use crate::text::{Step, Text};

/// How often an incomplete text may be missing in the owner's snapshots before it is dropped.
const MAX_MISSES: u8 = 3;

/// What a chunk did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    Nothing,
    /// The text grew, by this chunk alone or also by later ones that waited for it.
    Grown {
        alone: bool,
    },
    /// Text before the chunk is missing.
    Hole,
    /// The beginning of its event has not been seen.
    UnknownEvent,
}

/// Which rows are known when a snapshot arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// All of them: a text without a beginning belongs to an old event.
    Complete,
    Incomplete,
}

#[derive(Debug, Default)]
pub(crate) struct Streams {
    texts: HashMap<TimelineEventId, Text>,
    early: EarlyChunks,
    ended: EndedEvents,
}

impl Streams {
    pub(crate) fn open(&mut self, id: TimelineEventId) {
        self.texts.entry(id).or_default();
    }

    pub(crate) fn close(&mut self, id: TimelineEventId) {
        self.early.remove(id);
        self.drop_text(id);
    }

    /// Whether the end of this event is known.
    pub(crate) fn has_ended(&self, id: TimelineEventId) -> bool {
        self.ended.contains(id)
    }

    /// Whether there is neither a text nor an early chunk.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.early.is_empty()
    }

    pub(crate) fn content(&self, id: TimelineEventId) -> Option<&str> {
        self.texts.get(&id).map(Text::content)
    }

    pub(crate) fn contents(&self) -> impl Iterator<Item = (TimelineEventId, &str)> {
        self.texts.iter().map(|(id, text)| (*id, text.content()))
    }

    pub(crate) fn add(&mut self, id: TimelineEventId, offset: usize, delta: &str) -> Added {
        let Some(text) = self.texts.get_mut(&id) else {
            if self.ended.contains(id) {
                return Added::Nothing;
            }
            self.early.insert(id, offset, delta);
            return Added::UnknownEvent;
        };
        match text.add(offset, delta) {
            Step::Nothing => Added::Nothing,
            Step::Hole => Added::Hole,
            Step::Grown => Added::Grown { alone: text.content().len() == offset + delta.len() },
            Step::TooLong => {
                self.drop_text(id);
                Added::Nothing
            }
        }
    }

    /// Takes the owner's snapshot; returns the texts that grew.
    pub(crate) fn replace(&mut self, snapshot: Snapshot, rows: Rows) -> Vec<TimelineEventId> {
        let (mut listed, mut grown) = (Vec::with_capacity(snapshot.streams.len()), Vec::new());
        for stream in snapshot.streams {
            let id = stream.event_id;
            listed.push(id);
            let unknown = rows == Rows::Incomplete && !self.texts.contains_key(&id);
            if self.ended.contains(id) || unknown {
                continue;
            }
            match self.texts.entry(id).or_default().replace(stream.content) {
                Step::TooLong => self.drop_text(id),
                Step::Grown => grown.push(id),
                Step::Nothing | Step::Hole => {}
            }
        }
        self.drop_missing(&listed);
        self.early.age(MAX_MISSES);
        grown
    }

    /// Drops the early chunks that nothing explains for long.
    pub(crate) fn age_early_chunks(&mut self) {
        self.early.age(MAX_MISSES * 2);
    }

    /// The early chunks of texts that have opened meanwhile.
    pub(crate) fn take_opened(&mut self) -> Vec<(TimelineEventId, Vec<(usize, String)>)> {
        let mut ids = self.early.ids();
        ids.retain(|id| self.texts.contains_key(id));
        ids.into_iter().map(|id| (id, self.early.remove(id))).collect()
    }

    /// Drops incomplete texts that the owner did not list again and again.
    fn drop_missing(&mut self, listed: &[TimelineEventId]) {
        let mut lost = Vec::new();
        for (id, text) in self.texts.iter_mut().filter(|(id, _)| !listed.contains(id)) {
            if text.has_hole() {
                text.misses = text.misses.saturating_add(1);
                if text.misses >= MAX_MISSES {
                    lost.push(*id);
                }
            }
        }
        for id in lost {
            self.drop_text(id);
        }
    }

    /// No longer follows a text; the event that ends it carries all of it.
    fn drop_text(&mut self, id: TimelineEventId) {
        self.texts.remove(&id);
        self.ended.insert(id);
    }
}
