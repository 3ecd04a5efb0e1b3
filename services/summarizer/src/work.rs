//! Summaries as leased work.

use std::time::{Duration, Instant};

use tarsy_contracts::subject;
use tarsy_contracts::work::SummaryFinished;
use tarsy_domain::id::SessionId;
use tarsy_service::{Lease, LeaseState, LeaseTerms, LeasedWork, StopReason};
use tarsy_store::{Error as StoreError, SummaryClaim, SummaryFence};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use crate::context::Context;
use crate::metrics::{self, RunningGuard};
use crate::summary;

/// How long the text of a cancelled summary can still be requested.
const SNAPSHOT_TIME: Duration = Duration::from_secs(2);
/// Renewals within the time of a lease: lost ones must not cost it.
const RENEWALS: u32 = 4;

pub(crate) struct Summaries(pub(crate) Context);

impl Summaries {
    /// Makes the summary and serves its text to late viewers meanwhile.
    async fn make(&self, claim: &SummaryClaim, lease: &Lease) -> Result<&'static str, StopReason> {
        let (session, done) = (claim.fence.session_id, CancellationToken::new());
        let make = async {
            let made = tokio::select! {
                biased;
                reason = after_stop(lease) => Err(reason),
                made = summary::make(&self.0, claim, lease) => made,
            };
            done.cancel();
            made
        };
        let subject = subject::live_summaries(session);
        let snapshots = self.0.live.serve_snapshots(subject, session, || 0, &done);
        tokio::join!(make, snapshots).0
    }

    async fn notify_owner(&self, fence: SummaryFence) {
        let subject = subject::summary_finished(fence.summary_id);
        if let Err(error) = self.0.bus.publish(subject, &SummaryFinished {}).await {
            let error = tarsy_telemetry::chain(&error);
            tracing::debug!(%error, "the session's owner finds the row by polling");
        }
    }
}

impl LeasedWork for Summaries {
    type Claim = SummaryClaim;
    const NAME: &'static str = "summary";

    async fn claim(&self) -> Result<Option<SummaryClaim>, StoreError> {
        self.0.store.claim_summary(self.0.bus.instance(), self.0.lease).await
    }

    fn session_id(&self, claim: &SummaryClaim) -> SessionId {
        claim.fence.session_id
    }

    fn terms(&self, _: &SummaryClaim) -> LeaseTerms {
        LeaseTerms { renew_every: Some(self.0.lease / RENEWALS), time_left: self.0.time_limit }
    }

    fn span(&self, claim: &SummaryClaim) -> Span {
        let SummaryFence { summary_id, session_id, epoch } = claim.fence;
        let span = tracing::info_span!("summary", session.id = %session_id, summary.id = %summary_id, epoch);
        tarsy_telemetry::set_parent(&span, claim.traceparent.as_deref());
        span
    }

    async fn renew(&self, claim: &SummaryClaim) -> Result<LeaseState, StoreError> {
        let cancelled = self.0.store.renew_summary(claim.fence, self.0.lease).await?;
        Ok(if cancelled { LeaseState::CancelRequested } else { LeaseState::Held })
    }

    async fn run(&self, claim: &SummaryClaim, lease: &Lease) -> Result<(), StopReason> {
        let (started, _running) = (Instant::now(), RunningGuard::new());
        let made = self.make(claim, lease).await;
        if made.is_ok() {
            self.notify_owner(claim.fence).await;
        }
        let outcome = match made {
            Ok(outcome) => outcome,
            Err(StopReason::Shutdown) => "released",
            Err(_) => "dropped",
        };
        metrics::finished(outcome, started.elapsed());
        tracing::info!(outcome, "summary ended");
        made.map(drop)
    }

    async fn release(&self, claim: &SummaryClaim) -> Result<(), StoreError> {
        self.0.store.release_summary(claim.fence).await
    }
}

/// Waits for a stop. Except at shutdown it waits some time more: the session's owner, which is cancelled
/// at the same time, requests the text so far.
async fn after_stop(lease: &Lease) -> StopReason {
    let reason = lease.signal().stopped().await;
    if reason != StopReason::Shutdown {
        sleep(SNAPSHOT_TIME).await;
    }
    reason
}
