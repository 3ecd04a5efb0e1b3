//! Starts the service: connects it, and wires its parts together.

use std::sync::Arc;

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env, Limits as Quotas, Queue};
use tarsy_contracts::topology;
use tarsy_llm::{AnswerMasks, Llm, MaskedLlm, OfflineLlm, ProviderLlm};
use tarsy_service::{
    BusNeed, Heartbeat, LiveStreams, ModelQueue, PollInterval, Publisher, Runner, ServiceContext,
    Settings, connect_bus, connect_store,
};
use tarsy_store::Store;
use tarsy_tools::{BusToolbox, Toolbox};
use tokio::sync::Semaphore;

use crate::chat::Questions;
use crate::engine::{Checker, DailyBudget, Limits, Services};
use crate::meaning::Meanings;
use crate::prompts::Prompts;
use crate::prose::Proses;
use crate::runbook::RunbookLoader;
use crate::scoring::{self, Scores};
use crate::session::Sessions;
use crate::session_lease::SessionLeases;
use crate::sweeper::Sweeper;
use crate::{janitor, meaning, metrics};

/// The connections of the service; tests replace two of them.
pub struct Dependencies {
    pub store: Store,
    pub bus: Bus,
    pub llm: Arc<dyn Llm>,
    pub toolbox: Arc<dyn Toolbox>,
    pub runbooks: RunbookLoader,
    /// What finds memories by meaning.
    pub meanings: Option<Meanings>,
    pub queue: Queue,
    pub quotas: Quotas,
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

/// Starts the service with the connections that its settings name.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let catalog = catalog(&settings)?;
    for warning in &catalog.warnings {
        tracing::warn!(%warning, "the configuration has something that may not be meant");
    }
    let store = connect_store(&settings, &service).await?;
    let bus = connect_bus(&settings, &service, "orchestrator", BusNeed::Optional).await?;
    let offline = OfflineLlm::new(settings.offline_tokens_per_second);
    let llm = Arc::new(ProviderLlm::new(&settings.llm_service, offline)?);
    let meanings = catalog.embedding().map(|model| Meanings::new(llm.service().clone(), model));
    let masks = AnswerMasks::new(&catalog).context("answers of models cannot be masked")?;
    let llm = Arc::new(MaskedLlm::new(llm, masks));
    let toolbox = Arc::new(BusToolbox::new(bus.clone()));
    let token = settings.environment().get(&catalog.system.github.token_env).cloned();
    let rules = tarsy_runbooks::Rules::new(&catalog.system, token);
    let runbooks = RunbookLoader::new(rules, &catalog.defaults.alert_masking)
        .context("the runbooks' settings cannot be used")?;
    let config_hash = catalog.config_hash();
    let heartbeat = Heartbeat::new(&bus, service.clock(), "orchestrator", &config_hash);
    let heartbeat = heartbeat.with_store(&store);
    let (janitor_store, queue) = (store.clone(), catalog.queue.clone());
    let counting = janitor::count_hours(store.clone(), service.stopping());
    let quotas = catalog.system.limits;
    let dependencies = Dependencies { store, bus, llm, toolbox, runbooks, meanings, queue, quotas };
    let runner = launch(dependencies, &service)?;
    let running = runner.running();
    let load = move || u32::try_from(running.count()).unwrap_or(u32::MAX);
    let heartbeat = heartbeat.with_capacity(catalog.queue.worker_count, load);
    service.spawn_aux("heartbeat", heartbeat.run(runner.idle()));
    runner.start();
    let retention = catalog.system.retention.clone();
    service.spawn_aux("overview.hours", counting);
    service.spawn_aux("janitor", janitor::run(janitor_store, retention, service.stopping()));
    Ok(())
}

/// Starts the service with these connections.
pub fn start_with(dependencies: Dependencies, service: &ServiceContext) -> anyhow::Result<()> {
    launch(dependencies, service)?.start();
    Ok(())
}

/// The runner of sessions and questions, ready to start.
fn launch(dependencies: Dependencies, service: &ServiceContext) -> anyhow::Result<Runner> {
    metrics::register();
    let Dependencies { store, bus, llm, toolbox, runbooks, meanings, queue, quotas } = dependencies;
    if let Some(meanings) = meanings.clone() {
        let making = meaning::run(meanings, store.clone(), service.stopping());
        service.spawn_aux("memory.vectors", making);
    }
    let poll = PollInterval { interval: queue.poll_interval, jitter: queue.poll_jitter() };
    let sweeper = Sweeper {
        store: store.clone(),
        bus: bus.clone(),
        max_sessions: queue.max_concurrent_sessions,
        poll,
    };
    service.spawn_aux("sweeper", sweeper.run(service.stopping()));
    let live = LiveStreams::new(&bus, service.clock());
    let prompts = Arc::new(Prompts::new()?);
    let services = Services {
        llm,
        queue: ModelQueue::new(service, &store, queue.orphan_threshold),
        toolbox,
        prompts,
        runbooks,
        meanings,
        live: live.clone(),
        bus: bus.clone(),
        checker: Checker::new(),
        limits: limits(&queue, quotas),
        kept: Arc::new(Semaphore::new(kept_sessions(&queue))),
    };
    let runner = Runner::new(service, queue.worker_count, poll);
    let scorer =
        Runner::new(service, scoring::CAPACITY, poll).with_grace(queue.scoring_shutdown_timeout);
    let ended = scorer.notify();
    let leases = SessionLeases {
        publisher: Publisher::start(service, &bus, &store),
        store,
        live,
        owner: bus.instance().to_owned(),
        queue,
    };
    let writing = Proses { leases: leases.clone(), services: services.clone() };
    let judging = Scores { leases: leases.clone(), services: services.clone() };
    scorer.with_work(writing).with_work(judging).start();
    // A question comes first: a person waits for its answer.
    Ok(runner
        .with_announced_work(
            Questions { leases: leases.clone(), services: services.clone() },
            bus.wake_ups(&topology::CHAT_WORK),
        )
        .with_announced_work(
            Sessions { leases, services, ended },
            bus.wake_ups(&topology::SESSION_WORK),
        )
        .with_cancels(&bus))
}

fn limits(queue: &Queue, quotas: Quotas) -> Limits {
    Limits {
        summary_claim: queue.orphan_threshold,
        approval: queue.approval_timeout,
        waiting_for_approval: queue.max_waiting_for_approval,
        daily: DailyBudget::new(quotas),
    }
}

/// How many sessions of this process may keep their workers while calls wait whose arguments it alone has. Most workers stay
/// free, whoever makes sessions wait; a single worker is never kept.
fn kept_sessions(queue: &Queue) -> usize {
    let workers = queue.worker_count.min(queue.max_concurrent_sessions);
    usize::try_from(if workers < 2 { 0 } else { (workers / 4).max(1) }).unwrap_or(0)
}
