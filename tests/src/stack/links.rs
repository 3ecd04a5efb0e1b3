//! The links between each service and the two servers behind it.

use anyhow::Context as _;
use tarsy_testkit::TestLink;

use super::Stack;
use crate::network::TestNetwork;

/// A server that services connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Postgres,
    Nats,
}

/// What one service connects through.
#[derive(Debug)]
pub(super) struct ServiceLinks {
    postgres: TestLink,
    nats: TestLink,
}

impl ServiceLinks {
    /// Links to the servers of these URLs; that to PostgreSQL leads through the network, if there is one.
    pub(super) async fn new(
        postgres: &str,
        nats: &str,
        network: Option<&TestNetwork>,
    ) -> anyhow::Result<Self> {
        let postgres = match network {
            Some(network) => TestLink::on(network.listener()?, postgres).await?,
            None => TestLink::to(postgres).await?,
        };
        Ok(Self { postgres, nats: TestLink::to(nats).await? })
    }

    pub(super) fn to(&self, backend: Backend) -> &TestLink {
        match backend {
            Backend::Postgres => &self.postgres,
            Backend::Nats => &self.nats,
        }
    }
}

impl Stack {
    /// Loses every packet between all services and a server from now on.
    pub fn lose(&self, backend: Backend) {
        self.links.values().for_each(|links| links.to(backend).lose());
    }

    /// Serves new connections of all services to a server again.
    pub fn restore(&self, backend: Backend) {
        self.links.values().for_each(|links| links.to(backend).restore());
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
