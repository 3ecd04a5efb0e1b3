//! A gateway: its parts, its start and its shutdown.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tarsy_bus::Bus;
use tarsy_catalog::{CallMasks, Catalog, McpServer};
use tarsy_domain::clock::Clock;
use tarsy_service::Heartbeat;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::call_service::CallService;
use crate::calls::Calls;
use crate::capacity::Capacity;
use crate::handlers::Router;
use crate::health::Health;
use crate::health_checks::HealthChecks;
use crate::lease_service::LeaseService;
use crate::leases::Leases;
use crate::lifecycle::Lifecycle;
use crate::limits;
use crate::logins::LoginService;
use crate::masks::Masks;
use crate::oauth::{Account, Vault};
use crate::openings::Openings;
use crate::peers::Peers;
use crate::probes::ProbeService;
use crate::replay::Records;
use crate::servers::Servers;
use crate::timing::Timing;
use crate::tool_warnings::ToolWarnings;
use crate::trials::TrialService;
use crate::upstream::{ByServer, Context, Guard, StdioHost};
use crate::warnings::Warnings;
use crate::watched::WatchedSessions;

/// The time for remaining tasks at the end of a drain.
const TASKS_TIMEOUT: Duration = Duration::from_secs(8);

pub struct Parts {
    /// The bus, provisioned.
    pub bus: Bus,
    pub catalog: Arc<Catalog>,
    /// The environment of this process, of which subprocesses inherit few variables.
    pub environment: BTreeMap<String, String>,
    /// The program of the built-in host server, and its arguments.
    pub host_inspector: Vec<String>,
    /// Where stdio servers run; none runs them as processes of this one.
    pub stdio_host: Option<StdioHost>,
    /// A program that calls [`crate::launch_if_asked`] first; it becomes each subprocess.
    pub launcher: PathBuf,
    /// What the sandbox of subprocesses does not reach.
    pub hidden_paths: Vec<PathBuf>,
    /// The most leases at once.
    pub capacity: usize,
    /// The unused sessions that are open for each subprocess server in use.
    pub spares: usize,
    /// Stores the tokens of logins; none if no server requires a login.
    pub vault: Option<Vault>,
    /// The records of sessions that are replayed; none if there is no database.
    pub records: Option<Records>,
    pub clock: Arc<dyn Clock>,
    pub timing: Timing,
    /// Whether spans carry the arguments and the results of calls, masked.
    pub capture_content: bool,
}

/// A running gateway; cheap to clone.
#[derive(Clone)]
pub struct Gateway {
    servers: Arc<Servers>,
    leases: Arc<Leases>,
    calls: Arc<Calls>,
    capacity: Capacity,
    lifecycle: Lifecycle,
}

impl Gateway {
    /// Starts to answer requests on the bus.
    pub fn launch(parts: Parts) -> Self {
        let lifecycle = Lifecycle::default();
        let capacity = Capacity::new(parts.capacity.max(1));
        let heartbeat = heartbeat(&parts, capacity.clone());
        let context = Arc::new(context(&parts));
        let servers = Servers::start(
            &parts.catalog.servers,
            Arc::clone(&context),
            &lifecycle.tasks,
            parts.spares,
        );
        let gateway = Self {
            servers: Arc::new(servers),
            leases: Arc::default(),
            calls: Arc::new(Calls::new(parts.timing.outcome_ttl)),
            capacity,
            lifecycle,
        };
        let guard = context.guard.clone();
        let path = context.variables.get("PATH").cloned();
        gateway.start_services(parts);
        let Lifecycle { stopped, tasks, .. } = &gateway.lifecycle;
        tasks.spawn(guard.run(path, stopped.clone()));
        tasks.spawn(heartbeat.run(stopped.clone()));
        gateway
    }

    fn start_services(&self, parts: Parts) {
        let captured = captured(&parts);
        let Parts { bus, clock, timing, records, .. } = parts;
        let Lifecycle { draining, stopped, tasks, .. } = &self.lifecycle;
        let health = Arc::new(Health::new(bus.clone(), Arc::clone(&clock), timing));
        let peers = Peers::new(bus.clone(), self.capacity.clone(), timing.heartbeat);
        let leases = LeaseService {
            instance: bus.instance().to_owned(),
            lease_ttl: timing.lease_ttl,
            servers: Arc::clone(&self.servers),
            health: Arc::clone(&health),
            leases: Arc::clone(&self.leases),
            openings: Openings::default(),
            capacity: self.capacity.clone(),
            peers: peers.clone(),
            lifecycle: self.lifecycle.clone(),
            records,
        };
        let calls = CallService {
            bus: bus.clone(),
            clock: Arc::clone(&clock),
            leases: Arc::clone(&self.leases),
            calls: Arc::clone(&self.calls),
            tasks: tasks.clone(),
            captured,
        };
        let logins = LoginService {
            instance: bus.instance().to_owned(),
            servers: Arc::clone(&self.servers),
            health: Arc::clone(&health),
            pending: Arc::default(),
        };
        let checks = HealthChecks {
            bus: bus.clone(),
            servers: Arc::clone(&self.servers),
            health,
            watched: WatchedSessions::default(),
        };
        let probes = ProbeService { checks: checks.clone() };
        let router = Router { bus: bus.clone(), lifecycle: self.lifecycle.clone() };
        router.route_calls(&calls);
        router.route_leases(&leases);
        router.route_logins(&logins);
        router.route_probes(&probes);
        router.route_trials(&TrialService { tasks: tasks.clone() });
        let warnings = Warnings { bus, clock };
        tasks.spawn(leases.run_expiry());
        tasks.spawn(warnings.publish_tool_warnings(Arc::clone(&self.servers), stopped.clone()));
        tasks.spawn(peers.clone().run_receiver(stopped.clone()));
        tasks.spawn(peers.run_publisher(self.lifecycle.clone()));
        tasks.spawn(checks.run(draining.clone()));
    }

    /// Opens no new leases, waits for the end of the open ones until `grace` has passed or `hard_stop` is
    /// cancelled, and then ends everything. No subprocess remains.
    pub async fn drain(&self, grace: Duration, hard_stop: CancellationToken) {
        self.lifecycle.draining.cancel();
        tracing::info!(leases = self.capacity.used(), "waiting for open leases");
        tokio::select! {
            () = self.capacity.wait_until_unused() => {}
            () = tokio::time::sleep(grace) => tracing::warn!(leases = self.capacity.used(), "the grace period is over, open leases are closed"),
            () = hard_stop.cancelled() => {}
        }
        self.lifecycle.leases_ended.cancel();
        self.close_leases().await;
        self.servers.close().await;
        self.lifecycle.stopped.cancel();
        let tasks = &self.lifecycle.tasks;
        tasks.close();
        if timeout(TASKS_TIMEOUT, tasks.wait()).await.is_err() {
            tracing::warn!(tasks = tasks.len(), "the gateway stops before all tasks have ended");
        }
    }

    async fn close_leases(&self) {
        self.calls.cancel_all();
        let leases = self.leases.remove_all();
        // A cancelled call may still return its result.
        let idle = join_all(leases.iter().map(|lease| lease.wait_until_idle()));
        if timeout(limits::CLOSE, idle).await.is_err() {
            tracing::warn!("cancelled tool calls still run");
        }
        join_all(leases.iter().map(|lease| lease.close())).await;
    }
}

/// The masks of arguments in spans, if these carry texts.
fn captured(parts: &Parts) -> Option<Arc<CallMasks>> {
    let refused = |server: &str, error: &tarsy_masking::Error| {
        tracing::error!(mcp.server = server, %error, "the masking patterns do not compile; arguments are withheld");
    };
    parts.capture_content.then(|| Arc::new(CallMasks::new(&parts.catalog, refused)))
}

/// What all sessions share.
fn context(parts: &Parts) -> Context {
    let servers = &parts.catalog.servers;
    let account = |server: &McpServer| Account::of(server, parts.vault.as_ref());
    let accounts: BTreeMap<String, Arc<Account>> =
        servers.iter().filter_map(|(id, server)| Some((id.clone(), account(server)?))).collect();
    let masks = servers.iter().map(|(id, server)| {
        let account = accounts.get(id).map(Arc::clone);
        (id.clone(), Arc::new(Masks::of(server, account, &parts.environment)))
    });
    let policy =
        |(id, server): (&String, &McpServer)| (id.clone(), Arc::new(server.policy.clone()));
    Context {
        policies: ByServer(servers.iter().map(policy).collect()),
        masks: ByServer(masks.collect()),
        accounts: ByServer(accounts),
        variables: parts.environment.clone(),
        host_inspector: parts.host_inspector.clone(),
        hidden_paths: parts.hidden_paths.clone(),
        launcher: parts.launcher.clone(),
        guard: Guard::new(),
        tool_warnings: ToolWarnings::default(),
        stdio_host: parts.stdio_host.clone(),
        reach: None,
    }
}

/// The heartbeat of this instance, with its leases as load.
fn heartbeat(parts: &Parts, capacity: Capacity) -> Heartbeat {
    let config_hash = parts.catalog.config_hash();
    let clock = Arc::clone(&parts.clock);
    let count = |leases: usize| u32::try_from(leases).unwrap_or(u32::MAX);
    let limit = count(capacity.limit());
    Heartbeat::new(&parts.bus, clock, "mcp-gateway", &config_hash)
        .with_capacity(limit, move || count(capacity.used()))
        .with_interval(parts.timing.heartbeat)
}
