//! A service in this process that can end as `kill -9` ends one.

use tokio::runtime::Runtime;

use crate::wait::WAIT;

#[derive(Debug)]
pub struct KillableService(Runtime);

impl KillableService {
    /// Runs `start`, and everything that it spawns, on the service's own runtime; returns when it has started.
    pub async fn start(start: impl Future<Output = ()> + Send + 'static) -> anyhow::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.spawn(start).await?;
        Ok(Self(runtime))
    }

    /// Ends every task of the service at its next `await`; no shutdown code runs.
    pub async fn kill(self) -> anyhow::Result<()> {
        Ok(tokio::task::spawn_blocking(move || self.0.shutdown_timeout(WAIT)).await?)
    }
}
