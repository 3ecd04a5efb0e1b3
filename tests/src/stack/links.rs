//! The links between each service and the two servers behind it.

use tarsy_testkit::TestLink;

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
