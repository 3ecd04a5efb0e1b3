//! The other gateways: how busy they are, so that leases are shared evenly.
//!
//! The bus gives a request to any gateway. One that is clearly busier than another hands it on, once;
//! what nobody takes it opens itself. What is known of others is a hint and may be old.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::StreamExt as _;
use tarsy_bus::Error;
use tarsy_contracts::mcp::{GatewayLoad, OpenRequest, OpenedLease};
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::code::Code;
use tokio::time::{Instant, sleep};

use crate::hub::Hub;
use crate::leases::Room;

/// How many leases fewer another has to have for a request to be worth the way.
const MARGIN: u64 = 2;
/// How many heartbeats of silence there are before a gateway is forgotten.
const SILENCE: u32 = 3;
/// How long to wait before listening again after that failed.
const PAUSE: Duration = Duration::from_secs(1);

struct Peer {
    capacity: u64,
    taken: u64,
    seen: Instant,
}

/// What is known of the other gateways.
pub(crate) struct Peers {
    known: Mutex<HashMap<String, Peer>>,
    silence: Duration,
}

impl Peers {
    /// Forgets who says nothing for some of these.
    pub(crate) fn new(heartbeat: Duration) -> Self {
        Self { known: Mutex::default(), silence: heartbeat * SILENCE }
    }

    /// The one with the most room, if it is clearly less busy than this; counts a lease for it.
    fn freer_than(&self, room: &Room) -> Option<String> {
        let mut known = self.known();
        known.retain(|_, peer| peer.seen.elapsed() < self.silence);
        let (capacity, taken) = (number(room.capacity()), number(room.taken()));
        let free = known.iter_mut().filter(|(_, peer)| peer.taken < peer.capacity);
        // Shares are compared without dividing: taken / capacity.
        let (name, peer) = free.min_by(|(_, one), (_, other)| {
            (one.taken * other.capacity).cmp(&(other.taken * one.capacity))
        })?;
        let is_freer = (peer.taken + MARGIN) * capacity <= taken * peer.capacity;
        is_freer.then(|| {
            peer.taken += 1;
            name.clone()
        })
    }

    fn hear(&self, load: GatewayLoad) {
        let mut known = self.known();
        if load.open {
            let (capacity, taken) = (u64::from(load.capacity), u64::from(load.taken));
            known.insert(load.instance, Peer { capacity, taken, seen: Instant::now() });
        } else {
            known.remove(&load.instance);
        }
    }

    fn forget(&self, name: &str) {
        self.known().remove(name);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Peer>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hands a request on to a gateway that is clearly less busy; none if this one has to do it.
pub(crate) async fn hand_on(
    hub: &Hub,
    request: &OpenRequest,
    wait: Duration,
) -> Option<Result<OpenedLease, Refusal>> {
    let name = hub.peers.freer_than(&hub.room)?;
    let subject = subject::mcp_instance(&name, McpVerb::Open);
    match hub.bus.request(subject, request, wait).await {
        Ok(opened) => Some(Ok(opened)),
        Err(Error::Refused(refusal)) if refusal.code != Code::RateLimited => Some(Err(refusal)),
        Err(error) => {
            tracing::debug!(instance = name, %error, "another gateway does not take a lease");
            hub.peers.forget(&name);
            None
        }
    }
}

/// Hears how busy the others are.
pub(crate) async fn listen(hub: Hub) {
    while !hub.over.is_cancelled() {
        match hub.bus.subscribe(subject::MCP_LOAD).await {
            Ok(mut told) => loop {
                let message = tokio::select! {
                    message = told.next() => message,
                    () = hub.over.cancelled() => return,
                };
                let Some(message) = message else { break };
                if let Ok(load) = serde_json::from_slice::<GatewayLoad>(&message.payload)
                    && load.instance != hub.bus.instance()
                {
                    hub.peers.hear(load);
                }
            },
            Err(error) => tracing::debug!(%error, "cannot listen to the other gateways"),
        }
        tokio::select! {
            () = sleep(PAUSE) => {}
            () = hub.over.cancelled() => {}
        }
    }
}

/// Tells the others how busy this one is: whenever that changes, and at every heartbeat.
pub(crate) async fn tell(hub: Hub) {
    let mut taken = hub.room.watch();
    let mut tick = tokio::time::interval(hub.timing.heartbeat);
    loop {
        let open = !hub.draining.is_cancelled();
        let load = GatewayLoad {
            instance: hub.bus.instance().to_owned(),
            capacity: u32::try_from(hub.room.capacity()).unwrap_or(u32::MAX),
            taken: u32::try_from(*taken.borrow_and_update()).unwrap_or(u32::MAX),
            open,
        };
        if let Err(error) = hub.bus.publish(subject::MCP_LOAD.to_owned(), &load).await {
            tracing::debug!(%error, "could not tell the other gateways how busy this one is");
        }
        if !open {
            return;
        }
        tokio::select! {
            _ = tick.tick() => {}
            changed = taken.changed() => if changed.is_err() { return },
            () = hub.draining.cancelled() => {}
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
    async fn a_request_goes_to_the_freest_that_is_clearly_freer() {
        let room = Room::new(10);
        let peers = Peers::new(Duration::from_mins(1));
        assert_eq!(peers.freer_than(&room), None);
        peers.hear(load("b", 10, 0, true));
        peers.hear(load("c", 100, 5, true));
        let taken: Vec<_> = (0..2).filter_map(|_| room.take()).collect();
        assert_eq!(peers.freer_than(&room).as_deref(), Some("b"), "0 of 10 beside 2 of 10");
        let more = room.take();
        // One is counted for b already; 5 of 100 is the least now.
        assert_eq!(peers.freer_than(&room).as_deref(), Some("c"));
        drop((taken, more));
        assert_eq!(peers.freer_than(&room), None, "this one is free itself");
    }

    #[tokio::test]
    async fn who_is_full_stops_or_is_silent_gets_nothing() {
        let room = Room::new(10);
        let _taken: Vec<_> = (0..9).filter_map(|_| room.take()).collect();
        let peers = Peers::new(Duration::from_mins(1));
        peers.hear(load("full", 0, 0, true));
        peers.hear(load("stopping", 10, 0, true));
        peers.hear(load("stopping", 10, 0, false));
        assert_eq!(peers.freer_than(&room), None);
        let peers = Peers::new(Duration::ZERO);
        peers.hear(load("silent", 10, 0, true));
        assert_eq!(peers.freer_than(&room), None);
    }
}
