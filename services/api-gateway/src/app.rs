//! Builds the service from its settings: the router and its background tasks.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use tarsy_catalog::{Access, AccessMode, Catalog, Env, System};
use tarsy_runbooks::{Rules, Runbooks};
use tarsy_service::{BusNeed, Heartbeat, Publisher, ServiceContext, Settings};
use tarsy_web::TrustedProxies;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::access::{AuditLog, Authenticator, Oidc};
use crate::configuration::Configuration;
use crate::masking::AlertMasker;
use crate::notices::Notices;
use crate::open_sockets::OpenSockets;
use crate::slack::SlackApp;
use crate::sources::{Capacity, Certificates, Refused};
use crate::state::{AppParts, AppState};
use crate::{http, intake, metrics, sources, watch};

/// The most time that proxied WebSockets may take to close when the service stops.
const CLOSE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);
/// The most alerts that are read and stored concurrently; each may take some megabytes.
const MAX_CONCURRENT_ALERTS: usize = 256;
/// The most WebSockets that are proxied concurrently.
const MAX_SOCKETS: usize = 10_000;

/// Refuses an address that other machines reach unless senders are identified.
pub fn check_address(address: SocketAddr, insecure: bool, access: &Access) -> anyhow::Result<()> {
    let open = access.mode == AccessMode::Local && !address.ip().is_loopback();
    anyhow::ensure!(
        !open || insecure,
        "other machines can reach {address}, and system.access.mode is local, which lets every sender read everything and \
         submit alerts; set system.access.mode to oidc or proxy, listen on 127.0.0.1 (TARSY_HTTP_ADDR), say where a \
         container's port is published (TARSY_PUBLISHED_ADDR=127.0.0.1:8080), or let anybody read with TARSY_INSECURE=true"
    );
    if open {
        tracing::warn!(
            %address,
            "insecure: whoever reaches this address reads everything and submits alerts"
        );
    }
    Ok(())
}

/// The address that other machines see, as far as this process knows.
fn reached_at(settings: &Settings) -> SocketAddr {
    settings.published_addr.unwrap_or(settings.http_addr)
}

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    configured(settings).map(|_| ())
}

/// The configuration as its files are now, if the service could start with it.
pub(crate) fn configuration(settings: &Settings) -> anyhow::Result<Catalog> {
    configured(settings).map(|configured| configured.catalog)
}

/// The configuration, and what is made of it alone.
struct Configured {
    catalog: Catalog,
    masker: AlertMasker,
    runbooks: Runbooks,
}

fn configured(settings: &Settings) -> anyhow::Result<Configured> {
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &environment(settings))
        .context("the configuration is not valid")?;
    check_address(reached_at(settings), settings.insecure, &catalog.system.access)?;
    let masker = AlertMasker::new(&catalog.defaults.alert_masking)
        .context("defaults.alert_masking cannot be used")?;
    let token = settings.environment().get(&catalog.system.github.token_env).cloned();
    let runbooks = Runbooks::new(Rules::new(&catalog.system, token))
        .context("system.runbooks cannot be used")?;
    Ok(Configured { catalog, masker, runbooks })
}

/// Connects, starts the tasks, and returns the public router. `websockets` serves WebSockets in this process; without
/// it they are proxied to the stream-relay.
pub async fn build(
    settings: &Settings,
    service: &ServiceContext,
    websockets: Option<Router>,
) -> anyhow::Result<Router> {
    let Configured { catalog, masker, runbooks } = configured(settings)?;
    metrics::register(&catalog);
    let store = tarsy_service::connect_store(settings, service).await?;
    let bus =
        tarsy_service::connect_bus(settings, service, "api-gateway", BusNeed::Optional).await?;
    let publisher = Publisher::start(service, &bus, &store);
    let notices = Notices::start(service, &bus);
    let audit = AuditLog::start(service, &store);
    let proxies = TrustedProxies::new(&settings.trusted_proxies);
    let authenticator =
        Authenticator::new(&catalog.system, proxies, store.clone(), service.clock())
            .with_oidc(open_id_connect(settings, service, &catalog.system)?)
            .with_local_token(settings.local_token.as_deref());
    warn_without_token(&authenticator);
    let app = AppState::new(AppParts {
        slack: SlackApp::start(&catalog.system, settings, service)?,
        store,
        bus,
        publisher,
        configuration: Configuration::start(catalog, settings, service).await?,
        masker: Arc::new(masker),
        runbooks,
        clock: service.clock(),
        health: service.health().clone(),
        workers: Arc::default(),
        notices,
        keyed_outcomes: Arc::default(),
        alert_slots: Arc::new(Semaphore::new(MAX_CONCURRENT_ALERTS)),
        socket_slots: Arc::new(Semaphore::new(MAX_SOCKETS)),
        sockets: TaskTracker::new(),
        open_sockets: OpenSockets::default(),
        stopping: service.stopping(),
        authenticator: Arc::new(authenticator),
        audit,
        settings: settings.clone(),
        environment: Arc::new(settings.environment().clone()),
        process: settings.described().into(),
        certificates: Certificates::new().context("no client for certificates")?,
        capacity: Capacity::default(),
        refused: Refused::default(),
        insecure: settings.insecure && !reached_at(settings).ip().is_loopback(),
        relay: settings.relay_url.clone(),
        relay_token: settings.relay_token.clone(),
        dashboard: settings.dashboard_dir.clone(),
    });
    start_tasks(&app, service);
    http::router(app, websockets)
}

fn warn_without_token(authenticator: &Authenticator) {
    if authenticator.mode() == AccessMode::Local && authenticator.local_token().is_none() {
        tracing::warn!(
            "nobody can decide anything here: system.access.mode is local, and TARSY_LOCAL_TOKEN is not set"
        );
    }
}

fn start_tasks(app: &AppState, service: &ServiceContext) {
    intake::drain::start(app, service);
    sources::start_held(app, service);
    sources::start_heartbeats(app, service);
    sources::start_count_of_refused(app, service);
    watch::start(app, service);
    let hash = app.catalog().config_hash();
    Heartbeat::new(&app.bus, service.clock(), "api-gateway", &hash)
        .with_store(&app.store)
        .start(service);
    close_sockets_at_stop(app, service);
}

/// The variables that the configuration may need here. Keys of models are not among them where llm-service, which has
/// them, is asked.
fn environment(settings: &Settings) -> Env {
    let env = Env::of(settings.environment().clone()).without_slack_token().without_tool_secrets();
    if Configuration::asks_llm_service(settings) { env.without_llm_credentials() } else { env }
}

/// Mode `oidc`: the issuer, and the task that reads its keys. An issuer that is away does not stop the start.
fn open_id_connect(
    settings: &Settings,
    service: &ServiceContext,
    system: &System,
) -> anyhow::Result<Option<Arc<Oidc>>> {
    let access = &system.access;
    if access.mode != AccessMode::Oidc {
        return Ok(None);
    }
    let secret = match &access.oidc.client_secret_env {
        None => None,
        Some(name) => Some(settings.environment().get(name).cloned().with_context(|| {
            format!(
                "the variable {name} is not set; set it to the client's secret, or remove \
                 system.access.oidc.client_secret_env"
            )
        })?),
    };
    let oidc = Arc::new(Oidc::new(access.oidc.clone(), &system.dashboard_url, secret)?);
    let (task, context) = (Arc::clone(&oidc), service.clone());
    service.spawn_aux("gateway.oidc", async move { task.keep_fresh(&context).await });
    Ok(Some(oidc))
}

fn close_sockets_at_stop(app: &AppState, service: &ServiceContext) {
    let (sockets, stopping) = (app.sockets.clone(), service.stopping());
    service.spawn_aux("gateway.sockets", async move {
        stopping.cancelled().await;
        sockets.close();
        if tokio::time::timeout(CLOSE_TIMEOUT, sockets.wait()).await.is_err() {
            tracing::warn!(left = sockets.len(), "some sockets did not close in time");
        }
    });
}

/// Serves the API and the dashboard until the service stops.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let router = build(&settings, &service, None).await?;
    service.serve_http("http", settings.http_addr, router).await?;
    Ok(())
}
