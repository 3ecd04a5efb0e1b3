//! Scores as leased work of their own: they begin after a session has ended, and hold no place of a session.

mod answer;
mod judge;
mod work;

use serde::Deserialize as _;
use tarsy_catalog::ResolvedScoring;
use tarsy_contracts::live::LiveBody;
use tarsy_domain::id::SessionId;
use tarsy_domain::score::{ScoreFailure, ScoreStatus};
use tarsy_service::{Lease, LeaseState, LeaseTerms, LeasedWork};
use tarsy_store::{Error as StoreError, ScoreClaim, ScoreEnd};
use tracing::Span;

use crate::asking;
use crate::journal::StopReason;
use crate::metrics;
use crate::scoring::judge::{Ended, Judge, without_answer};
use crate::scoring::work::Work;

pub(crate) use crate::scoring::work::Scores;

/// Scores that one process makes at once: each is a call of a model, and nobody waits for it.
pub(crate) const CAPACITY: u32 = 2;

/// Questions that one score takes.
const QUESTIONS: u32 = 2;

/// A claim with who judges; none if what was stored cannot be read.
pub(crate) struct Claimed {
    claim: ScoreClaim,
    scoring: Option<ResolvedScoring>,
}

impl LeasedWork for Scores {
    type Claim = Claimed;

    const NAME: &'static str = "score";

    async fn claim(&self) -> Result<Option<Claimed>, StoreError> {
        let (owner, lease) = (&self.leases.owner, self.leases.duration());
        let claim = self.leases.store.claim_score(owner, lease).await?;
        Ok(claim.map(|claim| {
            let scoring = ResolvedScoring::deserialize(&claim.judge);
            let scoring = scoring.inspect_err(
                |error| tracing::error!(%error, "the request of a score cannot be read"),
            );
            Claimed { scoring: scoring.ok(), claim }
        }))
    }

    fn session_id(&self, claimed: &Claimed) -> SessionId {
        claimed.claim.fence.session_id
    }

    fn terms(&self, claimed: &Claimed) -> LeaseTerms {
        let answer_ms = claimed.scoring.as_ref().map_or(0, |scoring| scoring.iteration_timeout_ms);
        asking::terms(self.leases.duration(), QUESTIONS, answer_ms, claimed.claim.elapsed)
    }

    fn span(&self, claimed: &Claimed) -> Span {
        let fence = claimed.claim.fence;
        let (session, score, epoch) = (fence.session_id, fence.score_id, fence.epoch);
        let span = tracing::info_span!("score", session.id = %session, score.id = %score, epoch);
        tarsy_telemetry::set_parent(&span, claimed.claim.session.traceparent.as_deref());
        span
    }

    async fn renew(&self, claimed: &Claimed) -> Result<LeaseState, StoreError> {
        self.leases.store.renew_score(claimed.claim.fence, self.leases.duration()).await?;
        Ok(LeaseState::Held)
    }

    async fn run(&self, claimed: &Claimed, lease: &Lease) -> Result<(), StopReason> {
        let Claimed { claim, scoring } = claimed;
        tracing::info!(attempt = claim.attempts, resumed = claim.judgement.is_some(), "claimed");
        let work = Work { scores: self, claim, lease };
        let is_judged = claim.judgement.is_some();
        let ended = match scoring {
            None => Ok((without_answer(is_judged, ScoreFailure::Unreadable), None)),
            Some(scoring) => Box::pin(Judge::new(work, scoring).make()).await,
        };
        match ended {
            Ok(ended) => self.finish(work, ended).await,
            // What the first answer said is in the table, whether this owner asked for it or an earlier one.
            Err(StopReason::TimedOut) => {
                let judged = lease.read(|| self.leases.store.is_judged(claim.fence)).await?;
                self.finish(work, (without_answer(judged, ScoreFailure::TimedOut), None)).await
            }
            Err(reason) => Err(reason),
        }
    }

    async fn release(&self, claimed: &Claimed) -> Result<(), StoreError> {
        self.leases.store.release_score(claimed.claim.fence).await
    }
}

impl Scores {
    async fn finish(&self, work: Work<'_>, (end, call): Ended) -> Result<(), StopReason> {
        let Work { claim, lease, .. } = work;
        let (status, outcome) = match &end {
            ScoreEnd::Completed(_) => (ScoreStatus::Completed, "completed"),
            ScoreEnd::Failed(failure) => (ScoreStatus::Failed, failure.as_str()),
        };
        let finish = || self.leases.store.finish_score(claim.fence, end.clone(), call.clone());
        self.leases.publisher.publish(lease.write(finish).await?);
        let body = LiveBody::SessionScore { status };
        self.leases.live.publish_to_list(claim.fence.session_id, body).await;
        metrics::score(outcome, claim.elapsed + lease.held_for());
        tracing::info!(outcome, "scored");
        Ok(())
    }
}
