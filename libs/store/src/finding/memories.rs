//! Memories: short facts that people confirmed in reviews, with the sessions that confirm or contradict them.
//!
//! Only a review makes one, in its own transaction: of the reviewer's words, or of the verdict of a finding that the reviewer
//! judged as accurate. Nothing else inserts into the table.

/// What a memory of `memories` counts: half after each 90 days without a confirmation. Below a sixteenth, which is after a year for
/// one that was confirmed once, it is not given.
macro_rules! weight {
    () => {
        "confirmations * 0.5::float8 ^ (extract(epoch from now() - confirmed_at)::float8 / 86400 / 90)"
    };
}

mod edit;
mod fact;
mod learn;
mod list;
mod recall;
mod vectors;

pub(crate) use self::learn::{Judged, learn};

pub use self::edit::MemoryEdit;
pub use self::fact::{MAX_MEMORY, Unfit, fit};
pub use self::list::{MemoryCursor, MemoryQuery};
pub use self::vectors::{MAX_DIMENSIONS, Meaning, Unembedded};
