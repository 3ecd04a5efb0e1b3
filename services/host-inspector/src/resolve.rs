//! The addresses of the host of a URL.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

/// Resolves the host of a URL once, to all its addresses; none if it has no host. The port is that of the URL, or of its
/// scheme.
pub(crate) async fn resolve(url: &Url) -> std::io::Result<Vec<SocketAddr>> {
    let port = url.port_or_known_default().unwrap_or(80);
    match url.host() {
        Some(Host::Ipv4(ip)) => Ok(vec![SocketAddr::new(IpAddr::V4(ip), port)]),
        Some(Host::Ipv6(ip)) => Ok(vec![SocketAddr::new(IpAddr::V6(ip), port)]),
        Some(Host::Domain(name)) => Ok(tokio::net::lookup_host((name, port)).await?.collect()),
        None => Ok(Vec::new()),
    }
}
