//! The main function of every service, and the connections that it watches.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::{Bus, BusOptions};
use tarsy_contracts::permissions::{self, BusUser};
use tarsy_store::Store;
use tarsy_telemetry::{Guard, Options};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::context::ServiceContext;
use crate::protect::protect;
use crate::reload::{Hangups, receive_reloads, requested, retire, succeed};
use crate::serve::{admin_router, server_limits};
use crate::settings::Settings;
use crate::stops::Stops;
use crate::version::VERSION;

/// How often the connection to PostgreSQL is checked for readiness.
const DATABASE_CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// How long the start waits for PostgreSQL, which may be restarting or taking over; after that the service ends.
const DATABASE_START_TIMEOUT: Duration = Duration::from_mins(1);
const DATABASE_START_INTERVAL: Duration = Duration::from_secs(1);
/// How long the start waits for NATS; after that the service starts without it.
const BUS_START_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a process is ready while NATS is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusNeed {
    Required,
    Optional,
}

/// Whether a service could start with the files that its settings name.
pub type Check = fn(&Settings) -> anyhow::Result<()>;

/// Runs the service `name`: reads its settings, starts it, waits for a stop and drains it. On SIGHUP it is started again
/// with what `check` accepts.
pub fn main<S, F>(name: &'static str, check: Check, start: S) -> ExitCode
where
    S: Fn(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    match try_main(name, check, start) {
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

fn try_main<S, F>(name: &'static str, check: Check, start: S) -> anyhow::Result<()>
where
    S: Fn(Settings, ServiceContext) -> F,
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
    runtime.block_on(run(name, settings, &guard, check, start))
}

/// Runs a service until it is stopped, on the runtime of the caller. On SIGHUP, and when the bus asks for it, a successor
/// with the configuration as it is then takes its place.
pub async fn run<S, F>(
    name: &'static str,
    settings: Settings,
    guard: &Guard,
    check: Check,
    start: S,
) -> anyhow::Result<()>
where
    S: Fn(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    // From the first moment on: without a handler the signal ends the process.
    let mut hangups = Hangups::new()?;
    let mut service =
        ServiceContext::with_metrics(guard.metrics()).with_server_limits(server_limits(&settings)?);
    let mut grace = settings.grace;
    // In boxes: the futures of a start are large.
    Box::pin(begin(name, settings, &service, &start)).await?;
    let mut stops = Stops::new()?;
    let mut requests = service.reloads().subscribe();
    loop {
        let next = tokio::select! {
            () = stopped(&mut stops, &service) => return service.drain(grace).await,
            next = accepted(&mut hangups, &mut requests, check) => next,
        };
        let next_grace = next.grace;
        let succeeded = tokio::select! {
            () = stopped(&mut stops, &service) => return service.drain(grace).await,
            succeeded = succeed(&service, |new| begin_beside(name, next, new, &start)) => succeeded,
        };
        match succeeded {
            Ok(successor) => {
                retire(service, &successor, grace, std::future::ready(()));
                service = successor;
                grace = next_grace;
                tracing::info!("the service runs with the configuration as it is now");
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(error, "could not start again; the service of before goes on");
            }
        }
    }
}

async fn begin<S, F>(
    name: &'static str,
    settings: Settings,
    service: &ServiceContext,
    start: &S,
) -> anyhow::Result<()>
where
    S: Fn(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    // Not ready while the list of parts is still incomplete.
    service.health().set("start", true, Err("starting".to_owned()));
    serve_admin(&settings, service).await?;
    start(settings, service.clone()).await?;
    service.health().set("start", true, Ok(()));
    tracing::info!(service = name, version = VERSION, "ready");
    Ok(())
}

/// As [`begin`], while a predecessor answers for the process.
async fn begin_beside<S, F>(
    name: &'static str,
    mut settings: Settings,
    service: ServiceContext,
    start: &S,
) -> anyhow::Result<()>
where
    S: Fn(Settings, ServiceContext) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    settings.instance = service.instance(&settings.instance);
    start(settings.clone(), service.clone()).await?;
    serve_admin(&settings, &service).await?;
    tracing::info!(service = name, instance = settings.instance, "ready to take over");
    Ok(())
}

async fn serve_admin(settings: &Settings, service: &ServiceContext) -> anyhow::Result<()> {
    if let Some(address) = settings.admin_addr {
        let bound = service.serve_http("admin", address, admin_router(service)).await?;
        tracing::info!(address = %bound, "the admin port is open");
    }
    Ok(())
}

/// Waits for a signal, or until a task of the service ends it.
async fn stopped(stops: &mut Stops, service: &ServiceContext) {
    let stopping = service.stopping();
    tokio::select! {
        signal = stops.next() => tracing::info!("stopping on {signal}"),
        () = stopping.cancelled() => tracing::info!("stopping"),
    }
}

/// The settings of the next request whose settings and files are valid; those that are not are logged and change nothing.
async fn accepted(
    hangups: &mut Hangups,
    requests: &mut watch::Receiver<String>,
    check: Check,
) -> Settings {
    loop {
        let requester = requested(hangups, requests).await;
        tracing::info!(?requester, "the configuration is read again");
        let settings = Settings::from_env().context("the environment is not valid");
        match settings.and_then(|settings| check(&settings).map(|()| settings)) {
            Ok(settings) => return settings,
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(
                    error,
                    "the configuration is not valid; the service goes on with the one before"
                );
            }
        }
    }
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
    let deadline = Instant::now() + DATABASE_START_TIMEOUT;
    let store = loop {
        match open_store(settings).await {
            Err(error) if is_away(&error) && Instant::now() < deadline => {
                let error = format!("{error:#}");
                tracing::warn!(error, "PostgreSQL does not answer yet; waiting for it");
                service.health().set("database", true, Err(error));
                tokio::time::sleep(DATABASE_START_INTERVAL).await;
            }
            opened => break opened?,
        }
    };
    service.health().set("database", true, Ok(()));
    watch_store(store.clone(), service);
    Ok(store)
}

async fn open_store(settings: &Settings) -> anyhow::Result<Store> {
    let store = Store::connect(&settings.database_url, settings.database_connections)
        .await
        .context("could not connect to PostgreSQL")?;
    store.schema_check().await.context("the database cannot be used")?;
    Ok(store)
}

/// Whether waiting can help.
fn is_away(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(tarsy_store::Error::is_unavailable)
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
    receive_reloads(&bus, service);
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
