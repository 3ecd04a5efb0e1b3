//! Losing the packets between services and the servers behind them, or the servers with all that they have.

use std::time::Duration;

use anyhow::Context as _;
use tarsy_testkit::TestLink;

use super::links::Backend;
use super::servers::{Content, Servers};
use super::{START, Stack, StackOptions};
use crate::network::TestNetwork;

impl Stack {
    /// Kills every process, and starts empty servers in the place of PostgreSQL and NATS. Services wait for
    /// [`Stack::launch_all`].
    pub async fn lose_servers(&mut self, options: &StackOptions) -> anyhow::Result<()> {
        anyhow::ensure!(self.access.is_none() && self.links.is_empty(), "URLs are not replaced");
        for name in self.pids().into_iter().map(|(name, _)| name) {
            self.kill(&name).await?;
        }
        let folder = self.path("after-the-loss");
        std::fs::create_dir(&folder)?;
        self.servers = Servers::start(&folder, options, None, Content::Nothing).await?;
        let urls = [("DATABASE_URL", self.database_url()), ("NATS_URL", self.nats_url())];
        for spec in self.specs.values_mut() {
            for (name, value) in &mut spec.env {
                if let Some((_, url)) = urls.iter().find(|(variable, _)| *variable == name.as_str())
                {
                    value.clone_from(url);
                }
            }
        }
        Ok(())
    }

    /// Starts every service, and waits until they serve.
    pub async fn launch_all(&mut self) -> anyhow::Result<()> {
        for name in self.specs.keys().cloned().collect::<Vec<_>>() {
            self.launch(&name).await?;
        }
        self.is_ready(START).await
    }

    /// Loses every packet between all services and a server from now on.
    pub fn lose(&self, backend: Backend) {
        self.links.values().for_each(|links| links.to(backend).lose());
    }

    /// Serves new connections of all services to a server again.
    pub fn restore(&self, backend: Backend) {
        self.links.values().for_each(|links| links.to(backend).restore());
    }

    /// Delays every packet between all services and a server, in each direction.
    pub fn delay(&self, backend: Backend, delay: Duration) {
        self.links.values().for_each(|links| links.to(backend).delay(delay));
    }

    /// The link between one service and a server.
    pub fn link(&self, service: &str, backend: Backend) -> anyhow::Result<&TestLink> {
        let links = self.links.get(service);
        Ok(links.with_context(|| format!("{service} has no links"))?.to(backend))
    }

    /// The namespace between all services and PostgreSQL, if there is one.
    pub fn network(&self) -> Option<&TestNetwork> {
        self.network.as_ref()
    }
}
