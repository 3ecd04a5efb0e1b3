//! Time as an argument.

use jiff::Timestamp;

pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// The system clock; the only place that reads it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "every other clock is an argument")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
