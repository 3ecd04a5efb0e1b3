//! Losing the packets between services and the servers behind them.

use std::time::Duration;

use anyhow::Context as _;
use tarsy_testkit::TestLink;

use super::Stack;
use super::links::Backend;
use crate::network::TestNetwork;

impl Stack {
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
