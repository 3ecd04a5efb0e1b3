//! Memories: short facts that people confirmed in reviews, with the sessions that confirm or contradict them.
//!
//! Only a review makes one, in its own transaction: of the reviewer's words, or of the verdict of a finding that the reviewer
//! judged as accurate. Nothing else inserts into the table.

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
