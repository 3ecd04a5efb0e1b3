//! What it means to own a session: a fence for every write, a lease that is kept alive, and a
//! switch that stops the work, with the reason.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use tarsy_contracts::event::Committed;
use tarsy_contracts::live::LiveBody;
use tarsy_contracts::subject;
use tarsy_domain::code::{Code, Coded as _};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::{Batch, Claim, Error as StoreError, Fence, Op, Session, SessionEnd};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::app::App;
use crate::engine;
use crate::metrics;

/// How often a session is tried before it is given up.
const ATTEMPTS: i32 = 5;

/// Why the work on a session must stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// A person asked for it.
    Cancelled,
    /// Its time is over.
    TimedOut,
    /// Another owner has it.
    Fenced,
    /// This process ends; another goes on.
    Shutdown,
    /// The store refuses what is written; the lease runs out, and the attempt counts.
    Stuck,
}

/// Stops the work on one session; the first reason counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopSignal {
    token: CancellationToken,
    reason: Arc<OnceLock<StopReason>>,
}

impl StopSignal {
    /// Stops the work.
    pub(crate) fn stop(&self, reason: StopReason) {
        if self.reason.set(reason).is_ok() {
            self.token.cancel();
        }
    }

    /// Why the work must stop, if it must.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        self.reason.get().copied()
    }

    /// Whether both stop the same work.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reason, &other.reason)
    }
}

/// The owner of one session; cheap to clone.
#[derive(Clone)]
pub(crate) struct Owner {
    /// What the service needs.
    pub(crate) app: App,
    /// The session and the epoch that every write names.
    pub(crate) fence: Fence,
    switch: StopSignal,
    /// How many summaries are waited for: summarizers answer late viewers, too.
    summaries: Arc<AtomicU32>,
}

/// A summary is waited for, until this is dropped.
pub(crate) struct Awaited(Arc<AtomicU32>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Owner {
    /// The owner of what was just claimed.
    pub(crate) fn new(app: App, fence: Fence) -> Self {
        Self { app, fence, switch: StopSignal::default(), summaries: Arc::default() }
    }

    /// Does the work: findable by cancels, under a kept lease, for as long as `time` allows from
    /// when it was first begun.
    pub(crate) async fn own(
        &self,
        begun: Option<Timestamp>,
        time: Duration,
        work: impl Future<Output = ()>,
    ) {
        let _enlisted = self.app.register(self.session(), self.switch.clone());
        let done = CancellationToken::new();
        let work = async {
            work.await;
            done.cancel();
        };
        let left = time.saturating_sub(self.since(begun));
        tokio::join!(
            work,
            renew_lease_periodically(self, &done),
            enforce_deadline(self, left, &done),
            answer_snapshots(self, &done),
        );
    }

    /// Notes that a summary is waited for.
    pub(crate) fn awaits_summary(&self) -> Awaited {
        self.summaries.fetch_add(1, Ordering::Relaxed);
        Awaited(Arc::clone(&self.summaries))
    }

    /// How many summaries are waited for.
    pub(crate) fn awaited_summaries(&self) -> u32 {
        self.summaries.load(Ordering::Relaxed)
    }

    /// The time since something was first begun.
    pub(crate) fn since(&self, begun: Option<Timestamp>) -> Duration {
        let now = self.app.clock.now();
        Duration::try_from(now.duration_since(begun.unwrap_or(now))).unwrap_or_default()
    }

    /// The session.
    pub(crate) fn session(&self) -> SessionId {
        self.fence.session_id
    }

    /// Why the work must stop, if it must.
    pub(crate) fn stopped(&self) -> Option<StopReason> {
        self.switch.reason()
    }

    /// Does something that the stop may interrupt.
    pub(crate) async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, StopReason> {
        tokio::select! {
            biased;
            () = self.switch.token.cancelled() => Err(self.reason()),
            done = work => Ok(done),
        }
    }

    /// Writes things down, in one transaction, and has the events published. While the database is
    /// away it waits and tries again: until then nothing else can be done, either.
    pub(crate) async fn commit(&self, ops: Vec<Op>) -> Result<(), StopReason> {
        let mut batch = Batch::new();
        for op in ops {
            batch.push(op);
        }
        let committed = self.write(|| self.app.store.commit(self.fence, batch.clone())).await?;
        self.app.publisher.publish(committed);
        Ok(())
    }

    /// Reads from the store, through outages.
    pub(crate) async fn read<T, F, Fut>(&self, read: F) -> Result<T, StopReason>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<T, StoreError>>,
    {
        let mut pause = Pause::default();
        loop {
            match read().await {
                Ok(value) => return Ok(value),
                Err(error) => self.endure(&error, &mut pause).await?,
            }
        }
    }

    /// Writes through outages. An attempt whose answer was lost may have been written: then the
    /// next one finds it there, which is as good; its events are the sweeper's. A conflict that no
    /// lost attempt explains is a refusal like any other.
    pub(crate) async fn write<F, Fut>(&self, write: F) -> Result<Vec<Committed>, StopReason>
    where
        F: Fn() -> Fut,
        Fut: Future<Output = Result<Vec<Committed>, StoreError>>,
    {
        let mut pause = Pause::default();
        loop {
            match write().await {
                Ok(committed) => return Ok(committed),
                Err(StoreError::Conflict(conflict)) if pause.lost => {
                    tracing::info!(%conflict, "an earlier attempt had been written");
                    return Ok(Vec::new());
                }
                Err(error) => self.endure(&error, &mut pause).await?,
            }
        }
    }

    async fn endure(&self, error: &StoreError, pause: &mut Pause) -> Result<(), StopReason> {
        if error.is_fenced() {
            self.switch.stop(StopReason::Fenced);
            return Err(StopReason::Fenced);
        }
        let chain = tarsy_telemetry::chain(error).to_string();
        let conflict = matches!(error, StoreError::Conflict(_));
        if conflict || (error.code() != Code::Unavailable && pause.tries >= 3) {
            // A statement that fails again and again is a bug here; the session goes to another
            // attempt, and after the last one it is given up.
            tracing::error!(error = %chain, "the store refuses");
            self.switch.stop(StopReason::Stuck);
            return Err(StopReason::Stuck);
        }
        pause.lost = true;
        tracing::warn!(error = %chain, tries = pause.tries, "the store is tried again");
        let hard_stop = self.app.service.hard_stop();
        tokio::select! {
            () = hard_stop.cancelled() => {
                self.switch.stop(StopReason::Shutdown);
                Err(StopReason::Shutdown)
            }
            () = tokio::time::sleep(pause.next()) => Ok(()),
        }
    }

    /// Says where the session's chain stands, to those who watch.
    pub(crate) async fn tell(&self, body: LiveBody) {
        self.app.live.publish(self.session(), body).await;
    }

    /// Says where the session stands, to those who watch the list.
    pub(crate) async fn tell_list(&self, body: LiveBody) {
        self.app.live.publish_to_list(self.session(), body).await;
    }

    fn reason(&self) -> StopReason {
        self.switch.reason().unwrap_or(StopReason::Shutdown)
    }
}

/// Longer and longer pauses, with a cap.
#[derive(Debug, Default)]
struct Pause {
    tries: u32,
    /// An attempt ended without a clear answer: it may have been written.
    lost: bool,
}

impl Pause {
    fn next(&mut self) -> Duration {
        self.tries += 1;
        Duration::from_millis(100 << self.tries.min(4))
    }
}

/// Works on a claimed session until it is over, is another's, or this process ends.
pub(crate) async fn run(app: App, claim: Claim) {
    let session = claim.fence.session_id;
    let span = tracing::info_span!("session", session.id = %session, epoch = claim.fence.epoch);
    work(app, claim).instrument(span).await;
}

async fn work(app: App, claim: Claim) {
    let owner = Owner::new(app, claim.fence);
    tracing::info!(attempt = claim.attempts, resumed = claim.resumed, "claimed");
    let investigation = async {
        owner.app.publisher.publish(claim.events.clone());
        owner.tell_list(LiveBody::SessionStatus { status: claim.session.status }).await;
        investigate(&owner, &claim).await;
    };
    let time = time_limit(&owner.app, &claim.session);
    owner.own(claim.session.started_at, time, Box::pin(investigation)).await;
}

/// The most time that the session's investigation, or one question about it, may take.
pub(crate) fn time_limit(app: &App, session: &Session) -> Duration {
    session.settings.timeout.unwrap_or(app.queue.session_timeout)
}

async fn investigate(owner: &Owner, claim: &Claim) {
    let ending = if claim.session.status == SessionStatus::Cancelling {
        engine::stopped_before(owner).await
    } else if claim.attempts > ATTEMPTS {
        engine::attempts_exhausted(owner, ATTEMPTS).await
    } else {
        engine::investigate(owner, claim).await
    };
    let end = match ending.stop {
        Some(StopReason::Fenced) => {
            tracing::warn!("another owner has the session; nothing more is written");
            return;
        }
        Some(StopReason::Shutdown) => {
            release(owner).await;
            return;
        }
        Some(StopReason::Stuck) => {
            tracing::warn!("left as it is; its lease will run out");
            return;
        }
        Some(StopReason::Cancelled | StopReason::TimedOut) | None => ending.end,
    };
    finalize(owner, claim, end).await;
}

/// Leaves the session to whoever claims it next.
pub(crate) async fn release(owner: &Owner) {
    match owner.app.store.release_lease(owner.fence).await {
        Ok(()) => tracing::info!("handed over"),
        Err(error) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "the lease will expire");
        }
    }
}

/// Writes the end of the session: the one place where sessions end.
async fn finalize(owner: &Owner, claim: &Claim, end: SessionEnd) {
    let mut end = end;
    // A cancel that came after the last step still counts: the person was told so. Its message may
    // have been lost, so the row is asked, too.
    if owner.stopped() == Some(StopReason::Cancelled) || cancel_requested(owner).await {
        end.status = SessionStatus::Cancelled;
        end.error_message = None;
    }
    let status = end.status;
    let written = owner.write(|| owner.app.store.finish_session(owner.fence, end.clone())).await;
    match written {
        Ok(events) => owner.app.publisher.publish(events),
        // The end makes the fence worthless, also for a second attempt after a lost answer.
        Err(StopReason::Fenced) if ended_as(owner, status).await => {}
        Err(stop) => {
            tracing::warn!(?stop, "the end is left to the next owner");
            return;
        }
    }
    owner.tell_list(LiveBody::SessionStatus { status }).await;
    metrics::finished(status, owner.since(claim.session.started_at));
    tracing::info!(status = status.as_str(), "finished");
}

async fn ended_as(owner: &Owner, status: SessionStatus) -> bool {
    let row = owner.app.store.find_session_status(owner.session()).await;
    row.is_ok_and(|row| row.is_some_and(|row| row.status == status))
}

/// Whether a cancel was asked for whose message may have been lost. Where nobody can tell, nothing can
/// be written, either.
pub(crate) async fn cancel_requested(owner: &Owner) -> bool {
    let lease = owner.app.queue.orphan_threshold;
    let renewed = owner.read(|| owner.app.store.renew_lease(owner.fence, lease)).await;
    renewed.is_ok_and(|renewal| renewal.cancel_requested)
}

/// Renews the lease, and learns from it whether a cancel was asked for.
async fn renew_lease_periodically(owner: &Owner, done: &CancellationToken) {
    let lease = owner.app.queue.orphan_threshold;
    // Half the configured interval: one lost renewal must not cost the lease.
    let every = owner.app.queue.heartbeat_interval / 2;
    let hard_stop = owner.app.service.hard_stop();
    loop {
        // A renewal may take long while the database is away; neither the end nor a stop waits.
        let renewed = tokio::select! {
            () = done.cancelled() => return,
            () = hard_stop.cancelled() => {
                owner.switch.stop(StopReason::Shutdown);
                done.cancelled().await;
                return;
            }
            renewed = async {
                tokio::time::sleep(every).await;
                owner.app.store.renew_lease(owner.fence, lease).await
            } => renewed,
        };
        match renewed {
            Ok(renewal) if renewal.cancel_requested => owner.switch.stop(StopReason::Cancelled),
            Ok(_) => {}
            Err(error) if error.is_fenced() => owner.switch.stop(StopReason::Fenced),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "lease not renewed");
            }
        }
    }
}

/// Stops the work when its time is over.
async fn enforce_deadline(owner: &Owner, left: Duration, done: &CancellationToken) {
    tokio::select! {
        () = done.cancelled() => {}
        () = tokio::time::sleep(left) => owner.switch.stop(StopReason::TimedOut),
    }
}

/// Gives late viewers the text that is being written, as long as the work goes on.
async fn answer_snapshots(owner: &Owner, done: &CancellationToken) {
    let (session, summaries) = (owner.session(), Arc::clone(&owner.summaries));
    let others = move || summaries.load(Ordering::Relaxed);
    owner.app.live.serve_snapshots(subject::live_snapshot(session), session, others, done).await;
}
