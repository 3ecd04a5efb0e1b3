//! What the parts of a prose work with.

use async_trait::async_trait;
use tarsy_service::Lease;
use tarsy_store::{NewLlmInteraction, ProseClaim};

use crate::asking::Asking;
use crate::engine::Services;
use crate::journal::StopReason;
use crate::session_lease::SessionLeases;

/// Requests that wait, or whose owner is lost.
pub(crate) struct Proses {
    pub(crate) leases: SessionLeases,
    pub(crate) services: Services,
}

/// One request in work.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) proses: &'a Proses,
    pub(super) claim: &'a ProseClaim,
    pub(super) lease: &'a Lease,
}

#[async_trait]
impl Asking for Work<'_> {
    fn lease(&self) -> &Lease {
        self.lease
    }

    fn services(&self) -> &Services {
        &self.proses.services
    }

    async fn store_call(&self, call: NewLlmInteraction) -> Result<(), StopReason> {
        let Work { proses, claim, lease } = self;
        let add = || proses.leases.store.add_prose_call(claim.fence, call.clone());
        proses.leases.publisher.publish(lease.write(add).await?);
        Ok(())
    }
}
