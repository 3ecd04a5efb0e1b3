//! Starts the service: connects it, and wires its parts together.

use std::sync::Arc;

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, Queue};
use tarsy_llm::{GrpcLlm, Llm};
use tarsy_service::{
    BusNeed, Heartbeat, LiveStreams, Publisher, ServiceContext, Settings, connect_bus,
    connect_store, subscribe_cancels,
};
use tarsy_store::Store;
use tarsy_tools::{BusToolbox, Toolbox};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::engine::{Limits, Services};
use crate::janitor;
use crate::prompts::Prompts;
use crate::runbook::RunbookLoader;
use crate::runner::Runner;
use crate::sweeper::Sweeper;
use crate::worker::Worker;

/// The connections of the service; tests replace two of them.
pub struct Dependencies {
    pub store: Store,
    pub bus: Bus,
    pub llm: Arc<dyn Llm>,
    pub toolbox: Arc<dyn Toolbox>,
    pub runbooks: RunbookLoader,
    pub queue: Queue,
}

/// Starts the service with the connections that its settings name.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let env = Env::of(settings.environment().clone()).without_slack_token().without_tool_secrets();
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration is not valid")?;
    let store = connect_store(&settings, &service).await?;
    let bus = connect_bus(&settings, &service, "orchestrator", BusNeed::Optional).await?;
    let llm = Arc::new(GrpcLlm::new(&settings.llm_service_addr)?);
    let toolbox = Arc::new(BusToolbox::new(bus.clone()));
    let token = settings.environment().get(&catalog.system.github.token_env).cloned();
    let rules = tarsy_runbooks::Rules::new(&catalog.system, token);
    let runbooks = RunbookLoader::new(rules, &catalog.defaults.alert_masking)
        .context("the runbooks' settings cannot be used")?;
    let (version, config_hash) = (env!("CARGO_PKG_VERSION"), catalog.config_hash());
    let heartbeat = Heartbeat::new(&bus, service.clock(), "orchestrator", version, &config_hash);
    let (janitor_store, queue) = (store.clone(), catalog.queue.clone());
    let dependencies = Dependencies { store, bus, llm, toolbox, runbooks, queue };
    let (runner, idle) = launch(dependencies, &service)?;
    let load = move || u32::try_from(runner.load()).unwrap_or(u32::MAX);
    let heartbeat = heartbeat.with_capacity(catalog.queue.worker_count, load);
    service.spawn_aux("heartbeat", heartbeat.run(idle));
    let retention = catalog.system.retention.clone();
    service.spawn_aux("janitor", janitor::run(janitor_store, retention, service.stopping()));
    Ok(())
}

/// Starts the service with these connections.
pub fn start_with(dependencies: Dependencies, service: &ServiceContext) -> anyhow::Result<()> {
    launch(dependencies, service).map(drop)
}

/// The runner, and a token that is cancelled when the service has stopped and no work is left.
fn launch(
    dependencies: Dependencies,
    service: &ServiceContext,
) -> anyhow::Result<(Runner, CancellationToken)> {
    let Dependencies { store, bus, llm, toolbox, runbooks, queue } = dependencies;
    let live = LiveStreams::new(&bus, service.clock());
    let publisher = Publisher::start(service, &bus, &store);
    let (clock, hard_stop) = (service.clock(), service.hard_stop());
    let runner = Runner::new((&store, &publisher), &live, clock, &queue, hard_stop);
    let limits =
        Limits { session_timeout: queue.session_timeout, summary_claim: queue.orphan_threshold };
    let prompts = Arc::new(Prompts::new()?);
    let services = Services { llm, toolbox, prompts, runbooks, live, bus: bus.clone(), limits };
    // Cancels are received while work runs, also after a stop was requested, and no longer: the
    // runner holds the publisher, and shutdown waits for both.
    let idle = CancellationToken::new();
    let cancels = runner.clone();
    let cancel = move |session| cancels.cancel(session);
    service.spawn_aux("cancels", subscribe_cancels(bus.clone(), idle.clone(), cancel));
    let sweeper = Sweeper {
        store: store.clone(),
        bus: bus.clone(),
        max_sessions: queue.max_concurrent_sessions,
        interval: queue.orphan_detection_interval,
    };
    service.spawn_aux("sweeper", sweeper.run(service.stopping()));
    let worker = Worker {
        store,
        bus,
        queue,
        runner: runner.clone(),
        services,
        service: service.clone(),
        finished: Arc::new(Notify::new()),
    };
    service.spawn("worker", worker.run(idle.clone()));
    Ok((runner, idle))
}
