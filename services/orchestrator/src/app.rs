//! The wiring of this service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, Queue};
use tarsy_domain::clock::Clock;
use tarsy_domain::id::SessionId;
use tarsy_llm::{GrpcLlm, Llm};
use tarsy_service::{
    BusNeed, Heartbeat, LiveStreams, Publisher, ServiceContext, Settings, connect_bus,
    connect_store, subscribe_cancels,
};
use tarsy_store::Store;
use tarsy_tools::{BusToolbox, Toolbox};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::owner::{StopReason, StopSignal};
use crate::prompts::Prompts;
use crate::runbook::RunbookLoader;
use crate::{janitor, sweeper, worker};

/// What everything in this service needs.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) publisher: Publisher,
    pub(crate) llm: Arc<dyn Llm>,
    pub(crate) toolbox: Arc<dyn Toolbox>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) runbooks: RunbookLoader,
    pub(crate) live: LiveStreams,
    pub(crate) queue: Queue,
    pub(crate) service: ServiceContext,
    /// Rings when a session ends here: another may be waiting for its place.
    pub(crate) freed: Arc<Notify>,
    running: Arc<Mutex<HashMap<SessionId, StopSignal>>>,
}

/// A session is worked on here, until this is dropped.
pub(crate) struct RegistrationGuard {
    app: App,
    session: SessionId,
    switch: StopSignal,
}

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        // A question about a session may be taken before its investigation has wound up here.
        if let Ok(mut running) = self.app.running.lock()
            && running.get(&self.session).is_some_and(|switch| switch.is(&self.switch))
        {
            running.remove(&self.session);
        }
    }
}

/// The doors to the outside, so that tests may put something else behind two of them.
pub struct Dependencies {
    /// PostgreSQL.
    pub store: Store,
    /// NATS.
    pub bus: Bus,
    /// The models.
    pub llm: Arc<dyn Llm>,
    /// The tools.
    pub toolbox: Arc<dyn Toolbox>,
    /// The runbooks.
    pub runbooks: RunbookLoader,
    /// The queue's settings.
    pub queue: Queue,
}

/// Starts the service with what its settings name.
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
    let queue = catalog.queue.clone();
    let (version, config_hash) = (env!("CARGO_PKG_VERSION"), catalog.config_hash());
    let heartbeat = Heartbeat::new(&bus, service.clock(), "orchestrator", version, &config_hash);
    let (app, idle) = launch(Dependencies { store, bus, llm, toolbox, runbooks, queue }, &service)?;
    let (capacity, busy) = (catalog.queue.worker_count, app.clone());
    let load = move || u32::try_from(busy.load()).unwrap_or(u32::MAX);
    service.spawn_aux("heartbeat", heartbeat.with_capacity(capacity, load).run(idle));
    let (store, retention) = (app.store.clone(), catalog.system.retention.clone());
    service.spawn_aux("janitor", janitor::run(store, retention, service.stopping()));
    Ok(())
}

/// Starts the service with these parts.
pub fn start_with(parts: Dependencies, service: &ServiceContext) -> anyhow::Result<()> {
    launch(parts, service).map(drop)
}

/// The service, and what is cancelled when it has stopped and its last session is over.
fn launch(
    parts: Dependencies,
    service: &ServiceContext,
) -> anyhow::Result<(App, CancellationToken)> {
    let live = LiveStreams::new(&parts.bus, service.clock());
    let app = App {
        publisher: Publisher::start(service, &parts.bus, &parts.store),
        store: parts.store,
        bus: parts.bus,
        llm: parts.llm,
        toolbox: parts.toolbox,
        clock: service.clock(),
        prompts: Arc::new(Prompts::new()?),
        runbooks: parts.runbooks,
        live,
        queue: parts.queue,
        service: service.clone(),
        running: Arc::default(),
        freed: Arc::default(),
    };
    // Cancels are heard as long as a session is worked on, a soft stop or not; but no longer, for
    // this task holds the publisher, and shutdown waits for both.
    let idle = CancellationToken::new();
    let cancels = app.clone();
    let cancel = move |session| cancels.cancel(session);
    service.spawn_aux("cancels", subscribe_cancels(app.bus.clone(), idle.clone(), cancel));
    let (sweeping, stopping) = (app.clone(), service.stopping());
    service.spawn_aux("sweeper", async move { sweeper::run(sweeping, stopping).await });
    service.spawn("worker", worker::run(app.clone(), idle.clone()));
    Ok((app, idle))
}

impl App {
    /// Notes that a session is worked on here, so that a cancel finds it.
    pub(crate) fn register(&self, session: SessionId, switch: StopSignal) -> RegistrationGuard {
        if let Ok(mut running) = self.running.lock() {
            running.insert(session, switch.clone());
        }
        RegistrationGuard { app: self.clone(), session, switch }
    }

    /// How many sessions are worked on here.
    pub(crate) fn load(&self) -> usize {
        self.running.lock().map(|running| running.len()).unwrap_or_default()
    }

    fn cancel(&self, session: SessionId) {
        let switch = self.running.lock().ok().and_then(|running| running.get(&session).cloned());
        if let Some(switch) = switch {
            tracing::info!(session.id = %session, "cancel heard");
            switch.stop(StopReason::Cancelled);
        }
    }
}
