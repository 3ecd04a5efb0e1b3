//! What it means to own a question: the session's lease, and an end that leaves the session as it
//! is.

use tarsy_domain::status::WorkStatus;
use tarsy_store::{ChatClaim, ChatEnd};
use tracing::Instrument as _;

use crate::app::App;
use crate::owner::{self, Owner, StopReason};
use crate::{engine, metrics};

/// How often a question is tried before it is given up.
const ATTEMPTS: i32 = 5;

/// Works on a claimed question until it is answered, is another's, or this process ends.
pub(crate) async fn run(app: App, claim: ChatClaim) {
    let session = claim.fence.session_id;
    let span = tracing::info_span!(
        "chat", session.id = %session, stage.id = %claim.stage.id, epoch = claim.fence.epoch
    );
    work(app, claim).instrument(span).await;
}

async fn work(app: App, claim: ChatClaim) {
    let owner = Owner::new(app, claim.fence);
    tracing::info!(attempt = claim.attempts, resumed = claim.resumed, "a question is claimed");
    let time = owner::time_limit(&owner.app, &claim.session);
    let answering = async {
        owner.app.publisher.publish(claim.events.clone());
        answer(&owner, &claim).await;
    };
    owner.own(Some(claim.started_at), time, Box::pin(answering)).await;
}

async fn answer(owner: &Owner, claim: &ChatClaim) {
    let ended = if claim.cancel_requested {
        engine::abandon_calls(owner).await.and(Err(StopReason::Cancelled))
    } else if claim.attempts > ATTEMPTS {
        engine::abandon_calls(owner).await.map(|()| ChatEnd {
            status: WorkStatus::Failed,
            error: Some(format!("given up after {ATTEMPTS} attempts")),
        })
    } else {
        engine::answer(owner, claim).await
    };
    let end = match ended {
        Ok(end) => end,
        Err(StopReason::Cancelled) => ChatEnd { status: WorkStatus::Cancelled, error: None },
        Err(StopReason::TimedOut) => ChatEnd {
            status: WorkStatus::TimedOut,
            error: Some("the question ran out of time".to_owned()),
        },
        Err(StopReason::Fenced) => {
            tracing::warn!("another owner has the question; nothing more is written");
            return;
        }
        Err(StopReason::Shutdown) => {
            owner::release(owner).await;
            return;
        }
        Err(StopReason::Stuck) => {
            tracing::warn!("left as it is; its lease will run out");
            return;
        }
    };
    finish(owner, claim, end).await;
}

/// Writes the end of the question: the one place where questions end.
async fn finish(owner: &Owner, claim: &ChatClaim, mut end: ChatEnd) {
    // A cancel that came after the last step still counts: the person was told so.
    if owner.stopped() == Some(StopReason::Cancelled) || owner::cancel_requested(owner).await {
        end = ChatEnd { status: WorkStatus::Cancelled, error: None };
    }
    let status = end.status;
    match owner.write(|| owner.app.store.finish_chat(owner.fence, end.clone())).await {
        Ok(events) => owner.app.publisher.publish(events),
        // The end makes the fence worthless, also for a second attempt after a lost answer.
        Err(StopReason::Fenced) if ended_as(owner, claim, status).await => {}
        Err(stop) => {
            tracing::warn!(?stop, "the end is left to the next owner");
            return;
        }
    }
    metrics::chat_finished(status, owner.since(Some(claim.started_at)));
    tracing::info!(status = status.as_str(), "the question is finished");
}

async fn ended_as(owner: &Owner, claim: &ChatClaim, status: WorkStatus) -> bool {
    let stages = owner.app.store.list_stages(owner.session()).await.unwrap_or_default();
    stages.iter().any(|stage| stage.id == claim.stage.id && stage.status == status)
}
