//! How many tokens a measurement streams.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Concurrent turns.
    pub(crate) streams: usize,
    /// Tokens of each stream.
    pub(crate) tokens: usize,
    /// The time between two tokens; zero is as fast as possible.
    pub(crate) every: Duration,
}
