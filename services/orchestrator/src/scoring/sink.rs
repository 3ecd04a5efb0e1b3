//! Stores the attempts of a score's calls; nobody watches the text while it is written.

use async_trait::async_trait;
use tarsy_catalog::ResolvedProvider;
use tarsy_llm::{Admission, Attempt, Chunk, FailedAttempt, Flow, ProviderSwitch, Sink};

use crate::engine::{AttemptError, CallRecord, wait_in_line};
use crate::journal::StopReason;
use crate::metrics;
use crate::scoring::work::Work;

pub(super) struct ScoreSink<'a> {
    pub(super) work: Work<'a>,
    pub(super) record: CallRecord,
    /// How many providers have been replaced.
    pub(super) switches: usize,
}

impl ScoreSink<'_> {
    /// Records an attempt whose answer is not used. Its usage counts, whatever becomes of this process.
    pub(super) async fn store_failure(
        &self,
        attempt: &Attempt<'_>,
        error: AttemptError,
    ) -> Result<(), StopReason> {
        let Work { scores, claim, lease } = self.work;
        let call = self.record.failed_call(attempt, error);
        let add = || scores.leases.store.add_score_usage(claim.fence, call.clone());
        scores.leases.publisher.publish(lease.write(add).await?);
        Ok(())
    }

    /// Records an attempt that was running when the work stopped. Returns the reason to stop with.
    pub(super) async fn store_stop(
        &self,
        reason: StopReason,
        attempt: Option<Attempt<'_>>,
    ) -> StopReason {
        let (Some(attempt), Some(error)) = (attempt, AttemptError::of_stop(reason)) else {
            return reason;
        };
        self.store_failure(&attempt, error).await.err().unwrap_or(reason)
    }
}

#[async_trait]
impl Sink for ScoreSink<'_> {
    type Error = StopReason;

    async fn admit(&mut self, provider: &ResolvedProvider) -> Result<Admission, StopReason> {
        let Work { scores, lease, .. } = self.work;
        let behind = |calls: u32| {
            tracing::info!(provider = provider.name, calls, "the score waits in line");
            std::future::ready(())
        };
        wait_in_line((&scores.services.queue, lease), provider, behind).await
    }

    async fn chunk(&mut self, _chunk: &Chunk) -> Result<Flow, StopReason> {
        Ok(Flow::Continue)
    }

    async fn attempt_failed(&mut self, failed: &FailedAttempt<'_>) -> Result<(), StopReason> {
        self.store_failure(&failed.attempt, AttemptError::of(failed)).await
    }

    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), StopReason> {
        self.switches += 1;
        metrics::provider_fallback();
        let (from, to) = (&switch.from.name, &switch.to.name);
        tracing::warn!(from, to, reason = switch.reason(), "another provider judges");
        Ok(())
    }
}
