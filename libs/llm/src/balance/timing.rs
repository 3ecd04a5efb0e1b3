//! The bounds of connections and checks.

use std::time::Duration;

use tarsy_domain::backoff::Backoff;

/// How long parts of a connection's life may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    pub(crate) connect: Duration,
    pub(crate) check: Duration,
    /// Between two health checks of one connection.
    pub(crate) check_every: Duration,
    /// A lookup of a name.
    pub(crate) resolve: Duration,
    /// Between two lookups of a name.
    pub(crate) resolve_every: Duration,
    /// Between two pings; llm-service takes them as often as every ten seconds.
    pub(crate) keep_alive: Duration,
    /// The answer to a ping.
    pub(crate) keep_alive_answer: Duration,
    /// How long a replica is left out after so many failures in a row.
    pub(crate) ejection: Backoff,
}

impl Timing {
    pub(crate) const DEFAULT: Self = Self {
        connect: Duration::from_secs(5),
        check: Duration::from_secs(3),
        check_every: Duration::from_secs(5),
        resolve: Duration::from_secs(5),
        resolve_every: Duration::from_secs(10),
        keep_alive: Duration::from_secs(15),
        keep_alive_answer: Duration::from_secs(5),
        ejection: Backoff::new(Duration::from_millis(500), Duration::from_secs(30)),
    };

    /// The longest wait for a connection of one replica when none is open.
    pub(crate) fn attempt(&self) -> Duration {
        self.connect + self.check
    }
}
