//! Messages that follow a committed row. A request never waits for NATS, whose answers are awaited in the background. A
//! message that is lost costs time only: workers and owners poll the rows as well.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _};
use tarsy_bus::{Bus, Error};
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::clock::Clock;
use tarsy_domain::id::SessionId;
use tarsy_domain::score::ScoreStatus;
use tarsy_domain::status::SessionStatus;
use tarsy_domain::triage::Triage;
use tarsy_service::ServiceContext;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

/// The most messages whose answers wait to be awaited; of more, nobody learns whether NATS has them.
const MAX_WAITING: usize = 4096;
/// The most answers that are awaited concurrently.
const MAX_CONCURRENT: usize = 64;

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// A session is pending: a worker is woken, and the session list shows it.
    SessionCreated(SessionId),
    /// The session list shows a new status.
    Status(SessionId, SessionStatus),
    /// The session list shows a new state of work.
    Triage(SessionId, Triage),
    /// The session list shows how far a score has come.
    Score(SessionId, ScoreStatus),
    /// A question is pending: a worker is woken.
    QuestionAsked(SessionId),
    /// The owner of the session or of its question is to stop; without one, a worker is woken.
    CancelRequested(SessionId),
    /// A session or a question that may be suspended can go on: a worker is woken.
    ApprovalDecided(SessionId),
}

/// Sends notices; cheap to clone.
#[derive(Clone)]
pub(crate) struct Notices {
    bus: Bus,
    clock: Arc<dyn Clock>,
    waiting: mpsc::Sender<Sending>,
}

/// A notice that was handed to the client of NATS, until NATS has it.
struct Sending {
    notice: Notice,
    sent: BoxFuture<'static, Result<(), Error>>,
}

impl Notices {
    /// Starts the task that waits for NATS; it ends when the service stops.
    pub(crate) fn start(service: &ServiceContext, bus: &Bus) -> Self {
        let (waiting, receiver) = mpsc::channel(MAX_WAITING);
        service.spawn_aux("gateway.notices", run(receiver, service.stopping()));
        Self { bus: bus.clone(), clock: service.clock(), waiting }
    }

    /// Sends a notice in the trace of the caller, who never waits. The message is on its way before any other task is
    /// woken: a worker that it wakes waits for it.
    pub(crate) fn send(&self, notice: Notice) {
        let (bus, clock) = (self.bus.clone(), Arc::clone(&self.clock));
        let sent = async move { publish(&bus, &*clock, notice).await };
        let mut sent = sent.instrument(Span::current()).boxed();
        if let Some(result) = (&mut sent).now_or_never() {
            return report(notice, result);
        }
        if self.waiting.try_send(Sending { notice, sent }).is_err() {
            tracing::debug!(?notice, "the answer to a notice is not awaited; the row is polled");
        }
    }
}

async fn run(mut receiver: mpsc::Receiver<Sending>, stopping: CancellationToken) {
    let waiting = futures::stream::poll_fn(move |context| receiver.poll_recv(context));
    waiting
        .take_until(stopping.cancelled())
        .for_each_concurrent(MAX_CONCURRENT, |Sending { notice, sent }| async move {
            report(notice, sent.await);
        })
        .await;
}

fn report(notice: Notice, result: Result<(), Error>) {
    if let Err(error) = result {
        tracing::debug!(?notice, error = %tarsy_telemetry::chain(&error), "a notice is lost");
    }
}

async fn publish(bus: &Bus, clock: &dyn Clock, notice: Notice) -> Result<(), Error> {
    match notice {
        Notice::SessionCreated(id) => {
            let woken = bus.wake_session_workers(id).await;
            publish_status(bus, clock, id, SessionStatus::Pending).await?;
            woken
        }
        Notice::Status(id, status) => publish_status(bus, clock, id, status).await,
        Notice::Triage(id, triage) => {
            publish_to_list(bus, clock, id, LiveBody::SessionTriage { triage }).await
        }
        Notice::Score(id, status) => {
            publish_to_list(bus, clock, id, LiveBody::SessionScore { status }).await
        }
        Notice::QuestionAsked(id) => bus.wake_chat_workers(id).await,
        Notice::CancelRequested(id) => {
            bus.publish(subject::control_cancel(id), &Cancel { session_id: id }).await?;
            bus.wake_session_workers(id).await
        }
        // Whoever is woken for one kind of work looks for the other, too.
        Notice::ApprovalDecided(id) => bus.wake_session_workers(id).await,
    }
}

async fn publish_status(
    bus: &Bus,
    clock: &dyn Clock,
    session_id: SessionId,
    status: SessionStatus,
) -> Result<(), Error> {
    publish_to_list(bus, clock, session_id, LiveBody::SessionStatus { status }).await
}

async fn publish_to_list(
    bus: &Bus,
    clock: &dyn Clock,
    session_id: SessionId,
    body: LiveBody,
) -> Result<(), Error> {
    let live = Live { session_id, timestamp: clock.now(), body };
    bus.publish(subject::LIVE_SESSIONS.to_owned(), &live).await
}
