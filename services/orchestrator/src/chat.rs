//! Questions about finished sessions as leased work. A question has the session's lease; its end
//! leaves the session as it is.

use tarsy_domain::id::SessionId;
use tarsy_domain::status::WorkStatus;
use tarsy_service::{Lease, LeaseState, LeaseTerms, LeasedWork};
use tarsy_store::{ChatClaim, ChatEnd, Error as StoreError};
use tracing::Span;

use crate::engine::{self, Context, Services};
use crate::journal::{StopReason, ends_work};
use crate::metrics;
use crate::session_lease::SessionLeases;

/// Attempts on one question before it fails.
const MAX_ATTEMPTS: i32 = 5;

/// Questions that wait for an answer, or whose owner is lost.
pub(crate) struct Questions {
    pub(crate) leases: SessionLeases,
    pub(crate) services: Services,
}

impl LeasedWork for Questions {
    type Claim = ChatClaim;

    const NAME: &'static str = "chat";

    async fn claim(&self) -> Result<Option<ChatClaim>, StoreError> {
        self.leases.store.claim_chat(&self.leases.owner, self.leases.duration()).await
    }

    fn session_id(&self, claim: &ChatClaim) -> SessionId {
        claim.fence.session_id
    }

    fn terms(&self, claim: &ChatClaim) -> LeaseTerms {
        self.leases.terms(&claim.session, claim.elapsed)
    }

    fn span(&self, claim: &ChatClaim) -> Span {
        let (session, stage, epoch) = (claim.fence.session_id, claim.stage.id, claim.fence.epoch);
        let span = tracing::info_span!("chat", session.id = %session, stage.id = %stage, epoch);
        tarsy_telemetry::set_parent(&span, claim.session.traceparent.as_deref());
        span
    }

    async fn renew(&self, claim: &ChatClaim) -> Result<LeaseState, StoreError> {
        self.leases.renew(claim.fence).await
    }

    async fn run(&self, claim: &ChatClaim, lease: &Lease) -> Result<(), StopReason> {
        let journal = self.leases.journal(claim.fence, lease);
        let ctx = Context::new(journal, self.services.clone());
        tracing::info!(attempt = claim.attempts, resumed = claim.resumed, "question claimed");
        let pending = ctx.pending_summaries.clone();
        let work = async {
            ctx.journal.publish(claim.events.clone());
            let end = match answer(&ctx, claim).await {
                Err(reason) if ends_work(reason) => stopped(reason),
                ended => ended?,
            };
            self.finish(&ctx, claim, end).await
        };
        Box::pin(self.leases.with_snapshots(&ctx.journal, move || pending.count(), Box::pin(work)))
            .await
    }

    async fn release(&self, claim: &ChatClaim) -> Result<(), StoreError> {
        self.leases.store.release_lease(claim.fence).await
    }

    async fn suspend(&self, claim: &ChatClaim) -> Result<(), StoreError> {
        self.leases.suspend(claim.fence, &claim.session, claim.stage.started_at).await
    }
}

impl Questions {
    /// Writes the end of the question: the one place where questions end.
    async fn finish(
        &self,
        ctx: &Context,
        claim: &ChatClaim,
        end: ChatEnd,
    ) -> Result<(), StopReason> {
        let written = ctx.journal.write(|store, fence| store.finish_chat(fence, end.clone())).await;
        // The store ends a question whose cancel was accepted as cancelled.
        let stages = ctx.journal.read(|store| store.list_stages(claim.fence.session_id)).await?;
        let stage = stages.into_iter().find(|stage| stage.id == claim.stage.id);
        let status = stage.map_or(end.status, |stage| stage.status);
        match written {
            // The end invalidates the fence, also for a second attempt after a lost answer.
            Err(StopReason::Fenced) if status == end.status || status == WorkStatus::Cancelled => {}
            written => written?,
        }
        metrics::chat_finished(status, claim.elapsed + ctx.journal.held_for());
        tracing::info!(status = status.as_str(), "the question is finished");
        Ok(())
    }
}

async fn answer(ctx: &Context, claim: &ChatClaim) -> Result<ChatEnd, StopReason> {
    if claim.cancel_requested {
        engine::abandon_open_calls(ctx).await.and(Err(StopReason::Cancelled))
    } else if claim.attempts > MAX_ATTEMPTS {
        engine::abandon_open_calls(ctx).await.map(|()| ChatEnd {
            status: WorkStatus::Failed,
            error: Some(format!("failed after {MAX_ATTEMPTS} attempts")),
        })
    } else {
        engine::answer(ctx, claim).await
    }
}

/// The end of a question that was cancelled or ran out of time.
fn stopped(reason: StopReason) -> ChatEnd {
    if reason == StopReason::TimedOut {
        let error = Some("the question ran out of time".to_owned());
        ChatEnd { status: WorkStatus::TimedOut, error }
    } else {
        ChatEnd { status: WorkStatus::Cancelled, error: None }
    }
}
