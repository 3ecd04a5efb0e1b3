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
        self.leases.terms(&claim.session, Some(claim.started_at))
    }

    fn span(&self, claim: &ChatClaim) -> Span {
        let (session, stage, epoch) = (claim.fence.session_id, claim.stage.id, claim.fence.epoch);
        tracing::info_span!("chat", session.id = %session, stage.id = %stage, epoch)
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
}

impl Questions {
    /// Writes the end of the question: the one place where questions end.
    async fn finish(
        &self,
        ctx: &Context,
        claim: &ChatClaim,
        mut end: ChatEnd,
    ) -> Result<(), StopReason> {
        // A cancel that came after the last step counts, too: its sender got that answer.
        if self.leases.is_cancel_requested(&ctx.journal).await {
            end = stopped(StopReason::Cancelled);
        }
        let status = end.status;
        match ctx.journal.write(|store, fence| store.finish_chat(fence, end.clone())).await {
            // The end invalidates the fence, also for a second attempt after a lost answer.
            Err(StopReason::Fenced) if has_ended_as(ctx, claim, status).await => {}
            written => written?,
        }
        metrics::chat_finished(status, self.leases.elapsed(Some(claim.started_at)));
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

async fn has_ended_as(ctx: &Context, claim: &ChatClaim, status: WorkStatus) -> bool {
    let stages = ctx.journal.store().list_stages(ctx.journal.session()).await;
    let mut stages = stages.unwrap_or_default().into_iter();
    stages.any(|stage| stage.id == claim.stage.id && stage.status == status)
}
