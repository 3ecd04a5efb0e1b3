//! Works on a claimed session until it has ended, another owner has it, or this process ends.

use std::time::Duration;

use tarsy_contracts::live::LiveBody;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Claim, Session, SessionEnd};
use tracing::Instrument as _;

use crate::engine::{self, Context, Services};
use crate::journal::StopReason;
use crate::metrics;
use crate::runner::{Runner, TimeLimit};

/// Attempts on one session before it fails.
const MAX_ATTEMPTS: i32 = 5;

pub(crate) async fn run(runner: Runner, services: Services, claim: Claim) {
    let session = claim.fence.session_id;
    let span = tracing::info_span!("session", session.id = %session, epoch = claim.fence.epoch);
    work(&runner, services, claim).instrument(span).await;
}

async fn work(runner: &Runner, services: Services, claim: Claim) {
    let time = TimeLimit {
        started_at: claim.session.started_at,
        limit: time_limit(&claim.session, services.limits.session_timeout),
    };
    let ctx = Context::new(runner.journal(claim.fence), services);
    tracing::info!(attempt = claim.attempts, resumed = claim.resumed, "claimed");
    let pending = ctx.pending_summaries.clone();
    let work = async {
        ctx.journal.publish(claim.events.clone());
        engine::publish_to_list(&ctx, LiveBody::SessionStatus { status: claim.session.status })
            .await;
        investigate(runner, &ctx, &claim).await;
    };
    runner.run(&ctx.journal, time, move || pending.count(), Box::pin(work)).await;
}

/// How long the session's investigation, or one question about it, may take.
pub(crate) fn time_limit(session: &Session, default: Duration) -> Duration {
    session
        .config_snapshot
        .get("session_timeout_ms")
        .and_then(serde_json::Value::as_u64)
        .map_or(default, Duration::from_millis)
}

async fn investigate(runner: &Runner, ctx: &Context, claim: &Claim) {
    let ended = if claim.session.status == SessionStatus::Cancelling {
        engine::end_cancelled(ctx).await
    } else if claim.attempts > MAX_ATTEMPTS {
        engine::end_exhausted(ctx, MAX_ATTEMPTS).await
    } else {
        engine::investigate(ctx, claim).await
    };
    match ended {
        Ok(end) => finish(runner, ctx, claim, end).await,
        Err(StopReason::Shutdown) => runner.release(&ctx.journal).await,
        Err(StopReason::Fenced) => {
            tracing::warn!("another owner has the session; this one writes nothing more");
        }
        Err(reason) => tracing::warn!(?reason, "the lease will expire"),
    }
}

/// Writes the end of the session: the one place where sessions end.
async fn finish(runner: &Runner, ctx: &Context, claim: &Claim, end: SessionEnd) {
    let mut end = end;
    // A cancel that came after the last step counts, too: its sender was told that it would.
    if runner.is_cancel_requested(&ctx.journal).await {
        end.status = SessionStatus::Cancelled;
        end.error_message = None;
    }
    let status = end.status;
    let write = ctx.journal.write(|store, fence| store.finish_session(fence, end.clone()));
    match write.await {
        Ok(()) => {}
        // The end invalidates the fence, also for a second attempt after a lost answer.
        Err(StopReason::Fenced) if has_ended_as(ctx, status).await => {}
        Err(reason) => {
            tracing::warn!(?reason, "the next owner writes the end");
            return;
        }
    }
    engine::publish_to_list(ctx, LiveBody::SessionStatus { status }).await;
    metrics::session_finished(status, runner.elapsed(claim.session.started_at));
    tracing::info!(status = status.as_str(), "finished");
}

async fn has_ended_as(ctx: &Context, status: SessionStatus) -> bool {
    let row = ctx.journal.store().find_session_status(ctx.journal.session()).await;
    row.is_ok_and(|row| row.is_some_and(|row| row.status == status))
}
