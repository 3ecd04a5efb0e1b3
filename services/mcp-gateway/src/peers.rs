//! Balances leases between the gateways.
//!
//! The bus delivers a request to any gateway. A gateway with clearly more load than another forwards it,
//! once; if that fails, it opens the lease itself. The known load of other gateways may be outdated.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::{Bus, Error};
use tarsy_contracts::mcp::{GatewayLoad, OpenRequest, OpenState};
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::backoff::Backoff;
use tarsy_domain::code::Code;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::capacity::Capacity;
use crate::lifecycle::Lifecycle;

/// The least difference in leases that makes forwarding worthwhile.
const MARGIN: u64 = 2;
/// A gateway is forgotten after this many missed heartbeats.
const MISSED_HEARTBEATS: u32 = 3;
/// The delays before a failed subscription is opened again.
const RESUBSCRIBE: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(10));

struct PeerLoad {
    capacity: u64,
    leases: u64,
    received: Instant,
}

/// The last load of each other gateway.
struct PeerTable {
    loads: Mutex<HashMap<String, PeerLoad>>,
    ttl: Duration,
}

impl PeerTable {
    fn new(heartbeat: Duration) -> Self {
        Self { loads: Mutex::default(), ttl: heartbeat * MISSED_HEARTBEATS }
    }

    /// The gateway with the lowest share of used capacity, if it has clearly less load than this one;
    /// counts a lease for it.
    fn reserve_less_loaded(&self, capacity: &Capacity) -> Option<String> {
        let mut loads = self.loads();
        loads.retain(|_, peer| peer.received.elapsed() < self.ttl);
        let (limit, used) = (number(capacity.limit()), number(capacity.used()));
        let available = loads.iter_mut().filter(|(_, peer)| peer.leases < peer.capacity);
        // Compares the shares leases / capacity without a division.
        let (instance, peer) = available.min_by(|(_, one), (_, other)| {
            (one.leases * other.capacity).cmp(&(other.leases * one.capacity))
        })?;
        let is_less_loaded = (peer.leases + MARGIN) * limit <= used * peer.capacity;
        is_less_loaded.then(|| {
            peer.leases += 1;
            instance.clone()
        })
    }

    fn update(&self, load: GatewayLoad) {
        let mut loads = self.loads();
        if load.open {
            let (capacity, leases) = (u64::from(load.capacity), u64::from(load.taken));
            loads.insert(load.instance, PeerLoad { capacity, leases, received: Instant::now() });
        } else {
            loads.remove(&load.instance);
        }
    }

    fn remove(&self, instance: &str) {
        self.loads().remove(instance);
    }

    fn loads(&self) -> MutexGuard<'_, HashMap<String, PeerLoad>> {
        self.loads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Publishes the load of this gateway, and forwards requests to others. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Peers {
    bus: Bus,
    capacity: Capacity,
    heartbeat: Duration,
    table: Arc<PeerTable>,
}

impl Peers {
    pub(crate) fn new(bus: Bus, capacity: Capacity, heartbeat: Duration) -> Self {
        Self { bus, capacity, heartbeat, table: Arc::new(PeerTable::new(heartbeat)) }
    }

    /// Forwards a request to a gateway with clearly less load; none if this gateway has to open the
    /// lease itself.
    pub(crate) async fn forward(
        &self,
        request: &OpenRequest,
        timeout: Duration,
    ) -> Option<Result<OpenState, Refusal>> {
        let instance = self.table.reserve_less_loaded(&self.capacity)?;
        let subject = subject::mcp_instance(&instance, McpVerb::Open);
        match self.bus.request(subject, request, timeout).await {
            Ok(opened) => Some(Ok(opened)),
            Err(Error::Refused(refusal)) if refusal.code != Code::RateLimited => Some(Err(refusal)),
            Err(error) => {
                tracing::debug!(instance, %error, "another gateway did not open a forwarded lease");
                self.table.remove(&instance);
                None
            }
        }
    }

    /// Receives the load of the other gateways until `stop`.
    pub(crate) async fn run_receiver(self, stop: CancellationToken) {
        let mut failures = 0;
        while !stop.is_cancelled() {
            tokio::select! {
                received = self.receive() => if let Err(error) = received {
                    tracing::debug!(%error, "could not subscribe to the load of the other gateways");
                },
                () = stop.cancelled() => return,
            }
            failures += 1;
            tokio::select! {
                () = sleep(RESUBSCRIBE.pause(failures)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    async fn receive(&self) -> Result<(), Error> {
        let mut messages = self.bus.subscribe(subject::MCP_LOAD).await?;
        while let Some(message) = messages.next().await {
            if let Ok(load) = serde_json::from_slice::<GatewayLoad>(&message.payload)
                && load.instance != self.bus.instance()
            {
                self.table.update(load);
            }
        }
        Ok(())
    }

    /// Publishes the load of this gateway on every change and at every heartbeat, and last when it
    /// drains.
    pub(crate) async fn run_publisher(self, lifecycle: Lifecycle) {
        let mut used = self.capacity.subscribe();
        let mut tick = tokio::time::interval(self.heartbeat);
        loop {
            let open = !lifecycle.draining.is_cancelled();
            let load = GatewayLoad {
                instance: self.bus.instance().to_owned(),
                capacity: u32::try_from(self.capacity.limit()).unwrap_or(u32::MAX),
                taken: u32::try_from(*used.borrow_and_update()).unwrap_or(u32::MAX),
                open,
            };
            if let Err(error) = self.bus.publish(subject::MCP_LOAD.to_owned(), &load).await {
                tracing::debug!(%error, "could not publish the load of this gateway");
            }
            if !open {
                return;
            }
            tokio::select! {
                _ = tick.tick() => {}
                changed = used.changed() => if changed.is_err() { return },
                () = lifecycle.draining.cancelled() => {}
            }
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(instance: &str, capacity: u32, taken: u32, open: bool) -> GatewayLoad {
        GatewayLoad { instance: instance.to_owned(), capacity, taken, open }
    }

    #[tokio::test]
    async fn a_request_is_forwarded_to_the_gateway_with_clearly_the_least_load() {
        let capacity = Capacity::new(10);
        let peers = PeerTable::new(Duration::from_mins(1));
        assert_eq!(peers.reserve_less_loaded(&capacity), None);
        peers.update(load("b", 10, 0, true));
        peers.update(load("c", 100, 5, true));
        let taken: Vec<_> = (0..2).filter_map(|_| capacity.try_acquire()).collect();
        assert_eq!(
            peers.reserve_less_loaded(&capacity).as_deref(),
            Some("b"),
            "0 of 10 beside 2 of 10"
        );
        let more = capacity.try_acquire();
        // One lease is counted for b already; 5 of 100 is the lowest share now.
        assert_eq!(peers.reserve_less_loaded(&capacity).as_deref(), Some("c"));
        drop((taken, more));
        assert_eq!(peers.reserve_less_loaded(&capacity), None, "this gateway has no leases");
    }

    #[tokio::test]
    async fn a_full_stopping_or_expired_gateway_gets_no_requests() {
        let capacity = Capacity::new(10);
        let _taken: Vec<_> = (0..9).filter_map(|_| capacity.try_acquire()).collect();
        let peers = PeerTable::new(Duration::from_mins(1));
        peers.update(load("full", 0, 0, true));
        peers.update(load("stopping", 10, 0, true));
        peers.update(load("stopping", 10, 0, false));
        assert_eq!(peers.reserve_less_loaded(&capacity), None);
        let peers = PeerTable::new(Duration::ZERO);
        peers.update(load("expired", 10, 0, true));
        assert_eq!(peers.reserve_less_loaded(&capacity), None);
    }
}
