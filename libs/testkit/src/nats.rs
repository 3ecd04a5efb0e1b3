//! A nats-server for one test.

use tarsy_embedded::{Nats, NatsOptions};
use tempfile::TempDir;

/// A nats-server with JetStream that this test has for itself.
#[derive(Debug)]
pub struct TestNats {
    url: String,
    server: Option<Nats>,
    _folder: TempDir,
}

impl TestNats {
    /// Takes the server of the environment, or starts one.
    pub async fn start() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        if let Some(url) = crate::variable("TARSY_TEST_NATS_URL") {
            return Ok(Self { url, server: None, _folder: folder });
        }
        let server = Nats::start(NatsOptions {
            program: crate::programs()?.nats_server,
            folder: folder.path().join("nats"),
            port: None,
            durable: false,
        })
        .await?;
        Ok(Self { url: server.url(), server: Some(server), _folder: folder })
    }

    /// Where clients find it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The server itself, to stop, kill, pause and restart it.
    pub fn server(&mut self) -> anyhow::Result<&mut Nats> {
        self.server.as_mut().ok_or_else(|| {
            anyhow::anyhow!("TARSY_TEST_NATS_URL is set: outages need an own server")
        })
    }
}
