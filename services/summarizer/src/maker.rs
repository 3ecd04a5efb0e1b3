//! Holds the lease of one claimed summary while it is made.

use std::time::{Duration, Instant};

use tarsy_contracts::subject;
use tarsy_contracts::work::SummaryFinished;
use tarsy_store::{SummaryClaim, SummaryFence};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::app::App;
use crate::metrics;
use crate::persist::Abandoned;
use crate::summary;

/// How long the text of a cancelled summary can still be requested.
const SNAPSHOT_TIME: Duration = Duration::from_secs(2);

/// Makes a claimed summary, unless its lease is lost.
pub(crate) async fn run(app: App, claim: SummaryClaim) {
    let fence = claim.fence;
    let span = tracing::info_span!(
        "summary", session.id = %fence.session_id, summary.id = %fence.summary_id, epoch = fence.epoch
    );
    work(app, claim).instrument(span).await;
}

async fn work(app: App, claim: SummaryClaim) {
    let (fence, started) = (claim.fence, Instant::now());
    let (cancel, done) = (CancellationToken::new(), CancellationToken::new());
    let _registered = app.register(fence.summary_id, fence.session_id, cancel.clone());
    let hard_stop = app.service.hard_stop();
    let making = async {
        let made = tokio::select! {
            biased;
            () = hard_stop.cancelled() => Err(Abandoned::Released),
            () = after_cancel(&cancel) => Err(Abandoned::Fenced),
            made = summary::make(&app, &claim, &cancel) => made,
        };
        done.cancel();
        made
    };
    let (session, live) = (fence.session_id, app.live.clone());
    let snapshots = live.serve_snapshots(subject::live_summaries(session), session, || 0, &done);
    let (made, (), ()) = tokio::join!(making, renew_lease(&app, fence, &cancel, &done), snapshots);
    let outcome = end(&app, fence, made).await;
    metrics::finished(outcome, started.elapsed());
    tracing::info!(outcome, "summary ended");
}

/// Notifies the session's owner of a finished summary, or releases the lease; the outcome.
async fn end(
    app: &App,
    fence: SummaryFence,
    made: Result<&'static str, Abandoned>,
) -> &'static str {
    match made {
        Ok(outcome) => {
            let subject = subject::summary_finished(fence.summary_id);
            if let Err(error) = app.bus.publish(subject, &SummaryFinished {}).await {
                let error = tarsy_telemetry::chain(&error);
                tracing::debug!(%error, "the owner finds the row by polling");
            }
            outcome
        }
        Err(Abandoned::Fenced) => "dropped",
        Err(Abandoned::Released) => {
            if let Err(error) = app.store.release_summary(fence).await {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "the lease will expire");
            }
            "released"
        }
    }
}

/// Some time after the cancel: the session's owner, who is cancelled at the same time, requests the
/// text so far.
async fn after_cancel(cancel: &CancellationToken) {
    cancel.cancelled().await;
    sleep(SNAPSHOT_TIME).await;
}

/// Renews the lease until the summary is done. Cancels it when the lease is lost or the session is
/// cancelled.
async fn renew_lease(
    app: &App,
    fence: SummaryFence,
    cancel: &CancellationToken,
    done: &CancellationToken,
) {
    loop {
        let renewed = tokio::select! {
            () = done.cancelled() => return,
            renewed = async {
                sleep(app.lease / 4).await;
                app.store.renew_summary(fence, app.lease).await
            } => renewed,
        };
        match renewed {
            Ok(false) => {}
            Ok(true) => cancel.cancel(),
            Err(error) if error.is_fenced() => cancel.cancel(),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "lease not renewed");
            }
        }
    }
}
