//! What the parts of a score work with.

use async_trait::async_trait;
use tarsy_service::Lease;
use tarsy_store::{NewLlmInteraction, ScoreClaim};

use crate::asking::Asking;
use crate::engine::Services;
use crate::journal::StopReason;
use crate::session_lease::SessionLeases;

/// Scores that wait, or whose owner is lost.
pub(crate) struct Scores {
    pub(crate) leases: SessionLeases,
    pub(crate) services: Services,
}

#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) scores: &'a Scores,
    pub(super) claim: &'a ScoreClaim,
    pub(super) lease: &'a Lease,
}

#[async_trait]
impl Asking for Work<'_> {
    fn lease(&self) -> &Lease {
        self.lease
    }

    fn services(&self) -> &Services {
        &self.scores.services
    }

    async fn store_call(&self, call: NewLlmInteraction) -> Result<(), StopReason> {
        let Work { scores, claim, lease } = self;
        let add = || scores.leases.store.add_score_usage(claim.fence, call.clone());
        scores.leases.publisher.publish(lease.write(add).await?);
        Ok(())
    }
}
