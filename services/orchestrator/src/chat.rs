//! Works on a claimed question about a finished session. The question has the session's lease; its
//! end leaves the session as it is.

use tarsy_domain::status::WorkStatus;
use tarsy_store::{ChatClaim, ChatEnd};
use tracing::Instrument as _;

use crate::engine::{self, Context, Services};
use crate::journal::StopReason;
use crate::metrics;
use crate::runner::{Runner, TimeLimit};
use crate::session::time_limit;

/// Attempts on one question before it fails.
const MAX_ATTEMPTS: i32 = 5;

/// Works on a claimed question until it has ended, another owner has it, or this process ends.
pub(crate) async fn run(runner: Runner, services: Services, claim: ChatClaim) {
    let session = claim.fence.session_id;
    let span = tracing::info_span!(
        "chat", session.id = %session, stage.id = %claim.stage.id, epoch = claim.fence.epoch
    );
    work(&runner, services, claim).instrument(span).await;
}

async fn work(runner: &Runner, services: Services, claim: ChatClaim) {
    let time = TimeLimit {
        started_at: Some(claim.started_at),
        limit: time_limit(&claim.session, services.limits.session_timeout),
    };
    let ctx = Context::new(runner.journal(claim.fence), services);
    tracing::info!(attempt = claim.attempts, resumed = claim.resumed, "question claimed");
    let pending = ctx.pending_summaries.clone();
    let work = async {
        ctx.journal.publish(claim.events.clone());
        answer(runner, &ctx, &claim).await;
    };
    runner.run(&ctx.journal, time, move || pending.count(), Box::pin(work)).await;
}

async fn answer(runner: &Runner, ctx: &Context, claim: &ChatClaim) {
    let ended = if claim.cancel_requested {
        engine::abandon_open_calls(ctx).await.and(Err(StopReason::Cancelled))
    } else if claim.attempts > MAX_ATTEMPTS {
        engine::abandon_open_calls(ctx).await.map(|()| ChatEnd {
            status: WorkStatus::Failed,
            error: Some(format!("failed after {MAX_ATTEMPTS} attempts")),
        })
    } else {
        engine::answer(ctx, claim).await
    };
    let end = match ended {
        Ok(end) => end,
        Err(StopReason::Cancelled) => ChatEnd { status: WorkStatus::Cancelled, error: None },
        Err(StopReason::TimedOut) => ChatEnd {
            status: WorkStatus::TimedOut,
            error: Some("the question ran out of time".to_owned()),
        },
        Err(StopReason::Shutdown) => return runner.release(&ctx.journal).await,
        Err(StopReason::Fenced) => {
            tracing::warn!("another owner has the question; this one writes nothing more");
            return;
        }
        Err(reason @ StopReason::Refused) => {
            tracing::warn!(?reason, "the lease will expire");
            return;
        }
    };
    finish(runner, ctx, claim, end).await;
}

/// Writes the end of the question: the one place where questions end.
async fn finish(runner: &Runner, ctx: &Context, claim: &ChatClaim, mut end: ChatEnd) {
    // A cancel that came after the last step counts, too: its sender was told that it would.
    if runner.is_cancel_requested(&ctx.journal).await {
        end = ChatEnd { status: WorkStatus::Cancelled, error: None };
    }
    let status = end.status;
    match ctx.journal.write(|store, fence| store.finish_chat(fence, end.clone())).await {
        Ok(()) => {}
        // The end invalidates the fence, also for a second attempt after a lost answer.
        Err(StopReason::Fenced) if has_ended_as(ctx, claim, status).await => {}
        Err(reason) => {
            tracing::warn!(?reason, "the next owner writes the end");
            return;
        }
    }
    metrics::chat_finished(status, runner.elapsed(Some(claim.started_at)));
    tracing::info!(status = status.as_str(), "the question is finished");
}

async fn has_ended_as(ctx: &Context, claim: &ChatClaim, status: WorkStatus) -> bool {
    let stages = ctx.journal.store().list_stages(ctx.journal.session()).await;
    let mut stages = stages.unwrap_or_default().into_iter();
    stages.any(|stage| stage.id == claim.stage.id && stage.status == status)
}
