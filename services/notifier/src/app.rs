//! The wiring of this service.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_catalog::{CallMasks, Catalog, Env};
use tarsy_service::{
    BusNeed, Heartbeat, PollInterval, Runner, ServiceContext, Settings, connect_bus, connect_store,
};

use crate::channel::ChannelContext;
use crate::destinations::Destinations;
use crate::dispatcher::Dispatcher;
use crate::metrics;
use crate::outbox::Outbox;
use crate::warnings::Warnings;
use crate::weekly::Weekly;

/// Notifications that are sent at once.
const CAPACITY: u32 = 8;
/// How often rows are looked for that became due or that another process inserted.
const POLL: PollInterval =
    PollInterval { interval: Duration::from_secs(1), jitter: Duration::from_millis(250) };

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    catalog(settings, &environment(settings)).map(|_| ())
}

fn environment(settings: &Settings) -> Env {
    Env::of(settings.environment().clone()).without_llm_credentials().without_tool_secrets()
}

fn catalog(settings: &Settings, env: &Env) -> anyhow::Result<Catalog> {
    Catalog::load_dir(settings.config_dir.as_deref(), env).context("the configuration is not valid")
}

/// Starts the service; without a destination it connects to nothing.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let env = environment(&settings);
    let catalog = catalog(&settings, &env)?;
    let refused = |server: &str, error: &tarsy_masking::Error| {
        tracing::error!(mcp.server = server, %error, "the masking patterns do not compile; arguments are withheld");
    };
    let context = ChannelContext {
        dashboard_url: &catalog.system.dashboard_url,
        env: &env,
        slack: &catalog.system.slack,
        mattermost: catalog.system.mattermost.as_ref(),
        teams: catalog.system.teams.as_ref(),
        masks: Arc::new(CallMasks::new(&catalog, refused)),
        intake: &catalog.intake,
    };
    let destinations = Destinations::open(catalog.destinations.clone(), &context)?;
    if destinations.is_empty() {
        tracing::info!("no destinations are configured; see system.slack and notifications");
        return Ok(());
    }
    metrics::register(&destinations.names());
    let store = connect_store(&settings, &service).await?;
    let bus = connect_bus(&settings, &service, "notifier", BusNeed::Optional).await?;

    let warnings = Warnings::new(bus.clone(), service.clock());
    Heartbeat::new(&bus, service.clock(), "notifier", &catalog.config_hash())
        .with_store(&store)
        .start(&service);
    let dispatcher = Dispatcher::new(store.clone(), destinations.clone(), warnings);
    let runner = Runner::new(&service, CAPACITY, POLL).with_work(dispatcher);
    let outbox = Outbox {
        store: store.clone(),
        destinations: destinations.clone(),
        inserted: runner.notify(),
    };
    let (events, stopping) = (outbox.clone(), service.stopping());
    service.spawn("events", async move {
        events.consume_events(bus, stopping).await;
        Ok(())
    });
    let (decisions, stopping) = (outbox.clone(), service.stopping());
    // It ends at once if no channel reports calls.
    service.spawn_aux("decisions", decisions.watch_decisions(stopping));
    let stopping = service.stopping();
    service.spawn("reconcile", async move {
        outbox.reconcile(stopping).await;
        Ok(())
    });
    let weekly =
        Weekly { store, destinations, dashboard_url: catalog.system.dashboard_url.clone() };
    service.spawn_aux("weekly", weekly.run(service.stopping()));
    runner.start();
    Ok(())
}
