//! Builds the service from its settings: the router and its background tasks.

use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use tarsy_catalog::{AccessMode, System};
use tarsy_service::{BusNeed, Heartbeat, Publisher, ServiceContext, Settings};
use tarsy_web::TrustedProxies;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::access::{AuditLog, Authenticator, Oidc};
use crate::configuration::Configuration;
use crate::configured::{Configured, configured, reached_at};
use crate::messengers::Messengers;
use crate::notices::Notices;
use crate::open_sockets::OpenSockets;
use crate::slack::SlackApp;
use crate::sources::{Capacity, Certificates, Refused};
use crate::state::{AppParts, AppState};
use crate::{http, intake, metrics, schedules, sources, topology, watch, weekly};

/// The most time that proxied WebSockets may take to close when the service stops.
const CLOSE_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);
/// The most alerts that are read and stored concurrently; each may take some megabytes.
const MAX_CONCURRENT_ALERTS: usize = 256;
/// The most WebSockets that are proxied concurrently.
const MAX_SOCKETS: usize = 10_000;

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
        messengers: Messengers::new(&catalog.system, settings)?,
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
        service: service.clone(),
        authenticator: Arc::new(authenticator),
        audit,
        settings: settings.clone(),
        process: settings.described().into(),
        certificates: Certificates::new().context("no client for certificates")?,
        capacity: Capacity::default(),
        refused: Refused::default(),
        insecure: settings.insecure && !reached_at(settings).ip().is_loopback(),
    });
    Box::pin(topology::keep(&app.store, &app.catalog().topology))
        .await
        .context("the services of `topology` could not be stored")?;
    http::start_socket(&app, settings, service)?;
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
    schedules::start(app, service);
    weekly::start(app, service);
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
