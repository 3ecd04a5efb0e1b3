//! Where the names of hosts lead.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use futures::future::join_all;
use tarsy_hosts::Host;
use tokio::net::lookup_host;
use tokio::time::timeout;

/// How long the names of one call are looked up; they are at the same time.
const LOOKUP: Duration = Duration::from_secs(3);

/// A name and its addresses as this machine sees them; none if it has none, or none in time.
#[derive(Debug)]
pub(super) struct Lead {
    pub(super) host: Host,
    pub(super) addresses: Option<Vec<IpAddr>>,
}

/// Looks up the names among hosts.
pub(super) async fn of(hosts: BTreeSet<Host>) -> Vec<Lead> {
    let names = hosts.into_iter().filter(|host| matches!(host, Host::Name(_)));
    join_all(names.map(lead)).await
}

async fn lead(host: Host) -> Lead {
    let found = timeout(LOOKUP, lookup_host((host.to_string(), 0))).await;
    let addresses = found.ok().and_then(Result::ok).map(|found| found.map(|one| one.ip()));
    let addresses = addresses.map(Iterator::collect).filter(|all: &Vec<IpAddr>| !all.is_empty());
    Lead { host, addresses }
}
