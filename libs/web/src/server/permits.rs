//! Counts the open connections, of all clients and of each address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use metrics::{counter, gauge};
use tarsy_telemetry::register_counters;
use tokio::net::TcpStream;

use super::limits::ServerLimits;
use crate::author::TrustedProxies;
use crate::problem::CONTENT_TYPE;

/// Which limit refuses a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Address,
    Total,
}

impl Refusal {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Total => "total",
        }
    }

    /// The whole answer; it is sent before any request is read.
    fn answer(self) -> String {
        let (status, body) = match self {
            Self::Address => (
                "429 Too Many Requests",
                r#"{"type":"/problems/rate-limited","title":"Too many requests","status":429,"detail":"too many connections of your address are open; close some of them, and then try again"}"#,
            ),
            Self::Total => (
                "503 Service Unavailable",
                r#"{"type":"/problems/unavailable","title":"Unavailable","status":503,"detail":"too many connections are open; try again soon"}"#,
            ),
        };
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {CONTENT_TYPE}\r\nretry-after: 5\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
    }
}

/// Answers a connection that has no permit, as far as its buffers take it at once.
pub(super) fn refuse(stream: &TcpStream, refusal: Refusal) {
    counter!("tarsy_http_connections_refused_total", "limit" => refusal.as_str()).increment(1);
    // What is unread when the socket closes would reset the connection before the answer is read.
    let mut request = [0; 4096];
    drop(stream.try_read(&mut request));
    drop(stream.try_write(refusal.answer().as_bytes()));
}

/// Counts the open connections of a listener.
#[derive(Debug)]
pub(super) struct Permits {
    counts: Arc<Mutex<Counts>>,
    total: usize,
    of_address: usize,
    proxies: TrustedProxies,
}

#[derive(Debug, Default)]
struct Counts {
    total: usize,
    of_address: HashMap<IpAddr, usize>,
}

impl Permits {
    pub(super) fn new(limits: &ServerLimits) -> Self {
        let refusals = [Refusal::Address, Refusal::Total].map(Refusal::as_str);
        register_counters("tarsy_http_connections_refused_total", "limit", &refusals);
        register_counters("tarsy_http_timeouts_total", "part", &["headers", "body"]);
        gauge!("tarsy_http_connections").increment(0.0);
        Self {
            counts: Arc::default(),
            total: limits.connections,
            of_address: limits.connections_per_address.unwrap_or(limits.connections),
            proxies: limits.proxies.clone(),
        }
    }

    /// A permit for a connection of a peer.
    pub(super) fn acquire(&self, peer: IpAddr) -> Result<Permit, Refusal> {
        let network = network(peer);
        let limit = if self.proxies.include(peer) { self.total } else { self.of_address };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.total >= self.total {
            return Err(Refusal::Total);
        }
        if counts.of_address.get(&network).is_some_and(|count| *count >= limit) {
            return Err(Refusal::Address);
        }
        counts.total += 1;
        *counts.of_address.entry(network).or_default() += 1;
        gauge!("tarsy_http_connections").increment(1.0);
        Ok(Permit { counts: Arc::clone(&self.counts), network })
    }
}

/// An open connection; dropping it frees its place.
#[derive(Debug)]
pub(super) struct Permit {
    counts: Arc<Mutex<Counts>>,
    network: IpAddr,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.total = counts.total.saturating_sub(1);
        if let Some(count) = counts.of_address.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                counts.of_address.remove(&self.network);
            }
        }
        gauge!("tarsy_http_connections").decrement(1.0);
    }
}

/// What one client has: an address of IPv4, or a /64 of IPv6.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permits() -> Permits {
        Permits::new(&ServerLimits {
            connections: 3,
            connections_per_address: Some(1),
            proxies: TrustedProxies::new(&["10.0.0.0/8".parse().unwrap()]),
            ..ServerLimits::default()
        })
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn each_address_and_all_together_have_a_limit() {
        let permits = permits();
        let first = permits.acquire(ip("192.0.2.1")).unwrap();
        assert_eq!(permits.acquire(ip("::ffff:192.0.2.1")).unwrap_err(), Refusal::Address);
        let _second = permits.acquire(ip("2001:db8::1")).unwrap();
        assert_eq!(permits.acquire(ip("2001:db8::2")).unwrap_err(), Refusal::Address);
        let _third = permits.acquire(ip("2001:db8:0:1::1")).unwrap();
        assert_eq!(permits.acquire(ip("192.0.2.2")).unwrap_err(), Refusal::Total);
        drop(first);
        assert!(permits.acquire(ip("192.0.2.1")).is_ok());
    }

    #[test]
    fn the_clients_of_a_proxy_do_not_share_a_limit() {
        let permits = permits();
        let _first = permits.acquire(ip("10.1.1.1")).unwrap();
        let _second = permits.acquire(ip("10.1.1.1")).unwrap();
    }

    #[test]
    fn a_refusal_is_a_problem() {
        for refusal in [Refusal::Address, Refusal::Total] {
            let answer = refusal.answer();
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {} ", body["status"])));
        }
    }
}
