//! Time as an argument.

use jiff::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The current instant.
    fn now(&self) -> Timestamp;
}

/// The machine's own clock; the only place that reads it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one clock everything else is given")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
