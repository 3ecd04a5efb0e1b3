//! The runner of leased work, with claims in memory.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tarsy_contracts::topology;
use tarsy_domain::id::SessionId;
use tarsy_service::{
    Lease, LeaseState, LeaseTerms, LeasedWork, PollInterval, Runner, ServiceContext, StopReason,
};
use tarsy_store::Error as StoreError;
use tarsy_testkit::{TestNats, eventually};
use tokio::sync::Semaphore;

const LONG: Duration = Duration::from_mins(10);
const SHORT: Duration = Duration::from_millis(20);

type Ended = (SessionId, Result<(), StopReason>);

/// Work that goes on until it is allowed to end or is stopped.
#[derive(Clone)]
struct Jobs {
    waiting: Arc<Mutex<VecDeque<SessionId>>>,
    terms: LeaseTerms,
    fenced: bool,
    may_end: Arc<Semaphore>,
    claims: Arc<AtomicU32>,
    running: Arc<AtomicU32>,
    log: Arc<Mutex<Vec<Ended>>>,
    released: Arc<Mutex<Vec<SessionId>>>,
}

impl Jobs {
    fn new(sessions: &[SessionId]) -> Self {
        Self {
            waiting: Arc::new(Mutex::new(sessions.iter().copied().collect())),
            terms: LeaseTerms { renew_every: None, time_left: LONG },
            fenced: false,
            may_end: Arc::new(Semaphore::new(0)),
            claims: Arc::default(),
            running: Arc::default(),
            log: Arc::default(),
            released: Arc::default(),
        }
    }

    async fn until_running(&self, count: u32) {
        eventually("the work runs", async || self.running.load(Ordering::Relaxed) == count).await;
    }

    async fn until_ended(&self, count: usize) -> Vec<Ended> {
        eventually("the work ends", async || self.log.lock().unwrap().len() >= count).await;
        self.log.lock().unwrap().clone()
    }
}

impl LeasedWork for Jobs {
    type Claim = SessionId;
    const NAME: &'static str = "job";

    async fn claim(&self) -> Result<Option<SessionId>, StoreError> {
        self.claims.fetch_add(1, Ordering::Relaxed);
        Ok(self.waiting.lock().unwrap().pop_front())
    }

    fn session_id(&self, claim: &SessionId) -> SessionId {
        *claim
    }

    fn terms(&self, _: &SessionId) -> LeaseTerms {
        self.terms
    }

    fn span(&self, _: &SessionId) -> tracing::Span {
        tracing::Span::none()
    }

    async fn renew(&self, claim: &SessionId) -> Result<LeaseState, StoreError> {
        if self.fenced {
            return Err(StoreError::Fenced { session: *claim });
        }
        Ok(LeaseState::CancelRequested)
    }

    async fn run(&self, claim: &SessionId, lease: &Lease) -> Result<(), StopReason> {
        self.running.fetch_add(1, Ordering::Relaxed);
        let allowed = lease.unless_stopped(self.may_end.acquire()).await;
        let ended = allowed.map(|permit| permit.unwrap().forget());
        self.running.fetch_sub(1, Ordering::Relaxed);
        self.log.lock().unwrap().push((*claim, ended));
        ended
    }

    async fn release(&self, claim: &SessionId) -> Result<(), StoreError> {
        self.released.lock().unwrap().push(*claim);
        Ok(())
    }
}

fn runner(service: &ServiceContext, capacity: u32) -> Runner {
    Runner::new(service, capacity, PollInterval { interval: SHORT, jitter: Duration::ZERO })
}

fn sessions<const N: usize>() -> [SessionId; N] {
    [(); N].map(|()| SessionId::new())
}

#[tokio::test]
async fn no_more_work_runs_than_there_is_capacity_and_the_first_kind_is_claimed_first() {
    let service = ServiceContext::default();
    let [session, one, two] = sessions();
    let chats = Jobs::new(&[one, two]);
    let investigations = Jobs {
        may_end: Arc::clone(&chats.may_end),
        log: Arc::clone(&chats.log),
        ..Jobs::new(&[session])
    };
    runner(&service, 2).with_work(chats.clone()).with_work(investigations.clone()).start();
    chats.until_running(2).await;
    assert_eq!(investigations.running.load(Ordering::Relaxed), 0);
    chats.may_end.add_permits(3);
    let ended = chats.until_ended(3).await;
    assert_eq!(ended.last(), Some(&(session, Ok(()))));
    service.drain(LONG).await.unwrap();
}

#[tokio::test]
async fn a_cancel_a_lost_lease_and_the_deadline_stop_the_work_with_their_reasons() {
    for (change, reason) in [
        (Jobs::new as fn(&[SessionId]) -> Jobs, None),
        (|sessions| Jobs { fenced: true, ..renewed(sessions) }, Some(StopReason::Fenced)),
        (renewed, Some(StopReason::Cancelled)),
        (
            |sessions| Jobs { terms: within(SHORT), ..Jobs::new(sessions) },
            Some(StopReason::TimedOut),
        ),
    ] {
        let service = ServiceContext::default();
        let [session] = sessions();
        let jobs = change(&[session]);
        let runner = runner(&service, 1).with_work(jobs.clone());
        let running = runner.running();
        runner.start();
        if reason.is_none() {
            jobs.until_running(1).await;
            running.cancel(session);
        }
        let reason = reason.unwrap_or(StopReason::Cancelled);
        assert_eq!(jobs.until_ended(1).await, [(session, Err(reason))]);
        service.drain(LONG).await.unwrap();
        assert!(jobs.released.lock().unwrap().is_empty());
    }
}

fn renewed(sessions: &[SessionId]) -> Jobs {
    let terms = LeaseTerms { renew_every: Some(SHORT), time_left: LONG };
    Jobs { terms, ..Jobs::new(sessions) }
}

fn within(time_left: Duration) -> LeaseTerms {
    LeaseTerms { renew_every: None, time_left }
}

#[tokio::test]
async fn running_work_may_end_after_a_stop_and_nothing_more_is_claimed() {
    let service = ServiceContext::default();
    let [first, second] = sessions();
    let jobs = Jobs::new(&[first, second]);
    let runner = runner(&service, 1).with_work(jobs.clone());
    let (running, idle) = (runner.running(), runner.idle());
    runner.start();
    jobs.until_running(1).await;
    service.stop();
    assert_eq!((running.count(), idle.is_cancelled()), (1, false));
    jobs.may_end.add_permits(2);
    idle.cancelled().await;
    service.drain(LONG).await.unwrap();
    assert_eq!(*jobs.log.lock().unwrap(), [(first, Ok(()))]);
    assert_eq!((running.count(), jobs.waiting.lock().unwrap().len()), (0, 1));
}

#[tokio::test]
async fn work_that_outlasts_the_grace_period_is_released() {
    let service = ServiceContext::default();
    let [session] = sessions();
    let jobs = Jobs::new(&[session]);
    runner(&service, 1).with_work(jobs.clone()).start();
    jobs.until_running(1).await;
    service.drain(Duration::ZERO).await.unwrap();
    assert_eq!(*jobs.released.lock().unwrap(), [session]);
    assert_eq!(jobs.until_ended(1).await, [(session, Err(StopReason::Shutdown))]);
}

#[tokio::test]
async fn a_notification_starts_work_before_the_next_poll() {
    let service = ServiceContext::default();
    let jobs = Jobs::new(&[]);
    let runner = Runner::new(&service, 1, PollInterval { interval: LONG, jitter: Duration::ZERO })
        .with_work(jobs.clone());
    let notify = runner.notify();
    runner.start();
    jobs.waiting.lock().unwrap().push_back(SessionId::new());
    notify.notify_one();
    jobs.until_running(1).await;
    jobs.may_end.add_permits(1);
    service.drain(LONG).await.unwrap();
}

#[tokio::test]
async fn a_wake_up_claims_its_own_kind_first_and_a_poll_finds_what_nobody_announced() {
    let nats = TestNats::start().await.unwrap();
    let bus = nats.connect("test", "runner").await.unwrap();
    bus.provision().await.unwrap();
    let service = ServiceContext::default();
    let (chats, investigations) = (Jobs::new(&[]), Jobs::new(&[]));
    let runner = Runner::new(&service, 3, PollInterval { interval: LONG, jitter: Duration::ZERO })
        .with_announced_work(chats.clone(), bus.wake_ups(&topology::CHAT_WORK))
        .with_announced_work(investigations.clone(), bus.wake_ups(&topology::SESSION_WORK));
    let notify = runner.notify();
    runner.start();
    eventually("all kinds were polled", async || {
        investigations.claims.load(Ordering::Relaxed) == 1
    })
    .await;
    chats.waiting.lock().unwrap().push_back(SessionId::new());
    for announced in 1..=2 {
        let session = SessionId::new();
        investigations.waiting.lock().unwrap().push_back(session);
        bus.wake_session_workers(session).await.unwrap();
        investigations.until_running(announced).await;
    }
    assert_eq!(
        (chats.claims.load(Ordering::Relaxed), chats.running.load(Ordering::Relaxed)),
        (1, 0)
    );
    notify.notify_one();
    chats.until_running(1).await;
    chats.may_end.add_permits(1);
    investigations.may_end.add_permits(2);
    service.drain(LONG).await.unwrap();
}

#[tokio::test]
async fn work_with_a_grace_of_its_own_is_given_back_before_the_hard_stop() {
    let (service, session) = (ServiceContext::default(), SessionId::new());
    let (brief, other) = (Jobs::new(&[session]), Jobs::new(&[SessionId::new()]));
    let poll = PollInterval { interval: SHORT, jitter: Duration::ZERO };
    Runner::new(&service, 1, poll).with_grace(SHORT).with_work(brief.clone()).start();
    Runner::new(&service, 1, poll).with_work(other.clone()).start();
    brief.until_running(1).await;
    other.until_running(1).await;
    let end = async {
        assert_eq!(brief.until_ended(1).await, [(session, Err(StopReason::Shutdown))]);
        assert!(other.log.lock().unwrap().is_empty(), "it goes on");
        other.may_end.add_permits(1);
    };
    let (drained, ()) = tokio::join!(service.drain(LONG), end);
    drained.unwrap();
    assert_eq!(*brief.released.lock().unwrap(), [session]);
}
