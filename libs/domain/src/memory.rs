//! Facts that people confirmed in reviews.

use crate::string_enum::string_enum;

string_enum! {
    /// Whether a memory is given to investigations.
    MemoryState {
        /// It is, where it fits.
        Active,
        /// It is kept for people: reviews contradict it as often as they confirm it, or a person retired it.
        Retired,
    }
}

string_enum! {
    /// What the review of a session says of a memory.
    MemoryEffect {
        /// It was so.
        Confirms,
        /// The finding that said so was wrong.
        Contradicts,
    }
}
