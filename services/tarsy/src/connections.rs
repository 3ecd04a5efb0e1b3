//! The command line's connections to the bus and the database, for what the API does not serve.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_bus::{Bus, BusOptions};
use tarsy_contracts::permissions;
use tarsy_service::Settings;
use tarsy_store::Store;
use url::Url;

use crate::home;

/// How long connecting to NATS may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Connects to the NATS that the environment names, or else to that of the all-in-one on the folder.
pub(crate) async fn bus(home: &Path) -> anyhow::Result<Bus> {
    let settings = Settings::from_env().context("an environment variable is invalid")?;
    let named = settings.environment().contains_key("NATS_URL");
    let running = home::running(home).map(|running| running.nats_url).filter(|_| !named);
    let url = running.unwrap_or(settings.nats_url);
    let (place, service) = (place(&url), service(&url));
    let bus = Bus::connect(BusOptions {
        url,
        service,
        instance: format!("cli-{}", std::process::id()),
        security: settings.nats_security,
        replicas: settings.nats_replicas,
    })
    .await?;
    let mut connection = bus.connection();
    let connected =
        tokio::time::timeout(CONNECT, connection.wait_for(|state| state.connected)).await;
    if connected.is_ok_and(|link| link.is_ok()) {
        return Ok(bus);
    }
    let problem = bus.find_obstacle().await.map(|problem| format!(": {problem}"));
    anyhow::bail!(
        "NATS at {place} cannot be reached{}; `tarsy up` starts everything on this machine, and NATS_URL \
         names the one of an installation",
        problem.unwrap_or_default()
    );
}

/// [`bus`], unless neither the environment nor an all-in-one names a NATS.
pub(crate) async fn configured_bus(home: &Path) -> anyhow::Result<Option<Bus>> {
    let named = Settings::from_env()?.environment().contains_key("NATS_URL");
    if named || home::running(home).is_some() { Ok(Some(bus(home).await?)) } else { Ok(None) }
}

/// Connects to the PostgreSQL that the environment names, or else to that of the all-in-one.
pub(crate) async fn store(home: &Path) -> anyhow::Result<Store> {
    let url = database_url(home)?;
    Store::connect(&url, 2).await.context("could not connect to PostgreSQL")
}

/// The PostgreSQL that the environment names, or else that of the all-in-one.
pub(crate) fn database_url(home: &Path) -> anyhow::Result<String> {
    let settings = Settings::from_env().context("an environment variable is invalid")?;
    let url = match home::running(home) {
        Some(running) if settings.database_url.is_empty() => running.database_url,
        _ => settings.database_url,
    };
    anyhow::ensure!(
        !url.is_empty(),
        "no TARSy runs on {}, and DATABASE_URL is not set; write for example \
         postgres://tarsy:password@localhost/tarsy",
        home.display()
    );
    Ok(url)
}

/// Whose answers are read: a user of NATS reads its own alone. In the container of a service that is the service.
fn service(url: &str) -> &'static str {
    let first = url.split(',').next().unwrap_or_default();
    let parsed = Url::parse(first.trim()).ok();
    parsed.and_then(|url| permissions::user(url.username())).unwrap_or(&permissions::CLI).name
}

/// An address without its credentials.
fn place(url: &str) -> String {
    let hosts = url.split(',').map(|one| {
        let parsed = Url::parse(one.trim()).ok();
        let host = parsed.as_ref().and_then(Url::host_str).unwrap_or("?").to_owned();
        let port = parsed.as_ref().and_then(Url::port).unwrap_or(4222);
        format!("{host}:{port}")
    });
    hosts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{place, service};

    #[test]
    fn an_address_is_printed_without_its_password() {
        assert_eq!(place("nats://u:secret@a:4333,nats://b"), "a:4333, b:4222");
    }

    #[test]
    fn answers_arrive_where_the_user_may_read_them() {
        assert_eq!(service("nats://api-gateway:secret@a,nats://b"), "api-gateway");
        assert_eq!(service("nats://somebody@a"), "cli");
        assert_eq!(service("nats://a"), "cli");
    }
}
