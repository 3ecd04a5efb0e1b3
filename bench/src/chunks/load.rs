//! How much text a measurement sends.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) viewers: usize,
    pub(crate) chunks: usize,
    /// The time between two chunks.
    pub(crate) every: Duration,
}
