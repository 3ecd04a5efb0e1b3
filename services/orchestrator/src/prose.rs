//! The prose of postmortems as leased work: a model writes it after a person asked, from facts that are stored with the request.

mod answer;
mod work;
mod writer;

use serde::Deserialize as _;
use tarsy_catalog::ResolvedWriter;
use tarsy_contracts::postmortem::PostmortemFact;
use tarsy_domain::id::SessionId;
use tarsy_domain::postmortem::ProseFailure;
use tarsy_service::{Lease, LeaseState, LeaseTerms, LeasedWork};
use tarsy_store::{Error as StoreError, ProseClaim, ProseEnd};
use tracing::Span;

use crate::asking;
use crate::journal::StopReason;
use crate::metrics;
use crate::prose::work::Work;
use crate::prose::writer::{Ended, write};

pub(crate) use crate::prose::work::Proses;

/// Questions that one request takes.
const QUESTIONS: u32 = 1;

/// A claim with who writes, and from what; none if what was stored cannot be read.
pub(crate) struct Claimed {
    claim: ProseClaim,
    given: Option<(ResolvedWriter, Vec<PostmortemFact>)>,
}

impl LeasedWork for Proses {
    type Claim = Claimed;

    const NAME: &'static str = "prose";

    async fn claim(&self) -> Result<Option<Claimed>, StoreError> {
        let (owner, lease) = (&self.leases.owner, self.leases.duration());
        let claim = self.leases.store.claim_prose(owner, lease).await?;
        Ok(claim.map(|claim| {
            let writer = ResolvedWriter::deserialize(&claim.writer);
            let facts = Vec::<PostmortemFact>::deserialize(&claim.facts);
            let given = writer.and_then(|writer| Ok((writer, facts?)));
            let given = given.inspect_err(
                |error| tracing::error!(%error, "the request of a prose cannot be read"),
            );
            Claimed { given: given.ok(), claim }
        }))
    }

    fn session_id(&self, claimed: &Claimed) -> SessionId {
        claimed.claim.fence.session_id
    }

    fn terms(&self, claimed: &Claimed) -> LeaseTerms {
        let answer_ms = claimed.given.as_ref().map_or(0, |(writer, _)| writer.iteration_timeout_ms);
        asking::terms(self.leases.duration(), QUESTIONS, answer_ms, claimed.claim.elapsed)
    }

    fn span(&self, claimed: &Claimed) -> Span {
        let fence = claimed.claim.fence;
        let (session, epoch) = (fence.session_id, fence.epoch);
        let span = tracing::info_span!("prose", session.id = %session, epoch);
        tarsy_telemetry::set_parent(&span, claimed.claim.session.traceparent.as_deref());
        span
    }

    async fn renew(&self, claimed: &Claimed) -> Result<LeaseState, StoreError> {
        self.leases.store.renew_prose(claimed.claim.fence, self.leases.duration()).await?;
        Ok(LeaseState::Held)
    }

    async fn run(&self, claimed: &Claimed, lease: &Lease) -> Result<(), StopReason> {
        let Claimed { claim, given } = claimed;
        tracing::info!(attempt = claim.attempts, "claimed");
        let work = Work { proses: self, claim, lease };
        let failed = |why| (ProseEnd::Failed(why), None);
        let ended = match given {
            None => Ok(failed(ProseFailure::Unreadable)),
            Some((writer, facts)) => Box::pin(write(work, writer, facts)).await,
        };
        match ended {
            Ok(ended) => self.finish(work, ended).await,
            Err(StopReason::TimedOut) => self.finish(work, failed(ProseFailure::TimedOut)).await,
            Err(reason) => Err(reason),
        }
    }

    async fn release(&self, claimed: &Claimed) -> Result<(), StoreError> {
        self.leases.store.release_prose(claimed.claim.fence).await
    }
}

impl Proses {
    async fn finish(&self, work: Work<'_>, (end, call): Ended) -> Result<(), StopReason> {
        let Work { claim, lease, .. } = work;
        let outcome = match &end {
            ProseEnd::Completed(_) => "completed",
            ProseEnd::Failed(failure) => failure.as_str(),
        };
        let finish = || self.leases.store.finish_prose(claim.fence, end.clone(), call.clone());
        self.leases.publisher.publish(lease.write(finish).await?);
        metrics::prose(outcome);
        tracing::info!(outcome, "written");
        Ok(())
    }
}
