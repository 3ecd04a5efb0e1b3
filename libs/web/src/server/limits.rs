//! What the clients of a listener may hold.

use std::time::Duration;

use crate::author::TrustedProxies;

/// What the clients of one listener may hold.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Open connections, WebSockets included.
    pub connections: usize,
    /// Those of one address; of IPv6, of one /64. None: as many as of all.
    pub connections_per_address: Option<usize>,
    /// Peers that the limit per address does not hold for, since many clients share them.
    pub proxies: TrustedProxies,
    /// From the connection to the end of the first request's headers.
    pub first_headers: Duration,
    /// From an answer to the end of the next request's headers; longer than proxies keep unused connections, so that
    /// none sends a request while we close.
    pub next_headers: Duration,
    /// Within a request's body, without a byte.
    pub body_idle: Duration,
    /// For a request's whole body.
    pub body_total: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            connections_per_address: Some(1_000),
            proxies: TrustedProxies::default(),
            first_headers: Duration::from_secs(10),
            next_headers: Duration::from_secs(75),
            body_idle: Duration::from_secs(10),
            body_total: Duration::from_secs(25),
        }
    }
}
