//! `tarsy up`: everything on this machine, until Ctrl-C.

mod parts;
mod progress;
mod services;

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use console::style;
use tarsy_catalog::{Catalog, Env};
use tarsy_service::Settings;
use tokio::signal::unix::{SignalKind, signal};

use crate::home::{Home, Running};
use crate::output;
use parts::Parts;
pub(crate) use parts::{llm_python, llm_source, places};
use progress::Progress;

/// How long running work may continue after Ctrl-C; what is not done then is resumed at the next
/// start.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The port of the dashboard and the API.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address to listen on; 0.0.0.0 lets other machines in.
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Starts every service as a process of its own.
    #[arg(long)]
    split: bool,
    /// How many orchestrators, with --split.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    orchestrators: u8,
}

/// Starts everything, prints what runs where, and stops it in order.
pub(crate) async fn run(home: &Path, options: &Options) -> anyhow::Result<ExitCode> {
    let home = Home::open(home)?;
    let _lock = home.lock()?;
    let settings = Settings::from_env().context("an environment variable is invalid")?;
    let progress = Progress::start();
    let catalog = check_config(&settings, &progress)?;
    let mut parts = Parts::start(&home, &settings, &progress).await?;
    let started = start(&home, options, &settings, &parts, &progress).await;
    let mut services = match started {
        Ok(services) => services,
        Err(error) => {
            progress.abandon();
            parts.stop().await;
            return Err(error);
        }
    };
    progress.finish();
    let running = Running { processes: services.processes(&parts), ..parts.running() };
    let running = Running { url: url(options, services.port()), ..running };
    home.write_running(&running)?;
    print_addresses(&home, &running, &services, &catalog.llm_info().message);

    let failed = tokio::select! {
        () = interrupted()? => None,
        what = parts.failed() => Some(what),
        what = services.failed() => Some(what),
    };
    output::remark(
        &style("stopping; unfinished sessions resume at the next start").dim().to_string(),
    );
    home.delete_running();
    let ended = services.stop(GRACE).await;
    parts.stop().await;
    match (failed, ended) {
        (Some(what), _) => {
            anyhow::bail!("{what} ended unexpectedly; see {}", home.at("logs").display())
        }
        (None, Err(error)) => Err(error),
        (None, Ok(())) => {
            output::remark("stopped; the data is kept");
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check_config(settings: &Settings, progress: &Progress) -> anyhow::Result<Catalog> {
    progress.step("checking the configuration");
    let env = Env::of(settings.environment().clone());
    Catalog::load_dir(settings.config_dir.as_deref(), &env).map_err(|report| {
        progress.abandon();
        anyhow::anyhow!("the configuration is not valid:\n{report}")
    })
}

async fn start(
    home: &Home,
    options: &Options,
    settings: &Settings,
    parts: &Parts,
    progress: &Progress,
) -> anyhow::Result<services::Services> {
    progress.step("migrating the database");
    let store = tarsy_store::Store::connect(&parts.running().database_url, 2).await?;
    store.migrate().await?;
    store.close();
    let address = SocketAddr::new(options.host, options.port);
    let environment = parts.environment(home, settings)?;
    if options.split {
        progress.step("starting the services, one process each");
        services::split(home, &environment, address, options.orchestrators).await
    } else {
        progress.step("starting the services");
        services::together(&environment, address).await
    }
}

fn url(options: &Options, port: u16) -> String {
    let host = if options.host.is_unspecified() || options.host.is_loopback() {
        "localhost".to_owned()
    } else {
        options.host.to_string()
    };
    format!("http://{host}:{port}")
}

/// How this program is called from here.
fn program() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default();
    program.strip_prefix(&here).unwrap_or(&program).display().to_string()
}

async fn never_or(signal: &mut tokio::signal::unix::Signal) {
    signal.recv().await;
}

fn interrupted() -> anyhow::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            () = never_or(&mut terminate) => {}
            () = never_or(&mut interrupt) => {}
        }
    })
}

fn print_addresses(home: &Home, running: &Running, services: &services::Services, llm: &str) {
    let line = |name: &str, text: &str| {
        output::line(&format!("  {:<14} {text}", style(name).dim()));
    };
    output::line("");
    for (name, pid) in &running.processes {
        line(name, &format!("process {pid}"));
    }
    line("services", services.kind());
    line("data, logs", &home.at("").display().to_string());
    line("LLM", llm);
    line("try", &format!("{} submit --example host --follow", program()));
    line("stop", "Ctrl-C");
    output::line("");
    output::line(&format!("TARSy is ready: {}", style(&running.url).green().bold()));
}
