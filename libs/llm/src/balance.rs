//! Distributes calls over the replicas of llm-service and their workers.
//!
//! Each replica is connected to once for each of its workers. A call goes to the connection with the fewest calls in
//! flight. A connection that fails is dropped; its replica is connected to again after a pause that grows with each
//! failure, and used again once a health check succeeds. When no connection is left, the replica that failed least
//! recently is tried at once.

mod address;
mod choice;
mod connect;
mod connection;
mod keeper;
mod lease;
mod metrics;
mod pool;
mod resolve;
mod timing;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tonic::transport::ClientTlsConfig;

use crate::endpoint::Endpoint;
use crate::error::Error;
use address::{Address, Name};
use connect::Connector;
use pool::Pool;

pub(crate) use lease::Lease;
pub(crate) use resolve::Resolver;
pub(crate) use timing::Timing;

/// The connections to llm-service; they are opened by the first call.
#[derive(Clone, Debug)]
pub(crate) struct Balancer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    pool: Arc<Pool>,
    names: Vec<(Name, Connector)>,
    resolver: Resolver,
    timing: Timing,
    /// One task once a call was made; it ends with this.
    maintenance: Mutex<JoinSet<()>>,
}

impl Balancer {
    /// Fails if an address is none, or a certificate cannot be read.
    pub(crate) fn new(endpoint: &Endpoint) -> Result<Self, Error> {
        Self::with(endpoint, Resolver::system(), Timing::DEFAULT)
    }

    pub(crate) fn with(
        endpoint: &Endpoint,
        resolver: Resolver,
        timing: Timing,
    ) -> Result<Self, Error> {
        let tls: Option<ClientTlsConfig> = endpoint.tls()?;
        let names = endpoint.addresses.iter().map(|text| {
            let name = Name::parse(text)?;
            let connector = Connector::new(&name, tls.clone(), timing);
            Ok((name, connector))
        });
        let names = names.collect::<Result<Vec<_>, Error>>()?;
        let (pool, maintenance) = (Arc::new(Pool::new(timing)), Mutex::default());
        Ok(Self(Arc::new(Inner { pool, names, resolver, timing, maintenance })))
    }

    /// A connection for one call: the one with the fewest calls in flight. Without any, the replicas are tried, the
    /// least recently failed first; fails when none of them serves.
    pub(crate) async fn acquire(&self) -> Result<Lease, Error> {
        self.start();
        let pool = &self.0.pool;
        let mut changes = pool.subscribe();
        let mut waits = pool::Waits::default();
        let end = Instant::now() + self.0.timing.resolve + self.0.timing.attempt();
        loop {
            if let Some(begun) = pool.begin(&[]) {
                return Ok(Lease::new(pool, begun));
            }
            if let Some(reason) = pool.wait(&mut waits) {
                return Err(Error::Transport(reason));
            }
            let outcome = timeout_at(end, changes.changed()).await;
            if !matches!(outcome, Ok(Ok(()))) {
                return Err(Error::Transport("no replica answered in time".to_owned()));
            }
        }
    }

    /// How many replicas there are, and how many of them are connected; none before the first call.
    pub(crate) fn counts(&self) -> (usize, usize) {
        self.0.pool.counts()
    }

    /// A connection other than those that a call has tried; none if there is none open.
    pub(crate) fn another(&self, tried: &[u64]) -> Option<Lease> {
        Some(Lease::new(&self.0.pool, self.0.pool.begin(tried)?))
    }

    /// Begins to look up names and to open connections, unless that was done.
    fn start(&self) {
        let mut maintenance = self.0.maintenance.lock().unwrap_or_else(PoisonError::into_inner);
        if maintenance.is_empty() {
            let task =
                Maintenance::new(Arc::clone(&self.0.pool), self.0.names.clone(), self.0.timing);
            maintenance.spawn(task.run(self.0.resolver.clone()));
        }
    }
}

/// Keeps the set of replicas equal to what the names stand for.
struct Maintenance {
    pool: Arc<Pool>,
    timing: Timing,
    /// Each with the addresses that it was found to have last.
    names: Vec<(Name, Connector, Vec<Address>)>,
    /// The task of each replica, which ends when it is removed.
    keepers: BTreeMap<Address, JoinSet<()>>,
}

impl Maintenance {
    fn new(pool: Arc<Pool>, names: Vec<(Name, Connector)>, timing: Timing) -> Self {
        let names = names.into_iter().map(|(name, connector)| (name, connector, Vec::new()));
        Self { pool, timing, names: names.collect(), keepers: BTreeMap::new() }
    }

    async fn run(mut self, resolver: Resolver) {
        let can_change = self.names.iter().any(|(name, ..)| resolve::can_change(name));
        loop {
            let failed = self.look_up(&resolver).await;
            self.apply(failed);
            if !can_change {
                return std::future::pending().await;
            }
            tokio::time::sleep(self.timing.resolve_every).await;
        }
    }

    /// Looks up every name; one that fails keeps the addresses that it had. Returns the last failure.
    async fn look_up(&mut self, resolver: &Resolver) -> Option<String> {
        let mut failed = None;
        for (name, _, addresses) in &mut self.names {
            match resolver.resolve(name, &self.timing).await {
                Ok(found) => *addresses = found,
                Err(reason) => {
                    tracing::warn!(reason, "an address of llm-service was not resolved");
                    failed = Some(reason);
                }
            }
        }
        failed
    }

    fn apply(&mut self, failed: Option<String>) {
        let wanted = self.names.iter().flat_map(|(_, connector, addresses)| {
            addresses.iter().map(move |address| (address.clone(), connector.clone()))
        });
        let wanted: BTreeMap<Address, Connector> = wanted.collect();
        self.pool.set_replicas(wanted.keys(), failed);
        self.keepers.retain(|address, _| wanted.contains_key(address));
        for (address, connector) in wanted {
            self.keepers.entry(address.clone()).or_insert_with(|| {
                let task = keeper::keep(Arc::clone(&self.pool), address, connector, self.timing);
                JoinSet::from_iter([task])
            });
        }
    }
}
