//! How many tokens a measurement streams, and what one stream brought.

use std::time::{Duration, Instant};

use crate::samples::Samples;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// Concurrent turns.
    pub(crate) streams: usize,
    /// Tokens of each stream.
    pub(crate) tokens: usize,
    /// The time between two tokens; zero is as fast as possible.
    pub(crate) every: Duration,
}

#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) latencies: Samples,
    pub(crate) first: Instant,
    pub(crate) last: Instant,
}
