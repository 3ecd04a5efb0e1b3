//! Claims work while there is capacity, runs each claim under its lease, and drains at shutdown.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all, select_all};
use tarsy_bus::{Bus, WakeUp, WakeUps};
use tarsy_store::Error as StoreError;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument as _;

use super::handle::Lease;
use super::poll::PollInterval;
use super::registry::RunningWork;
use super::stop::{StopReason, StopSignal};
use super::work::{LeaseState, LeaseTerms, LeasedWork};
use crate::cancels::subscribe_cancels;
use crate::context::ServiceContext;

/// Runs one or more kinds of leased work under a shared capacity.
pub struct Runner {
    service: ServiceContext,
    capacity: u32,
    poll: PollInterval,
    /// How long running work goes on at a stop; none is until the hard stop.
    grace: Option<Duration>,
    kinds: Vec<Source>,
    /// Notified when work may be waiting: a piece of work ended here, or a row was written here.
    notify: Arc<Notify>,
    running: RunningWork,
    idle: CancellationToken,
}

impl Runner {
    /// Runs at most `capacity` pieces of work at once.
    pub fn new(service: &ServiceContext, capacity: u32, poll: PollInterval) -> Self {
        Self {
            service: service.clone(),
            capacity,
            poll,
            grace: None,
            kinds: Vec::new(),
            notify: Arc::default(),
            running: RunningWork::default(),
            idle: CancellationToken::new(),
        }
    }

    /// Adds a kind of work that is found by polling. The kinds that were added first are claimed first.
    #[must_use]
    pub fn with_work<W: LeasedWork>(mut self, work: W) -> Self {
        self.kinds.push(Source { kind: Arc::new(work), wake_ups: None });
        self
    }

    /// Adds a kind of work that this consumer announces. After a wake-up its kind is claimed first.
    #[must_use]
    pub fn with_announced_work<W: LeasedWork>(mut self, work: W, wake_ups: WakeUps) -> Self {
        self.kinds.push(Source { kind: Arc::new(work), wake_ups: Some(wake_ups) });
        self
    }

    /// Once the service is stopping, running work goes on no longer than this, nor beyond the hard stop. What is unfinished
    /// is given back.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace: Some(grace), ..self }
    }

    /// Stops the work of sessions whose cancel is published on the bus.
    #[must_use]
    pub fn with_cancels(self, bus: &Bus) -> Self {
        let running = self.running.clone();
        let cancel = move |session| running.cancel(session);
        let cancels = subscribe_cancels(bus.clone(), self.idle.clone(), cancel);
        self.service.spawn_aux("cancels", cancels);
        self
    }

    /// The work that runs here.
    pub fn running(&self) -> RunningWork {
        self.running.clone()
    }

    /// Cancelled when the service is stopping and the last piece of work has ended.
    pub fn idle(&self) -> CancellationToken {
        self.idle.clone()
    }

    /// Notify it to make the runner look for work at once.
    pub fn notify(&self) -> Arc<Notify> {
        Arc::clone(&self.notify)
    }

    /// Starts claiming. Once the service is stopping, nothing more is claimed; running work goes on
    /// until the hard stop.
    pub fn start(self) {
        let service = self.service.clone();
        service.spawn("worker", async move {
            let _idle: DropGuard = self.idle.clone().drop_guard();
            let permits = Arc::new(Semaphore::new(self.capacity as usize));
            let end = self.service.hard_stop().child_token();
            self.claim_until_stopped(&permits, &end).await?;
            let all = permits.acquire_many(self.capacity);
            match self.grace {
                None => drop(all.await?),
                Some(grace) => {
                    if let Ok(all) = tokio::time::timeout(grace, all).await {
                        drop(all?);
                    } else {
                        end.cancel();
                        let _all = permits.acquire_many(self.capacity).await?;
                    }
                }
            }
            Ok(())
        });
    }

    async fn claim_until_stopped(
        &self,
        permits: &Arc<Semaphore>,
        end: &CancellationToken,
    ) -> anyhow::Result<()> {
        let stopping = self.service.stopping();
        // When all kinds are looked at, whatever was announced; none is at once.
        let mut next_round: Option<Instant> = None;
        loop {
            let permit = tokio::select! {
                biased;
                () = stopping.cancelled() => return Ok(()),
                permit = Arc::clone(permits).acquire_owned() => permit?,
            };
            let announced = match next_round {
                None => None,
                Some(at) => tokio::select! {
                    () = stopping.cancelled() => return Ok(()),
                    announced = self.wait_for_work(at) => announced,
                },
            };
            match self.claim(announced, end).await {
                Some(claimed) => {
                    self.spawn(claimed, permit);
                    // Whoever announces one piece announces the next one, too.
                    if announced.is_none() {
                        next_round = None;
                    }
                }
                None => next_round = Some(Instant::now() + self.poll.next_wait()),
            }
        }
    }

    /// Claims work of the kind that was announced, else of the first kind that has some.
    async fn claim(&self, announced: Option<usize>, end: &CancellationToken) -> Option<Claimed> {
        let (first, others): (Vec<_>, Vec<_>) =
            self.kinds.iter().enumerate().partition(|(kind, _)| Some(*kind) == announced);
        for (_, source) in first.into_iter().chain(others) {
            let kind = Arc::clone(&source.kind);
            let claimed = kind.claim(end, &self.running).await;
            if claimed.is_some() {
                return claimed;
            }
        }
        None
    }

    /// Waits until work may be there, no longer than until `at`. Answers the kind whose wake-up came.
    async fn wait_for_work(&self, at: Instant) -> Option<usize> {
        let wait = at.saturating_duration_since(Instant::now());
        let wake_ups = self.kinds.iter().enumerate().filter_map(|(kind, source)| {
            let wake_up = source.wake_ups.as_ref()?.wait(wait);
            Some(wake_up.map(move |came| (came == WakeUp::Received).then_some(kind)).boxed())
        });
        let wake_ups: Vec<_> = wake_ups.collect();
        let wake_up = async {
            if wake_ups.is_empty() {
                tokio::time::sleep(wait).await;
                return None;
            }
            select_all(wake_ups).await.0
        };
        tokio::select! {
            () = self.notify.notified() => None,
            announced = wake_up => announced,
        }
    }

    /// Runs a claim in a task of its own, which holds the permit until the work has ended.
    fn spawn(&self, claimed: Claimed, permit: OwnedSemaphorePermit) {
        let notify = Arc::clone(&self.notify);
        self.service.spawn_aux(claimed.name, async move {
            claimed.work.await;
            drop(permit);
            notify.notify_one();
        });
    }
}

/// A kind of work and what announces it.
struct Source {
    kind: Arc<dyn Kind>,
    wake_ups: Option<WakeUps>,
}

/// A claim, ready to run.
struct Claimed {
    name: &'static str,
    work: BoxFuture<'static, ()>,
}

/// [`LeasedWork`] without its claim's type.
trait Kind: Send + Sync {
    fn claim<'a>(
        self: Arc<Self>,
        end: &'a CancellationToken,
        running: &'a RunningWork,
    ) -> BoxFuture<'a, Option<Claimed>>;
}

impl<W: LeasedWork> Kind for W {
    fn claim<'a>(
        self: Arc<Self>,
        end: &'a CancellationToken,
        running: &'a RunningWork,
    ) -> BoxFuture<'a, Option<Claimed>> {
        Box::pin(async move {
            let claim = match LeasedWork::claim(&*self).await {
                Ok(claim) => claim?,
                Err(error) => {
                    let error = tarsy_telemetry::chain(&error);
                    tracing::warn!(work = W::NAME, %error, "could not claim");
                    return None;
                }
            };
            let span = self.span(&claim);
            let (running, hard_stop) = (running.clone(), end.clone());
            let work = run_claim(self, claim, running, hard_stop).instrument(span);
            Some(Claimed { name: W::NAME, work: Box::pin(work) })
        })
    }
}

/// Runs one claim: findable by cancels, under a renewed lease, within its time.
async fn run_claim<W: LeasedWork>(
    work: Arc<W>,
    claim: W::Claim,
    running: RunningWork,
    hard_stop: CancellationToken,
) {
    let signal = StopSignal::default();
    let _registration = running.register(work.session_id(&claim), signal.clone());
    let lease = Lease::new(signal.clone(), hard_stop.clone());
    let terms = work.terms(&claim);
    let done = CancellationToken::new();
    let run = async {
        let ended = work.run(&claim, &lease).await;
        done.cancel();
        ended
    };
    let watches = [
        Box::pin(renew_until(&*work, &claim, terms, &signal, &done)) as BoxFuture<'_, ()>,
        Box::pin(stop_after(terms, &signal, &done)),
        Box::pin(stop_at_shutdown(&hard_stop, &signal, &done)),
    ];
    // In boxes: the future of the work may be large.
    let (ended, _) = tokio::join!(Box::pin(run), join_all(watches));
    match ended {
        Ok(()) | Err(StopReason::Cancelled | StopReason::TimedOut) => {}
        Err(StopReason::Fenced) => {
            tracing::warn!("another owner holds the lease; nothing more is written");
        }
        Err(StopReason::Stuck) => tracing::warn!("stopped without an end; the lease expires"),
        Err(StopReason::Shutdown) => report("released", work.release(&claim).await),
        Err(StopReason::Suspended) => report("suspended", work.suspend(&claim).await),
    }
}

/// Says what became of a claim that was given back.
fn report(how: &'static str, given_back: Result<(), StoreError>) {
    match given_back {
        Ok(()) => tracing::info!("{how}"),
        Err(error) => {
            let error = tarsy_telemetry::chain(&error);
            tracing::warn!(%error, how, "could not give the claim back; the lease expires");
        }
    }
}

/// Renews the lease until the work is done; learns of cancels whose message was lost.
async fn renew_until<W: LeasedWork>(
    work: &W,
    claim: &W::Claim,
    terms: LeaseTerms,
    signal: &StopSignal,
    done: &CancellationToken,
) {
    let Some(interval) = terms.renew_every else { return };
    loop {
        // A renewal may take long while the database is away; the end of the work does not wait.
        let renewed = tokio::select! {
            () = done.cancelled() => return,
            renewed = async {
                tokio::time::sleep(interval).await;
                work.renew(claim).await
            } => renewed,
        };
        match renewed {
            Ok(LeaseState::Held) => {}
            Ok(LeaseState::CancelRequested) => signal.stop(StopReason::Cancelled),
            Err(error) if error.is_fenced() => {
                signal.stop(StopReason::Fenced);
                return;
            }
            Err(error) => {
                let error = tarsy_telemetry::chain(&error);
                tracing::warn!(%error, "could not renew the lease");
            }
        }
    }
}

async fn stop_after(terms: LeaseTerms, signal: &StopSignal, done: &CancellationToken) {
    tokio::select! {
        () = done.cancelled() => {}
        () = tokio::time::sleep(terms.time_left) => signal.stop(StopReason::TimedOut),
    }
}

async fn stop_at_shutdown(
    hard_stop: &CancellationToken,
    signal: &StopSignal,
    done: &CancellationToken,
) {
    tokio::select! {
        () = done.cancelled() => {}
        () = hard_stop.cancelled() => signal.stop(StopReason::Shutdown),
    }
}
