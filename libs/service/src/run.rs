//! From `main` to the end.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::{Bus, BusOptions};
use tarsy_store::Store;
use tarsy_telemetry::{Guard, Options};

use crate::settings::Settings;
use crate::shell::Shell;

/// Runs the service `name`: reads its settings, starts it, and sees it out.
pub fn main<S, F>(name: &'static str, start: S) -> ExitCode
where
    S: FnOnce(Settings, Shell) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    match try_main(name, start) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(name, &error);
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::print_stderr, reason = "telemetry may not stand yet, or no longer")]
fn complain(name: &str, error: &anyhow::Error) {
    eprintln!("{name}: {error:#}");
}

fn try_main<S, F>(name: &'static str, start: S) -> anyhow::Result<()>
where
    S: FnOnce(Settings, Shell) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    let settings = Settings::from_env().context("the environment does not make sense")?;
    if std::env::args().any(|argument| argument == "--check-config") {
        print(&format!("{settings:#?}"));
        return Ok(());
    }
    let guard = telemetry(name, &settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let shell = Shell::with_metrics(guard.metrics());
        let grace = settings.grace;
        // Ready only when everything was started, not while the list of parts is still short.
        shell.health().set("start", true, Err("starting".to_owned()));
        if let Some(address) = settings.admin_addr {
            let router = crate::admin_router(&shell);
            let bound = shell.serve_http("admin", address, router).await?;
            tracing::info!(address = %bound, "the admin port is open");
        }
        start(settings, shell.clone()).await?;
        shell.health().set("start", true, Ok(()));
        tracing::info!(service = name, version = env!("CARGO_PKG_VERSION"), "ready");
        shell.run_until_stopped(grace).await
    })
}

#[expect(clippy::print_stdout, reason = "the answer of --check-config")]
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

/// Connects to PostgreSQL, checks the schema, and keeps an eye on both.
pub async fn connect_store(settings: &Settings, shell: &Shell) -> anyhow::Result<Store> {
    anyhow::ensure!(
        !settings.database_url.is_empty(),
        "DATABASE_URL is not set; write for example postgres://tarsy:password@localhost/tarsy"
    );
    let store = Store::connect(&settings.database_url, settings.database_connections)
        .await
        .context("could not connect to PostgreSQL")?;
    store.schema_check().await.context("run `tarsy migrate` first")?;
    shell.health().set("database", true, Ok(()));
    let (watched, health, stopping) = (store.clone(), shell.health().clone(), shell.stopping());
    shell.spawn_aux("database.watch", async move {
        let mut every = tokio::time::interval(Duration::from_secs(5));
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = every.tick() => {}
            }
            let state = watched.ping().await.map_err(|error| error.to_string());
            health.set("database", true, state);
        }
    });
    Ok(store)
}

/// Connects to NATS, provisions it, and keeps an eye on it. With `needed`, the process is not ready
/// while NATS is away.
pub async fn connect_bus(
    settings: &Settings,
    shell: &Shell,
    service: &'static str,
    needed: bool,
) -> anyhow::Result<Bus> {
    let bus = Bus::connect(BusOptions {
        url: settings.nats_url.clone(),
        service,
        instance: settings.instance.clone(),
        credentials: settings.nats_creds.clone(),
    })
    .await?;
    let (guard, stopping) = (bus.clone(), shell.stopping());
    shell.spawn_aux("bus.guard", async move { guard.guard(stopping).await });
    let (mut link, health, stopping) = (bus.link(), shell.health().clone(), shell.stopping());
    shell.spawn_aux("bus.watch", async move {
        loop {
            let up = link.borrow_and_update().up;
            let state = if up { Ok(()) } else { Err("not connected".to_owned()) };
            health.set("nats", needed, state);
            tokio::select! {
                () = stopping.cancelled() => return,
                changed = link.changed() => if changed.is_err() { return },
            }
        }
    });
    let mut link = bus.link();
    let patience = Duration::from_secs(5);
    if tokio::time::timeout(patience, link.wait_for(|link| link.up)).await.is_err() {
        tracing::warn!("NATS does not answer yet; going on without it");
    } else if let Err(error) = bus.provision().await {
        tracing::warn!(error = %tarsy_telemetry::chain(&error), "NATS is not provisioned yet");
    }
    Ok(bus)
}
