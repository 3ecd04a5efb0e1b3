//! `tarsy up`: everything on this machine, until Ctrl-C.

mod llm;
mod options;
mod parts;
mod programs;
mod progress;
mod reload;
mod services;

use std::collections::BTreeMap;
use std::io::{ErrorKind, IsTerminal as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::json;
use tarsy_catalog::{AccessMode, Catalog};
use tarsy_service::{Hangups, Settings, Stops};

use crate::home::{self, Home, Running};
use crate::local_token;
use crate::output::{self, Format, style};
pub(crate) use options::Options;
use options::{Place, check_config, environment};
use parts::Parts;
pub(crate) use parts::{DATABASE, start_postgres};
pub(crate) use programs::{llm_program, places};
use progress::Progress;

/// How long running work may continue after Ctrl-C; what is not done then is resumed at the next
/// start.
const GRACE: Duration = Duration::from_secs(2);

/// Starts everything, prints what runs where, and stops it in order.
pub(crate) async fn run(
    home: &Path,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    // From the first moment on: without a handler the signal ends the process.
    let mut hangups = Hangups::new()?;
    let home = Home::open(home)?;
    let _lock = home.lock()?;
    let settings = Settings::from_env().context("an environment variable is invalid")?;
    tarsy_service::protect(&settings)?;
    let address = options.address(&settings);
    check_port(address)?;
    let progress = Progress::start();
    progress.step("checking the configuration");
    let catalog = check_config(&settings, address, settings.insecure || options.insecure)
        .inspect_err(|_| progress.abandon())?;
    let mut parts = Parts::start(&home, &settings, &catalog, &progress).await?;
    let audit_retention_days = catalog.system.retention.audit_retention_days;
    let place = Place { home: &home, address, audit_retention_days };
    let start = start_or_stop(&place, options, &settings, &mut parts, &progress);
    let mut services = Box::pin(start).await?;
    let mut requests = services.reload_requests();
    let mut stops = Stops::new()?;
    let (processes, url) = (services.processes(&parts), url(address.ip(), services.port()));
    let running = Running { url, processes, ..parts.running() };
    home.write_running(&running)?;
    let llm = catalog.llm_info().message;
    match format {
        Format::Json => print_json(&home, &running, &llm)?,
        Format::Text => {
            print_facts(&home, &running, &services, &llm);
            print_address(&running.url, token_of(&home, &catalog));
        }
    }

    let failed = loop {
        let requester = tokio::select! {
            _ = stops.next() => break None,
            what = parts.failed() => break Some(what),
            what = services.failed() => break Some(what),
            requester = tarsy_service::requested(&mut hangups, &mut requests) => requester,
        };
        tokio::select! {
            _ = stops.next() => break None,
            () = reload::run(&place, options, (requester, &running.url), &mut parts, &mut services) => {}
        }
    };
    output::remark(
        &style("stopping; unfinished sessions resume at the next start").dim().to_string(),
    );
    home.delete_running();
    let services_ended = services.stop(GRACE).await;
    parts.stop().await;
    ended(failed, services_ended, &home)
}

/// What the end of everything means.
fn ended(
    failed: Option<&str>,
    services: anyhow::Result<()>,
    home: &Home,
) -> anyhow::Result<ExitCode> {
    match (failed, services) {
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

/// Refuses an address that cannot be listened on before anything is started.
fn check_port(address: SocketAddr) -> anyhow::Result<()> {
    let change = "choose another with --port and --host, or TARSY_HTTP_ADDR";
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            anyhow::bail!(
                "port {} is taken: another program listens on {address}; stop it, or {change}",
                address.port()
            )
        }
        Err(error) => {
            Err(error).with_context(|| format!("could not listen on {address}; {change}"))
        }
    }
}

/// Starts the services; stops the parts if they do not start.
async fn start_or_stop(
    place: &Place<'_>,
    options: &Options,
    settings: &Settings,
    parts: &mut Parts,
    progress: &Progress,
) -> anyhow::Result<services::Services> {
    let started = Box::pin(start(place, options, settings, parts, progress)).await;
    if started.is_err() {
        progress.abandon();
        parts.stop().await;
    } else {
        progress.finish();
    }
    started
}

async fn start(
    place: &Place<'_>,
    options: &Options,
    settings: &Settings,
    parts: &Parts,
    progress: &Progress,
) -> anyhow::Result<services::Services> {
    progress.step("migrating the database");
    let store = tarsy_store::Store::connect(&parts.running().database_url, 2).await?;
    store.migrate().await?;
    store.set_audit_retention(place.audit_retention_days).await?;
    store.close();
    let (home, address) = (place.home, place.address);
    let token = settings.local_token.clone().or_else(tarsy_store::secret::random_text);
    home.write_local_token(&token.context("the system has no randomness")?)?;
    let environment = environment(place, options, settings, parts)?;
    progress.step("provisioning NATS");
    tarsy_service::provision(&Settings::from_map(environment.clone())?).await?;
    if options.split {
        progress.step("starting the services, one process each");
        let split = services::Split { address, orchestrators: options.orchestrators };
        services::split(home, &environment, parts.private_variables(), split).await
    } else {
        progress.step("starting the services");
        services::together(home, &environment, address).await
    }
}

/// The address for people. `localhost` is 127.0.0.1 alone on machines whose list of hosts has no other.
fn url(host: IpAddr, port: u16) -> String {
    if host.is_unspecified() || host == IpAddr::V4(Ipv4Addr::LOCALHOST) {
        return format!("http://localhost:{port}");
    }
    format!("http://{}", SocketAddr::new(host, port))
}

/// How this program is called from here.
fn program() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let program = std::env::current_exe().unwrap_or_default();
    program.strip_prefix(&here).unwrap_or(&program).display().to_string()
}

fn print_json(home: &Home, running: &Running, llm: &str) -> anyhow::Result<()> {
    let processes: BTreeMap<&str, u32> =
        running.processes.iter().map(|(name, pid)| (name.as_str(), *pid)).collect();
    output::json_line(&json!({
        "url": running.url,
        "home": home.at(""),
        "llm": llm,
        "processes": processes,
    }))
}

fn print_facts(home: &Home, running: &Running, services: &services::Services, llm: &str) {
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
    line("demo", &format!("{} demo", program()));
    line("try", &format!("{} submit --example host --follow", program()));
    line("stop", "Ctrl-C");
    output::line("");
}

/// The token of this start, where it counts.
fn token_of(home: &Home, catalog: &Catalog) -> Option<String> {
    let is_local = catalog.system.access.mode == AccessMode::Local;
    home::local_token(&home.at("")).filter(|_| is_local)
}

/// Prints where the dashboard is: with the token on a terminal only, because a log is read by others, too.
fn print_address(url: &str, token: Option<String>) {
    let ready = |address: &str| {
        output::line(&format!("TARSy is ready: {}", style(address).green().bold()));
    };
    match token {
        None => ready(url),
        Some(token) if std::io::stdout().is_terminal() => {
            ready(&local_token::address(url, Some(&token)));
        }
        Some(_) => {
            output::line(&format!(
                "to approve, cancel, review and configure in a browser, open the address that `{} open` prints",
                program()
            ));
            ready(url);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_leads_to_what_listens() {
        for (host, shown) in [
            ("127.0.0.1", "http://localhost:8080"),
            ("0.0.0.0", "http://localhost:8080"),
            ("::", "http://localhost:8080"),
            ("::1", "http://[::1]:8080"),
            ("127.0.0.2", "http://127.0.0.2:8080"),
            ("2001:db8::7", "http://[2001:db8::7]:8080"),
        ] {
            assert_eq!(url(host.parse().unwrap(), 8080), shown);
        }
    }
}
