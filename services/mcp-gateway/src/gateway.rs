//! A gateway: how it starts, and how it ends.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::join_all;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Endpoint, Isolation, McpServer};
use tarsy_domain::clock::Clock;
use tarsy_service::Heartbeat;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::calls::Calls;
use crate::health::Health;
use crate::hub::{Hub, Kit, State};
use crate::leases::{Leases, Room};
use crate::masks::Masks;
use crate::oauth::{Account, Logins, Vault};
use crate::oddities::Oddities;
use crate::peers::Peers;
use crate::upstream::{ByServer, Guard, Slot, Spares, Surroundings};
use crate::{handlers, health, hub, limits, oddities, peers};

/// How long what is left may take after a drain.
const LAST_WORDS: Duration = Duration::from_secs(8);

/// How often things are done, and how long they are kept.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How long a lease lives without a renewal.
    pub lease_ttl: Duration,
    /// How long the outcome of a call is known after it ended.
    pub outcome_ttl: Duration,
    /// How often an HTTP server is checked.
    pub check_http: Duration,
    /// How often a subprocess server is checked, at most.
    pub check_stdio: Duration,
    /// How often this instance says that it lives.
    pub heartbeat: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease_ttl: Duration::from_mins(1),
            outcome_ttl: Duration::from_mins(10),
            check_http: Duration::from_secs(15),
            check_stdio: Duration::from_mins(1),
            heartbeat: Duration::from_secs(20),
        }
    }
}

/// What a gateway is made of.
pub struct Parts {
    /// The bus, provisioned.
    pub bus: Bus,
    /// What the operator wrote.
    pub catalog: Arc<Catalog>,
    /// The variables of this process, of which subprocesses get few.
    pub environment: BTreeMap<String, String>,
    /// The program of the built-in host server, and its arguments.
    pub host_inspector: Vec<String>,
    /// How many leases there may be at once.
    pub capacity: usize,
    /// How many unused sessions are kept ready for each subprocess server that is in use.
    pub spares: usize,
    /// Where tokens of logins are kept; none if no server wants a login.
    pub vault: Option<Vault>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// How often and how long.
    pub timing: Timing,
}

/// A running gateway; cheap to clone.
#[derive(Clone)]
pub struct Gateway(Hub);

impl Gateway {
    /// Starts to answer on the bus.
    pub fn launch(parts: Parts) -> Self {
        let tasks = TaskTracker::new();
        let config_hash = parts.catalog.config_hash();
        let account = |server: &McpServer| Account::of(server, parts.vault.as_ref());
        let servers = || parts.catalog.servers.values();
        let accounts: BTreeMap<String, Arc<Account>> =
            servers().filter_map(|server| Some((server.id.clone(), account(server)?))).collect();
        let masks = servers().map(|server| {
            let account = accounts.get(&server.id).map(Arc::clone);
            (server.id.clone(), Arc::new(Masks::of(server, account, &parts.environment)))
        });
        let masks = ByServer(masks.collect());
        let around = Arc::new(Surroundings {
            accounts: ByServer(accounts),
            masks,
            variables: parts.environment,
            host_inspector: parts.host_inspector,
            guard: Guard::new(),
            oddities: Oddities::default(),
        });
        let kit = |server: &McpServer| {
            let masks = around.masks(&server.id);
            let server = Arc::new(server.clone());
            let shared = (server.transport.isolation == Isolation::Shared).then(|| {
                Arc::new(Slot::new(Arc::clone(&server), Arc::clone(&around), tasks.clone(), None))
            });
            let has_spares = shared.is_none()
                && parts.spares > 0
                && matches!(server.transport.endpoint, Endpoint::Stdio(_));
            let spares = has_spares.then(|| {
                let (server, around) = (Arc::clone(&server), Arc::clone(&around));
                Spares::new(server, around, tasks.clone(), parts.spares)
            });
            Kit { server, masks, shared, stateless: OnceLock::new(), spares }
        };
        let kits = parts.catalog.servers.iter().map(|(id, server)| (id.clone(), kit(server)));
        let hub = Hub(Arc::new(State {
            health: Health::new(parts.bus.clone(), Arc::clone(&parts.clock), parts.timing),
            kits: kits.collect(),
            bus: parts.bus,
            clock: parts.clock,
            timing: parts.timing,
            around,
            room: Room::new(parts.capacity.max(1)),
            peers: Peers::new(parts.timing.heartbeat),
            leases: Leases::default(),
            calls: Calls::new(parts.timing.outcome_ttl),
            logins: Logins::default(),
            draining: CancellationToken::new(),
            cut: CancellationToken::new(),
            over: CancellationToken::new(),
            tasks,
        }));
        handlers::answer_all(&hub);
        let path = hub.around.variables.get("PATH").cloned();
        hub.tasks.spawn(hub.around.guard.clone().keep(path, hub.over.clone()));
        hub.tasks.spawn(hub::reap(hub.clone()));
        hub.tasks.spawn(oddities::tell(hub.clone()));
        hub.tasks.spawn(peers::listen(hub.clone()));
        hub.tasks.spawn(peers::tell(hub.clone()));
        hub.tasks.spawn(health::watch_over(hub.clone()));
        hub.tasks.spawn(heartbeat(&hub, &config_hash).run(hub.over.clone()));
        Self(hub)
    }

    /// Takes no new leases, waits until those there are have ended, at most for `grace` or until
    /// `hurry`, and then ends everything: no process is left.
    pub async fn drain(&self, grace: Duration, hurry: CancellationToken) {
        let hub = &self.0;
        hub.draining.cancel();
        tracing::info!(leases = hub.room.taken(), "the gateway finishes its leases");
        tokio::select! {
            () = hub.room.empty() => {}
            () = tokio::time::sleep(grace) => tracing::warn!(leases = hub.room.taken(), "the time to finish is over; leases are cut off"),
            () = hurry.cancelled() => {}
        }
        hub.cut.cancel();
        hub.calls.cancel_all();
        let leases = hub.leases.remove_all();
        // What was cancelled just now may still say so.
        let quiet = join_all(leases.iter().map(|lease| lease.idle()));
        if timeout(limits::CLOSE, quiet).await.is_err() {
            tracing::warn!("tool calls go on although they were cancelled");
        }
        join_all(leases.iter().map(|lease| lease.end())).await;
        let slots = hub.kits.values().flat_map(|kit| kit.shared.iter().chain(kit.stateless.get()));
        join_all(slots.map(|slot| slot.close())).await;
        let spares = hub.kits.values().filter_map(|kit| kit.spares.as_ref());
        join_all(spares.map(|spares| spares.close())).await;
        hub.over.cancel();
        hub.tasks.close();
        if timeout(LAST_WORDS, hub.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = hub.tasks.len(), "the gateway stops although not all has ended");
        }
    }
}

/// The heartbeat of this gateway, with its leases as load.
fn heartbeat(hub: &Hub, config_hash: &str) -> Heartbeat {
    let (version, clock) = (env!("CARGO_PKG_VERSION"), Arc::clone(&hub.clock));
    let count = |leases: usize| u32::try_from(leases).unwrap_or(u32::MAX);
    let busy = hub.clone();
    Heartbeat::new(&hub.bus, clock, "mcp-gateway", version, config_hash)
        .with_capacity(count(hub.room.capacity()), move || count(busy.room.taken()))
        .with_interval(hub.timing.heartbeat)
}
