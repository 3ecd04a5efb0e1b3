//! Names are resolved to addresses that may be connected to.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The error of a name whose addresses are all forbidden.
#[derive(Debug, thiserror::Error)]
#[error("resolves to no address that may be connected to")]
pub struct NotPermitted;

/// The error of a name without an address.
#[derive(Debug, thiserror::Error)]
#[error("has no address")]
pub struct NoAddress;

type Permits = dyn Fn(&str, IpAddr) -> bool + Send + Sync;

/// Resolves names to addresses that may be connected to.
pub struct Resolver(Arc<Permits>);

impl Resolver {
    /// `permits` is asked for each address of a name, which is in lower case and without a dot at its end.
    pub fn new(permits: impl Fn(&str, IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(permits))
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Resolver")
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().trim_end_matches('.').to_ascii_lowercase();
        let permits = Arc::clone(&self.0);
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await;
            let found: Vec<SocketAddr> = found.map_err(|_| NoAddress)?.collect();
            if found.is_empty() {
                return Err(NoAddress.into());
            }
            let allowed: Vec<SocketAddr> =
                found.into_iter().filter(|one| permits(&host, one.ip())).collect();
            if allowed.is_empty() {
                return Err(NotPermitted.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_is_resolved_to_permitted_addresses_only() {
        let named = |text: &str| text.parse::<Name>().unwrap();
        let resolver = Resolver::new(|host, address| host == "localhost" && address.is_loopback());
        let found: Vec<SocketAddr> = resolver.resolve(named("LOCALHOST.")).await.unwrap().collect();
        assert!(!found.is_empty() && found.iter().all(|one| one.ip().is_loopback()), "{found:?}");
        let resolver = Resolver::new(|_, address| !address.is_loopback());
        let refused = resolver.resolve(named("localhost")).await.err().unwrap();
        assert!(refused.is::<NotPermitted>(), "{refused}");
        let unknown = resolver.resolve(named("nobody.invalid")).await.err().unwrap();
        assert!(unknown.is::<NoAddress>(), "{unknown}");
    }
}
