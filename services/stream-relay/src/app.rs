//! Wiring: from settings to a router and its tasks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::any;
use axum::{Router, middleware};
use http::HeaderMap;
use tarsy_catalog::{AccessMode, Catalog, Env};
use tarsy_domain::code::Code;
use tarsy_service::{BusNeed, Heartbeat, InternalAddress, ServiceContext, Settings};
use tarsy_web::{CredentialEnd, Origins, Problem, ServerLimits, headers, request};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::hub::Hub;
use crate::protocol::MAX_INBOUND;
use crate::resources::Resources;
use crate::{metrics, viewer};

/// Viewers that are served at once.
const MAX_VIEWERS: usize = 10_000;
/// How long open sockets may take to close when the service stops.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The bytes that may wait to be written to one socket before a write waits.
const WRITE_BUFFER: usize = 16 * 1024;

#[derive(Clone)]
struct App {
    hub: Hub,
    origins: Origins,
    viewers: Arc<AtomicUsize>,
    ids: Arc<AtomicU64>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    catalog(settings).map(|_| ())
}

fn catalog(settings: &Settings) -> anyhow::Result<Catalog> {
    let env = Env::of(settings.environment().clone())
        .without_llm_credentials()
        .without_slack_token()
        .without_tool_secrets();
    Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration is not valid")
}

/// Connects, starts the tasks, and returns the router with the WebSocket.
pub async fn build(settings: &Settings, service: &ServiceContext) -> anyhow::Result<Router> {
    let catalog = catalog(settings)?;
    let store = tarsy_service::connect_store(settings, service).await?;
    // Without the bus nothing is live, so the relay is not ready.
    let bus =
        tarsy_service::connect_bus(settings, service, "stream-relay", BusNeed::Required).await?;

    metrics::register();
    let (stop, tasks) = (service.stopping(), TaskTracker::new());
    Heartbeat::new(&bus, service.clock(), "stream-relay", "").with_store(&store).start(service);
    let resources = Resources::new(bus, store, service.clock(), stop.clone());
    let app = App {
        hub: Hub::new(resources, tasks.clone()),
        origins: Origins::new(
            &catalog.system.dashboard_url,
            &catalog.system.allowed_ws_origins,
            catalog.system.access.mode == AccessMode::Local,
        ),
        viewers: Arc::default(),
        ids: Arc::default(),
        tasks: tasks.clone(),
        stop: stop.clone(),
    };
    service.spawn_aux("relay.sockets", async move {
        stop.cancelled().await;
        tasks.close();
        if tokio::time::timeout(CLOSE_TIMEOUT, tasks.wait()).await.is_err() {
            tracing::warn!(left = tasks.len(), "some sockets did not close in time");
        }
    });
    Ok(router(app))
}

/// Where api-gateway, which has identified the viewers, opens their WebSockets.
const ADDRESS: InternalAddress = InternalAddress {
    caller: "api-gateway",
    risk: "watch every session",
    variable: "TARSY_RELAY_TOKEN",
    callers_setting: "TARSY_RELAY_TOKEN of api-gateway",
    count_refused: || metrics::refused("token"),
};

/// Serves viewers until the service stops.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    serve(settings, service).await.map(drop)
}

/// Serves viewers until the service stops, at the address that is returned.
pub async fn serve(settings: Settings, service: ServiceContext) -> anyhow::Result<SocketAddr> {
    ADDRESS.check(settings.http_addr, settings.relay_token.as_deref(), settings.insecure)?;
    let router = build(&settings, &service).await?;
    let router = ADDRESS.require(router, settings.relay_token);
    // All connections come from the gateways.
    let limits = ServerLimits { connections_per_address: None, ..service.server_limits() };
    let service = service.with_server_limits(limits);
    service.serve_http("http", settings.http_addr, router).await
}

fn router(app: App) -> Router {
    Router::new()
        .route("/api/v1/ws", any(upgrade))
        .with_state(app)
        .layer(middleware::from_fn(headers::add_security_headers))
        .layer(middleware::from_fn(request::observe))
}

async fn upgrade(
    State(app): State<App>,
    end: Option<Extension<CredentialEnd>>,
    headers: HeaderMap,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    if !app.origins.allows_request(&headers) {
        metrics::refused("origin");
        tracing::warn!(
            origin = ?headers.get(http::header::ORIGIN),
            "a page of another origin was refused; see system.dashboard_url and \
             system.allowed_ws_origins"
        );
        return Err(Problem::new(
            Code::Forbidden,
            "Origin: is not allowed; open the dashboard under system.dashboard_url, or add this \
             host to system.allowed_ws_origins",
        ));
    }
    let socket = socket.map_err(|rejection| {
        let detail = format!("this address speaks WebSocket only: {}", rejection.body_text());
        Problem::new(Code::Invalid, detail)
    })?;
    let Some(permit) = ViewerPermit::acquire(&app.viewers) else {
        metrics::refused("full");
        return Err(Problem::new(Code::Unavailable, "too many viewers; try again soon"));
    };
    let viewer = app.ids.fetch_add(1, Ordering::Relaxed);
    let (tasks, stop) = (app.tasks.clone(), app.stop.clone());
    // api-gateway adds it where both serve in one process; where it is a proxy, it closes the connection itself.
    let end = end.map(|Extension(end)| end);
    Ok(socket
        .max_message_size(MAX_INBOUND)
        .max_frame_size(MAX_INBOUND)
        .write_buffer_size(WRITE_BUFFER)
        .on_upgrade(move |socket| async move {
            let _permit = permit;
            tasks
                .track_future(viewer::serve(
                    socket,
                    app.hub,
                    viewer,
                    viewer::Ends { credential: end, stop },
                ))
                .await;
        }))
}

/// The permit of one viewer; dropping it releases it.
struct ViewerPermit(Arc<AtomicUsize>);

impl ViewerPermit {
    fn acquire(viewers: &Arc<AtomicUsize>) -> Option<Self> {
        let taken = viewers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
            (count < MAX_VIEWERS).then_some(count + 1)
        });
        let before = taken.ok()?;
        metrics::viewers(before + 1);
        Some(Self(Arc::clone(viewers)))
    }
}

impl Drop for ViewerPermit {
    fn drop(&mut self) {
        let before = self.0.fetch_sub(1, Ordering::Relaxed);
        metrics::viewers(before.saturating_sub(1));
    }
}
