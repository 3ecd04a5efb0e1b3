//! What was found, what people and models say of it, and what is made of it.

pub(crate) mod claims;
pub(crate) mod memories;
pub(crate) mod postmortem;
pub(crate) mod prevention;
pub(crate) mod prose;
pub(crate) mod recordings;
pub(crate) mod replays;
pub(crate) mod reviews;
pub(crate) mod scores;
pub(crate) mod seen_before;
pub(crate) mod verdicts;
