//! The main function of every service, and the connections that it watches.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::{Bus, BusOptions};
use tarsy_contracts::permissions::{self, BusUser};
use tarsy_store::Store;
use tarsy_telemetry::{Guard, Options};

use crate::context::ServiceContext;
use crate::protect::protect;
use crate::serve::{admin_router, server_limits};
use crate::settings::Settings;
use crate::version::VERSION;

/// How often the connection to PostgreSQL is checked for readiness.
const DATABASE_CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// How long the start waits for NATS; after that the service starts without it.
const BUS_START_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a process is ready while NATS is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusNeed {
    Required,
    Optional,
}

/// Runs the service `name`: reads its settings, starts it, waits for a stop and drains it.
pub fn main<S, F>(name: &'static str, start: S) -> ExitCode
where
    S: FnOnce(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    match try_main(name, start) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_error(name, &error);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "telemetry may not be set up yet, or no longer")]
fn print_error(name: &str, error: &anyhow::Error) {
    eprintln!("{name}: {error:#}");
}

fn try_main<S, F>(name: &'static str, start: S) -> anyhow::Result<()>
where
    S: FnOnce(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    let settings = Settings::from_env().context("the environment is not valid")?;
    if std::env::args().any(|argument| argument == "--check-config") {
        print(&format!("{settings:#?}"));
        return Ok(());
    }
    protect(&settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // The exporter of spans works on the runtime, and sends the last ones when the guard is dropped.
    let entered = runtime.enter();
    let guard = telemetry(name, &settings)?;
    drop(entered);
    runtime.block_on(run(name, settings, &guard, start))
}

/// Runs a service until it is stopped, on the runtime of the caller.
pub async fn run<S, F>(
    name: &'static str,
    settings: Settings,
    guard: &Guard,
    start: S,
) -> anyhow::Result<()>
where
    S: FnOnce(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    let service =
        ServiceContext::with_metrics(guard.metrics()).with_server_limits(server_limits(&settings)?);
    let grace = settings.grace;
    // Not ready while the list of parts is still incomplete.
    service.health().set("start", true, Err("starting".to_owned()));
    if let Some(address) = settings.admin_addr {
        let bound = service.serve_http("admin", address, admin_router(&service)).await?;
        tracing::info!(address = %bound, "the admin port is open");
    }
    start(settings, service.clone()).await?;
    service.health().set("start", true, Ok(()));
    tracing::info!(service = name, version = VERSION, "ready");
    service.run_until_stopped(grace).await
}

#[expect(clippy::print_stdout, reason = "the output of --check-config")]
fn print(text: &str) {
    println!("{text}");
}

/// Sets up logs, spans and metrics by the settings.
pub fn telemetry(name: &str, settings: &Settings) -> anyhow::Result<Guard> {
    Ok(tarsy_telemetry::init(&Options {
        service: format!("tarsy-{name}"),
        filter: settings.log_filter.clone(),
        format: settings.log_format,
        otlp_endpoint: settings.otlp_endpoint.clone(),
    })?)
}

/// Connects to PostgreSQL, checks the schema's version, and reports the connection's health from then
/// on.
pub async fn connect_store(settings: &Settings, service: &ServiceContext) -> anyhow::Result<Store> {
    anyhow::ensure!(
        !settings.database_url.is_empty(),
        "DATABASE_URL is not set; write for example postgres://tarsy:password@localhost/tarsy"
    );
    let store = Store::connect(&settings.database_url, settings.database_connections)
        .await
        .context("could not connect to PostgreSQL")?;
    store.schema_check().await.context("the database cannot be used")?;
    service.health().set("database", true, Ok(()));
    watch_store(store.clone(), service);
    Ok(store)
}

fn watch_store(store: Store, service: &ServiceContext) {
    let (health, stopping) = (service.health().clone(), service.stopping());
    service.spawn_aux("database.watch", async move {
        let mut interval = tokio::time::interval(DATABASE_CHECK_INTERVAL);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = interval.tick() => {}
            }
            let state = store.ping().await.map_err(|error| error.to_string());
            health.set("database", true, state);
        }
    });
}

/// Connects to NATS, checks now and after each reconnect that what the service needs there exists, and reports the
/// connection's health from then on. NATS may be away at the start, and what is missing may come later.
pub async fn connect_bus(
    settings: &Settings,
    service: &ServiceContext,
    name: &'static str,
    need: BusNeed,
) -> anyhow::Result<Bus> {
    let bus = open_bus(settings, name).await?;
    watch_bus(&bus, service, need);
    if let Some(user) = permissions::user(name) {
        check_streams(&bus, service, user);
    }
    wait_for_bus(&bus).await;
    Ok(bus)
}

/// Opens the connection of a service to NATS.
pub(crate) async fn open_bus(settings: &Settings, name: &'static str) -> anyhow::Result<Bus> {
    Ok(Bus::connect(BusOptions {
        url: settings.nats_url.clone(),
        service: name,
        instance: settings.instance.clone(),
        security: settings.nats_security.clone(),
        replicas: settings.nats_replicas,
    })
    .await?)
}

/// Waits for NATS, but not for long.
pub(crate) async fn wait_for_bus(bus: &Bus) {
    let mut connection = bus.connection();
    let connected = connection.wait_for(|state| state.connected);
    if tokio::time::timeout(BUS_START_TIMEOUT, connected).await.is_err() {
        tracing::warn!("NATS does not answer yet; starting without it");
    }
}

/// Reports, as a part of the readiness, whether NATS has what a user needs. Nothing stops without it: rows are polled.
fn check_streams(bus: &Bus, service: &ServiceContext, user: &'static BusUser) {
    let (bus, health, stopping) = (bus.clone(), service.health().clone(), service.stopping());
    service.spawn_aux("bus.check", async move {
        let report = |state: Result<(), &tarsy_bus::Error>| {
            if let Err(error) = state {
                tracing::error!(error = %tarsy_telemetry::chain(error), "NATS is not complete");
            }
            health.set("streams", false, state.map_err(ToString::to_string));
        };
        bus.check_on_reconnect(user, report, stopping).await;
    });
}

/// Why NATS is away, once it has been for longer than a restart takes.
async fn explain(bus: &Bus) -> Option<String> {
    tokio::time::sleep(BUS_START_TIMEOUT).await;
    bus.find_obstacle().await
}

pub(crate) fn watch_bus(bus: &Bus, service: &ServiceContext, need: BusNeed) {
    let (mut connection, health) = (bus.connection(), service.health().clone());
    let (bus, stopping) = (bus.clone(), service.stopping());
    service.spawn_aux("bus.watch", async move {
        loop {
            let connected = connection.borrow_and_update().connected;
            let state = if connected { Ok(()) } else { Err("not connected".to_owned()) };
            health.set("nats", need == BusNeed::Required, state);
            let mut explained = connected;
            loop {
                tokio::select! {
                    () = stopping.cancelled() => return,
                    changed = connection.changed() => {
                        if changed.is_err() { return }
                        break;
                    }
                    problem = explain(&bus), if !explained => {
                        explained = true;
                        if let Some(problem) = problem {
                            tracing::warn!(problem, "NATS cannot be reached");
                            let state = Err(format!("not connected: {problem}"));
                            health.set("nats", need == BusNeed::Required, state);
                        }
                    }
                }
            }
        }
    });
}
