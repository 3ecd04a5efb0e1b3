//! A nats-server for one test.

mod cluster;

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_embedded::{Nats, NatsOptions};
use tempfile::TempDir;

use crate::connection::connect_bus;
use crate::disk::SmallDisk;
use crate::selection::{ServerSource, source};

pub use self::cluster::TestNatsCluster;

/// A nats-server with JetStream that this test has for itself, unless `TARSY_TEST_NATS_URL` names one for all.
#[derive(Debug)]
pub struct TestNats {
    url: String,
    server: Option<Nats>,
    folder: Option<TempDir>,
    disk: Option<SmallDisk>,
    #[cfg(feature = "containers")]
    container: Option<Box<crate::containers::ContainerServer>>,
}

impl TestNats {
    /// Takes the server of the environment, or starts one in Docker or embedded.
    pub async fn start() -> anyhow::Result<Self> {
        match source("TARSY_TEST_NATS_URL").await {
            ServerSource::Url(url) => Ok(Self::at(url)),
            #[cfg(feature = "containers")]
            ServerSource::Container => {
                let container = Box::new(Box::pin(crate::containers::nats()).await?);
                let mut nats = Self::at(container.url.clone());
                nats.container = Some(container);
                Ok(nats)
            }
            _ => Self::dedicated().await,
        }
    }

    /// Starts an embedded server, which the test may stop, kill, pause and restart.
    pub async fn dedicated() -> anyhow::Result<Self> {
        Self::dedicated_in(new_folder()?, None).await
    }

    /// The same with users and accounts, as text of the configuration.
    pub async fn with_access(access: String) -> anyhow::Result<Self> {
        Self::dedicated_in(new_folder()?, Some(access)).await
    }

    /// The same with a small disk, which the test may fill.
    pub async fn on_small_disk() -> anyhow::Result<Self> {
        let folder = new_folder()?;
        let disk = SmallDisk::new(folder.path().join("store"))?;
        let mut nats = Self::dedicated_in(folder, None).await?;
        nats.disk = Some(disk);
        Ok(nats)
    }

    async fn dedicated_in(folder: TempDir, access: Option<String>) -> anyhow::Result<Self> {
        let server = Nats::start(NatsOptions {
            program: crate::programs()?.nats_server,
            folder: folder.path().to_owned(),
            port: None,
            durable: false,
            access,
            member: None,
            temporary: true,
        })
        .await?;
        let mut nats = Self::at(server.url());
        (nats.server, nats.folder) = (Some(server), Some(folder));
        Ok(nats)
    }

    fn at(url: String) -> Self {
        Self {
            url,
            server: None,
            folder: None,
            disk: None,
            #[cfg(feature = "containers")]
            container: None,
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Connects to the server, and waits until the connection is open.
    pub async fn connect(&self, service: &'static str, instance: &str) -> anyhow::Result<Bus> {
        connect_bus(&self.url, service, instance).await
    }

    /// Uses up the space of the small disk.
    pub fn fill_disk(&self) -> anyhow::Result<()> {
        self.disk.as_ref().context("only `TestNats::on_small_disk` has one")?.fill()
    }

    /// Gives the space of the small disk back.
    pub fn free_disk(&self) -> anyhow::Result<()> {
        self.disk.as_ref().context("only `TestNats::on_small_disk` has one")?.free()
    }

    /// The server itself; fails unless it is embedded.
    pub fn server(&mut self) -> anyhow::Result<&mut Nats> {
        self.server.as_mut().context("only `TestNats::dedicated` may be stopped")
    }
}

impl Drop for TestNats {
    fn drop(&mut self) {
        let runs = self.server.as_ref().is_some_and(|server| server.pid().is_some());
        // A mount would be in the way.
        self.disk.take();
        crate::remove_folder(self.folder.take(), runs);
    }
}

fn new_folder() -> std::io::Result<TempDir> {
    crate::scratch::scratch_folder("tarsy-nats-")
}
