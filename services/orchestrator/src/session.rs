//! Sessions as leased work: claims them, has the engine investigate, and writes their end.

use std::sync::Arc;

use tarsy_contracts::live::LiveBody;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_service::{Lease, LeaseState, LeaseTerms, LeasedWork};
use tarsy_store::{Claim, Error as StoreError, SessionEnd};
use tokio::sync::Notify;
use tracing::Span;

use crate::engine::{self, Context, Services};
use crate::journal::StopReason;
use crate::metrics;
use crate::session_lease::SessionLeases;

/// Attempts on one session before it fails.
const MAX_ATTEMPTS: i32 = 5;

/// Sessions that wait for an investigation, or whose owner is lost.
pub(crate) struct Sessions {
    pub(crate) leases: SessionLeases,
    pub(crate) services: Services,
    /// Notified when a session has ended: it may be scored.
    pub(crate) ended: Arc<Notify>,
}

impl LeasedWork for Sessions {
    type Claim = Claim;

    const NAME: &'static str = "session";

    async fn claim(&self) -> Result<Option<Claim>, StoreError> {
        let (store, owner) = (&self.leases.store, &self.leases.owner);
        let cap = i64::from(self.leases.queue.max_concurrent_sessions);
        let row = store.claim_session_row(owner, self.leases.duration(), cap).await?;
        let Some(row) = row else { return Ok(None) };
        self.leases.publisher.publish(row.events.clone());
        // The event is on its way before this task reads the session and asks for the next wake-up.
        tokio::task::yield_now().await;
        let claim = row.read()?;
        metrics::session_claimed(claim.resumed);
        Ok(Some(claim))
    }

    fn session_id(&self, claim: &Claim) -> SessionId {
        claim.fence.session_id
    }

    fn terms(&self, claim: &Claim) -> LeaseTerms {
        self.leases.terms(&claim.session, claim.elapsed)
    }

    fn span(&self, claim: &Claim) -> Span {
        let fence = claim.fence;
        let span =
            tracing::info_span!("session", session.id = %fence.session_id, epoch = fence.epoch);
        tarsy_telemetry::set_parent(&span, claim.session.traceparent.as_deref());
        span
    }

    async fn renew(&self, claim: &Claim) -> Result<LeaseState, StoreError> {
        self.leases.renew(claim.fence).await
    }

    async fn run(&self, claim: &Claim, lease: &Lease) -> Result<(), StopReason> {
        let journal = self.leases.journal(claim.fence, lease);
        let ctx = Context::new(journal, self.services.clone());
        tracing::info!(attempt = claim.attempts, resumed = claim.resumed, "claimed");
        let pending = ctx.pending_summaries.clone();
        let work = async {
            let status = claim.session.status;
            engine::publish_to_list(&ctx, LiveBody::SessionStatus { status }).await;
            let end = investigate(&ctx, claim).await?;
            self.finish(&ctx, claim, end).await
        };
        Box::pin(self.leases.with_snapshots(&ctx.journal, move || pending.count(), Box::pin(work)))
            .await
    }

    async fn release(&self, claim: &Claim) -> Result<(), StoreError> {
        self.leases.store.release_lease(claim.fence).await
    }

    async fn suspend(&self, claim: &Claim) -> Result<(), StoreError> {
        self.leases.suspend(claim.fence, &claim.session, claim.session.started_at).await?;
        // The list reads it again, and shows what it waits for.
        let body = LiveBody::SessionStatus { status: SessionStatus::InProgress };
        self.leases.live.publish_to_list(claim.fence.session_id, body).await;
        Ok(())
    }
}

impl Sessions {
    /// Writes the end of the session: the one place where sessions end.
    async fn finish(
        &self,
        ctx: &Context,
        claim: &Claim,
        end: SessionEnd,
    ) -> Result<(), StopReason> {
        let write = ctx.journal.write(|store, fence| store.finish_session(fence, end.clone()));
        let written = write.await;
        // The store ends a session whose cancel was accepted as cancelled.
        let status = ctx.journal.read(|store| store.find_session_status(claim.fence.session_id));
        let status = status.await?.map_or(end.status, |row| row.status);
        match written {
            // The end invalidates the fence, also for a second attempt after a lost answer.
            Err(StopReason::Fenced)
                if status == end.status || status == SessionStatus::Cancelled => {}
            written => written?,
        }
        self.ended.notify_one();
        engine::publish_to_list(ctx, LiveBody::SessionStatus { status }).await;
        metrics::session_finished(status, claim.elapsed + ctx.journal.held_for());
        tracing::info!(status = status.as_str(), "finished");
        Ok(())
    }
}

async fn investigate(ctx: &Context, claim: &Claim) -> Result<SessionEnd, StopReason> {
    if claim.session.status == SessionStatus::Cancelling {
        engine::end_cancelled(ctx).await
    } else if claim.attempts > MAX_ATTEMPTS {
        engine::end_exhausted(ctx, MAX_ATTEMPTS).await
    } else {
        Box::pin(engine::investigate(ctx, claim)).await
    }
}
