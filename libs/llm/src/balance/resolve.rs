//! The addresses behind names.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::time::timeout;

use super::address::{Address, Name};
use super::timing::Timing;

type Lookup = BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

/// Looks up a host: the system's resolver, or that of a test.
#[derive(Clone)]
pub(crate) struct Resolver(Arc<dyn Fn(String, u16) -> Lookup + Send + Sync>);

impl std::fmt::Debug for Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resolver")
    }
}

impl Resolver {
    pub(crate) fn new(lookup: impl Fn(String, u16) -> Lookup + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }

    pub(crate) fn system() -> Self {
        Self::new(|host, port| {
            async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) }.boxed()
        })
    }

    /// The addresses of a name.
    pub(crate) async fn resolve(
        &self,
        name: &Name,
        timing: &Timing,
    ) -> Result<Vec<Address>, String> {
        let (host, port) = match name {
            Name::Socket(path) => return Ok(vec![Address::Socket(path.clone())]),
            Name::Host { host, port, .. } => (host, *port),
        };
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(vec![Address::Ip(SocketAddr::new(ip, port))]);
        }
        let found = timeout(timing.resolve, (self.0)(host.clone(), port)).await;
        let found = found
            .map_err(|_| format!("{host} was not resolved within {:?}", timing.resolve))?
            .map_err(|error| format!("{host} was not resolved: {error}"))?;
        if found.is_empty() {
            return Err(format!("{host} has no address"));
        }
        Ok(found.into_iter().map(Address::Ip).collect())
    }
}

/// Whether the addresses of a name can change.
pub(crate) fn can_change(name: &Name) -> bool {
    matches!(name, Name::Host { host, .. } if host.parse::<IpAddr>().is_err())
}
