//! The wiring of this service.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, Queue};
use tarsy_domain::id::{SessionId, SummaryId};
use tarsy_llm::{GrpcLlm, Llm};
use tarsy_service::{
    BusNeed, LiveStreams, Publisher, ServiceContext, Settings, connect_bus, connect_store,
    subscribe_cancels,
};
use tarsy_store::Store;
use tokio_util::sync::CancellationToken;

use crate::prompts::Prompts;
use crate::{metrics, worker};

/// The dependencies of every module; cheap to clone.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) publisher: Publisher,
    pub(crate) llm: Arc<dyn Llm>,
    pub(crate) live: LiveStreams,
    pub(crate) prompts: Arc<Prompts>,
    pub(crate) service: ServiceContext,
    /// How long a lease lasts without a renewal.
    pub(crate) lease: Duration,
    running: Arc<Mutex<HashMap<SummaryId, (SessionId, CancellationToken)>>>,
}

/// The external dependencies; tests replace the model.
pub struct Parts {
    pub store: Store,
    pub bus: Bus,
    pub llm: Arc<dyn Llm>,
    /// The queue's settings, whose `orphan_threshold` is the lease.
    pub queue: Queue,
}

/// Starts the service from its settings.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_tool_secrets();
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env.without_slack_token())
        .context("the configuration is not valid")?;
    let store = connect_store(&settings, &service).await?;
    let bus = connect_bus(&settings, &service, "summarizer", BusNeed::Optional).await?;
    let llm = Arc::new(GrpcLlm::new(&settings.llm_service_addr)?);
    let version = env!("CARGO_PKG_VERSION");
    tarsy_service::start_heartbeat(&service, &bus, "summarizer", version, &catalog.config_hash());
    launch(Parts { store, bus, llm, queue: catalog.queue }, &service)
}

/// Starts the service with these parts.
pub fn start_with(parts: Parts, service: &ServiceContext) -> anyhow::Result<()> {
    launch(parts, service)
}

fn launch(parts: Parts, service: &ServiceContext) -> anyhow::Result<()> {
    let app = App {
        publisher: Publisher::start(service, &parts.bus, &parts.store),
        live: LiveStreams::new(&parts.bus, service.clock()),
        store: parts.store,
        bus: parts.bus,
        llm: parts.llm,
        prompts: Arc::new(Prompts::new()?),
        service: service.clone(),
        lease: parts.queue.orphan_threshold,
        running: Arc::default(),
    };
    // Cancels are received while summaries are made, also after a soft stop; then this task must end,
    // because it holds the publisher, and shutdown waits for both.
    let idle = CancellationToken::new();
    let cancels = app.clone();
    let cancel = move |session| cancels.cancel(session);
    service.spawn_aux("cancels", subscribe_cancels(app.bus.clone(), idle.clone(), cancel));
    service.spawn("worker", worker::run(app, idle));
    Ok(())
}

/// Registers a summary that is made here until it is dropped.
pub(crate) struct RegistrationGuard {
    app: App,
    summary: SummaryId,
}

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        if let Ok(mut running) = self.app.running.lock() {
            running.remove(&self.summary);
            metrics::running(running.len());
        }
    }
}

impl App {
    /// Registers a summary, so that a cancel of its session finds it.
    pub(crate) fn register(
        &self,
        summary: SummaryId,
        session: SessionId,
        stop: CancellationToken,
    ) -> RegistrationGuard {
        if let Ok(mut running) = self.running.lock() {
            running.insert(summary, (session, stop));
            metrics::running(running.len());
        }
        RegistrationGuard { app: self.clone(), summary }
    }

    /// Cancels the summaries of a session at once; the next renewal of their leases would, too.
    fn cancel(&self, cancelled: SessionId) {
        let Ok(running) = self.running.lock() else { return };
        for (session, stop) in running.values() {
            if *session == cancelled {
                stop.cancel();
            }
        }
    }
}
