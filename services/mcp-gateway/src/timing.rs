//! The intervals and lifetimes of a gateway.

use std::time::Duration;

/// The intervals and lifetimes of a gateway. Tests shorten them.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// A lease expires this long after its last renewal. Default: 1 min.
    pub lease_ttl: Duration,
    /// The outcome of a call is kept this long after its end. Default: 10 min.
    pub outcome_ttl: Duration,
    /// Health checks begin this long after the start. Default: at once.
    pub check_delay: Duration,
    /// The health check interval of HTTP servers. Default: 15 s.
    pub check_http: Duration,
    /// The health check interval of subprocess servers. Default: 15 s.
    pub check_stdio: Duration,
    /// The time in which a server that is checked must answer. Default: 5 s.
    pub probe: Duration,
    /// The interval of this instance's heartbeat. Default: 20 s.
    pub heartbeat: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease_ttl: Duration::from_mins(1),
            outcome_ttl: Duration::from_mins(10),
            check_delay: Duration::ZERO,
            check_http: Duration::from_secs(15),
            check_stdio: Duration::from_secs(15),
            probe: Duration::from_secs(5),
            heartbeat: Duration::from_secs(20),
        }
    }
}
