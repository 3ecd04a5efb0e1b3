//! Name resolution that returns only addresses that may be connected to. Nothing is resolved again
//! between this check and the connection.

use std::error::Error as StdError;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tarsy_hosts::Network;

use crate::rules::Rules;

/// The error of a name whose addresses are all forbidden.
#[derive(Debug)]
pub(crate) struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("resolves to an address that is not public")
    }
}

impl StdError for NotPublic {}

/// The error of a name without an address.
#[derive(Debug)]
pub(crate) struct NoAddress;

impl fmt::Display for NoAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("has no address")
    }
}

impl StdError for NoAddress {}

#[derive(Debug)]
pub(crate) struct Resolver(pub(crate) Arc<Rules>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().trim_end_matches('.').to_ascii_lowercase();
        let private = self.0.may_be_private(&host);
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await;
            let found: Vec<SocketAddr> = found.map_err(|_| NoAddress)?.collect();
            if found.is_empty() {
                return Err(NoAddress.into());
            }
            let allowed: Vec<SocketAddr> = found
                .into_iter()
                .filter(|one| Network::of(one.ip()).may_be_named(private))
                .collect();
            if allowed.is_empty() {
                return Err(NotPublic.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}
