//! A nats-server for one test.

use tarsy_embedded::{Nats, NatsOptions};
use tempfile::TempDir;

/// A nats-server with JetStream that this test has for itself.
#[derive(Debug)]
pub struct TestNats {
    url: String,
    server: Option<Nats>,
    folder: Option<TempDir>,
}

impl TestNats {
    /// Takes the server of the environment, or starts one.
    pub async fn start() -> anyhow::Result<Self> {
        if let Some(url) = crate::variable("TARSY_TEST_NATS_URL") {
            return Ok(Self { url, server: None, folder: None });
        }
        let folder = tempfile::Builder::new().prefix("tarsy-nats-").tempdir()?;
        let server = Nats::start(NatsOptions {
            program: crate::programs()?.nats_server,
            folder: folder.path().to_owned(),
            port: None,
            durable: false,
            temporary: true,
        })
        .await?;
        Ok(Self { url: server.url(), server: Some(server), folder: Some(folder) })
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

impl Drop for TestNats {
    fn drop(&mut self) {
        let runs = self.server.as_ref().is_some_and(|server| server.pid().is_some());
        crate::let_go(self.folder.take(), runs);
    }
}
