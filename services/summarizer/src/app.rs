//! The wiring of this service.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, Queue};
use tarsy_contracts::topology;
use tarsy_llm::{AnswerMasks, Llm, MaskedLlm, OfflineLlm, ProviderLlm};
use tarsy_service::{
    BusNeed, Heartbeat, LiveStreams, ModelQueue, PollInterval, Publisher, Runner, ServiceContext,
    Settings, connect_bus, connect_store,
};
use tarsy_store::Store;

use crate::context::Context;
use crate::metrics;
use crate::prompts::Prompts;
use crate::work::Summaries;

/// Summaries that one process makes at once; each is a call of a model.
const CAPACITY: u32 = 16;
/// The fallback poll of the table, for a lost wake-up.
const POLL: PollInterval =
    PollInterval { interval: Duration::from_secs(2), jitter: Duration::from_secs(1) };

/// The external dependencies; tests replace the model.
pub struct Parts {
    pub store: Store,
    pub bus: Bus,
    pub llm: Arc<dyn Llm>,
    /// The queue's settings, whose `orphan_threshold` is the lease.
    pub queue: Queue,
}

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    catalog(settings).map(|_| ())
}

fn catalog(settings: &Settings) -> anyhow::Result<Catalog> {
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_tool_secrets();
    Catalog::load_dir(settings.config_dir.as_deref(), &env.without_slack_token())
        .context("the configuration is not valid")
}

pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let catalog = catalog(&settings)?;
    let store = connect_store(&settings, &service).await?;
    let bus = connect_bus(&settings, &service, "summarizer", BusNeed::Optional).await?;
    let offline = OfflineLlm::new(settings.offline_tokens_per_second);
    let llm = Arc::new(ProviderLlm::new(&settings.llm_service, offline)?);
    let masks = AnswerMasks::new(&catalog).context("answers of models cannot be masked")?;
    let llm = Arc::new(MaskedLlm::new(llm, masks));
    Heartbeat::new(&bus, service.clock(), "summarizer", &catalog.config_hash())
        .with_store(&store)
        .start(&service);
    launch(Parts { store, bus, llm, queue: catalog.queue }, &service)
}

/// Starts the service with these parts.
pub fn start_with(parts: Parts, service: &ServiceContext) -> anyhow::Result<()> {
    launch(parts, service)
}

fn launch(parts: Parts, service: &ServiceContext) -> anyhow::Result<()> {
    metrics::register();
    let bus = parts.bus.clone();
    let context = Context {
        publisher: Publisher::start(service, &parts.bus, &parts.store),
        live: LiveStreams::new(&parts.bus, service.clock()),
        queue: ModelQueue::new(service, &parts.store, parts.queue.orphan_threshold),
        store: parts.store,
        bus: parts.bus,
        llm: parts.llm,
        prompts: Prompts::new()?,
        lease: parts.queue.orphan_threshold,
        time_limit: parts.queue.session_timeout,
    };
    Runner::new(service, CAPACITY, POLL)
        .with_announced_work(Summaries(context), bus.wake_ups(&topology::SUMMARY_WORK))
        .with_cancels(&bus)
        .start();
    Ok(())
}
