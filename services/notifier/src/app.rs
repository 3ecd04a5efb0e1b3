//! The wiring of this service.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Destination, Env};
use tarsy_domain::clock::Clock;
use tarsy_service::{BusNeed, ServiceContext, Settings, connect_bus, connect_store};
use tarsy_store::Store;
use tokio::sync::Notify;

use crate::channels::Channel;
use crate::{courier, planner};

/// What everything in this service needs.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) destinations: Arc<[Destination]>,
    pub(crate) channels: Arc<BTreeMap<String, Channel>>,
    /// Rings when rows were written here.
    pub(crate) written: Arc<Notify>,
}

impl App {
    /// The names of all destinations.
    pub(crate) fn names(&self) -> Vec<String> {
        self.channels.keys().cloned().collect()
    }
}

/// Starts the service with what its settings name; without a destination it rests.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_tool_secrets();
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration is not valid")?;
    if catalog.destinations.is_empty() {
        tracing::info!("nobody is to be told; see system.slack and notifications");
        return Ok(());
    }
    let channels = catalog
        .destinations
        .iter()
        .map(|one| {
            let channel = Channel::new(one, &catalog.system.dashboard_url, &env)?;
            Ok((one.name.clone(), channel))
        })
        .collect::<anyhow::Result<_>>()?;
    let store = connect_store(&settings, &service).await?;
    let bus = connect_bus(&settings, &service, "notifier", BusNeed::Optional).await?;
    let app = App {
        store,
        bus,
        clock: service.clock(),
        destinations: catalog.destinations.into(),
        channels: Arc::new(channels),
        written: Arc::default(),
    };
    let (listening, stopping) = (app.clone(), service.stopping());
    service.spawn("events", async move {
        planner::listen(listening, stopping).await;
        Ok(())
    });
    let (sweeping, stopping) = (app.clone(), service.stopping());
    service.spawn("sweep", async move {
        planner::sweep(sweeping, stopping).await;
        Ok(())
    });
    let (stopping, hard) = (service.stopping(), service.hard_stop());
    service.spawn("courier", async move {
        courier::run(app, stopping, hard).await;
        Ok(())
    });
    Ok(())
}
