//! PostgreSQL and NATS in Docker, through testcontainers.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use testcontainers::core::client::docker_client_instance;
use testcontainers::core::{IntoContainerPort as _, WaitFor};
use testcontainers::runners::AsyncRunner as _;
use testcontainers::{ContainerAsync, GenericImage, ImageExt as _};
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// The versions of `compose/compose.yaml`.
const POSTGRES_TAG: &str = "17";
const NATS_TAG: &str = "2.12-alpine";
const POSTGRES_PORT: u16 = 5432;
const NATS_PORT: u16 = 4222;
/// An engine on this machine answers a ping in milliseconds.
const PING_TIMEOUT: Duration = Duration::from_secs(3);
/// Includes the download of an image.
const STARTUP_TIMEOUT: Duration = Duration::from_mins(5);
/// Statics are not dropped at the end of a test binary, so PostgreSQL ends itself after this many seconds.
const POSTGRES_LIFETIME: &str = "3600";

const NO_ENGINE: &str = "no container engine answers: the tests use embedded servers";

/// A server in a container; it is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ContainerServer {
    pub(crate) url: String,
    _container: ContainerAsync<GenericImage>,
}

/// Whether an engine answers; asked once for each test binary, which says that none does.
pub(crate) async fn is_engine_ready() -> bool {
    static READY: OnceCell<bool> = OnceCell::const_new();
    let probe = async || {
        let ping = async { anyhow::Ok(docker_client_instance().await?.ping().await?) };
        let is_ready = matches!(timeout(PING_TIMEOUT, ping).await, Ok(Ok(_)));
        if !is_ready {
            // Past the capture of the test harness, which shows it of failed tests alone.
            let _ = writeln!(std::io::stderr(), "{NO_ENGINE}");
        }
        is_ready
    };
    *READY.get_or_init(probe).await
}

/// Starts PostgreSQL; the URL names its maintenance database.
pub(crate) async fn postgres() -> anyhow::Result<ContainerServer> {
    // The image starts the server twice: for its setup, and for good.
    let ready = WaitFor::message_on_stderr("database system is ready to accept connections");
    let server =
        ["timeout", POSTGRES_LIFETIME, "docker-entrypoint.sh", "postgres", "-c", "fsync=off"];
    let container = GenericImage::new("postgres", POSTGRES_TAG)
        .with_exposed_port(POSTGRES_PORT.tcp())
        .with_wait_for(WaitFor::message_on_stdout("PostgreSQL init process complete"))
        .with_wait_for(ready)
        .with_env_var("POSTGRES_HOST_AUTH_METHOD", "trust")
        .with_cmd(server)
        .with_startup_timeout(STARTUP_TIMEOUT)
        .with_host_config_modifier(|config| config.auto_remove = Some(true))
        .start()
        .await
        .context("Docker could not start PostgreSQL")?;
    let authority = authority(&container, POSTGRES_PORT).await?;
    let url = format!("postgres://postgres@{authority}/postgres");
    Ok(ContainerServer { url, _container: container })
}

/// Starts a nats-server with JetStream.
pub(crate) async fn nats() -> anyhow::Result<ContainerServer> {
    let container = GenericImage::new("nats", NATS_TAG)
        .with_exposed_port(NATS_PORT.tcp())
        .with_wait_for(WaitFor::message_on_stderr("Server is ready"))
        .with_cmd(["--jetstream"])
        .with_startup_timeout(STARTUP_TIMEOUT)
        .start()
        .await
        .context("Docker could not start nats-server")?;
    let url = format!("nats://{}", authority(&container, NATS_PORT).await?);
    Ok(ContainerServer { url, _container: container })
}

async fn authority(container: &ContainerAsync<GenericImage>, port: u16) -> anyhow::Result<String> {
    let host = container.get_host().await?;
    Ok(format!("{host}:{}", container.get_host_port_ipv4(port).await?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::{ServerSource, source};
    use crate::{TestNats, TestPg};

    /// `required` where an engine must answer, as in the workflow job that is about it.
    const ENGINE: &str = "TARSY_TEST_ENGINE";

    #[tokio::test]
    async fn an_engine_that_answers_runs_both_servers() {
        if !is_engine_ready().await {
            assert_ne!(crate::variable(ENGINE).as_deref(), Some("required"), "{NO_ENGINE}");
            return;
        }
        assert_eq!(source("TARSY_TEST_NO_SUCH_VARIABLE").await, ServerSource::Container);
        let postgres = TestPg::migrated().await.unwrap();
        postgres.execute("select count(*) from alert_sessions").await.unwrap();
        let nats = TestNats::start().await.unwrap();
        nats.connect("test", "one").await.unwrap();
    }
}
