//! Wiring: from settings to a router and its tasks.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use axum::extract::FromRef;
use tarsy_bus::Bus;
use tarsy_catalog::{Catalog, Env};
use tarsy_domain::clock::Clock;
use tarsy_runbooks::{Rules, Runbooks};
use tarsy_service::{BusNeed, Health, Publisher, ServiceContext, Settings};
use tarsy_store::Store;
use tarsy_web::TrustedProxies;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::http;
use crate::http::health::Workers;
use crate::intake::{self, Keys};
use crate::masking::AlertMasker;
use crate::watch;

/// How long passed-on sockets may take to close when the service stops.
const CLOSING: std::time::Duration = std::time::Duration::from_secs(5);
/// Alerts that are read and stored at once; each may take some megabytes.
const ALERTS_AT_ONCE: usize = 256;
/// Live connections that are passed on at once.
const SOCKETS_AT_ONCE: usize = 10_000;

/// Everything a handler may need.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) publisher: Publisher,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) masker: Arc<AlertMasker>,
    pub(crate) runbooks: Runbooks,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) health: Health,
    pub(crate) workers: Arc<Workers>,
    pub(crate) waiting_keys: Arc<Keys>,
    pub(crate) alert_slots: Arc<Semaphore>,
    pub(crate) socket_slots: Arc<Semaphore>,
    pub(crate) sockets: TaskTracker,
    pub(crate) stopping: CancellationToken,
    pub(crate) proxies: TrustedProxies,
    pub(crate) relay: Option<Url>,
    pub(crate) dashboard: Option<PathBuf>,
}

impl FromRef<App> for TrustedProxies {
    fn from_ref(app: &App) -> Self {
        app.proxies.clone()
    }
}

impl App {
    /// Whether the last look at the database found it well. It spares every alert of an outage the
    /// wait for a connection; what is kept in error is stored a moment later all the same.
    pub(crate) fn database_is_up(&self) -> bool {
        self.health.parts().get("database").is_none_or(|part| part.healthy)
    }
}

/// Connects, starts the tasks, and returns the public router.
pub async fn build(settings: &Settings, service: &ServiceContext) -> anyhow::Result<Router> {
    let env = Env::of(settings.environment().clone()).without_slack_token().without_tool_secrets();
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration cannot be used")?;
    let masker = AlertMasker::new(&catalog.defaults.alert_masking)
        .context("defaults.alert_masking cannot be used")?;
    let token = settings.environment().get(&catalog.system.github.token_env).cloned();
    let runbooks = Runbooks::new(Rules::new(&catalog.system, token))
        .context("system.runbooks cannot be used")?;
    let store = tarsy_service::connect_store(settings, service).await?;
    let bus =
        tarsy_service::connect_bus(settings, service, "api-gateway", BusNeed::Optional).await?;
    let publisher = Publisher::start(service, &bus, &store);
    let app = App {
        store,
        bus,
        publisher,
        catalog: Arc::new(catalog),
        masker: Arc::new(masker),
        runbooks,
        clock: service.clock(),
        health: service.health().clone(),
        workers: Arc::default(),
        waiting_keys: Arc::default(),
        alert_slots: Arc::new(Semaphore::new(ALERTS_AT_ONCE)),
        socket_slots: Arc::new(Semaphore::new(SOCKETS_AT_ONCE)),
        sockets: TaskTracker::new(),
        stopping: service.stopping(),
        proxies: TrustedProxies::new(&settings.trusted_proxies),
        relay: settings.relay_url.clone(),
        dashboard: settings.dashboard_dir.clone(),
    };
    intake::store_later(&app, service);
    watch::begin(&app, service);
    let hash = app.catalog.config_hash();
    tarsy_service::start_heartbeat(
        service,
        &app.bus,
        "api-gateway",
        env!("CARGO_PKG_VERSION"),
        &hash,
    );
    let (sockets, stopping) = (app.sockets.clone(), service.stopping());
    service.spawn_aux("gateway.sockets", async move {
        stopping.cancelled().await;
        sockets.close();
        if tokio::time::timeout(CLOSING, sockets.wait()).await.is_err() {
            tracing::warn!(left = sockets.len(), "some sockets did not close in time");
        }
    });
    Ok(http::router(app))
}

/// Serves the API and the dashboard until the service stops.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let router = build(&settings, &service).await?;
    service.serve_http("http", settings.http_addr, router).await?;
    Ok(())
}
