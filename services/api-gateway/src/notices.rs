//! Messages that follow a committed row, sent in the background: a request never waits for NATS. A message that is lost
//! costs time only: workers and owners poll the rows as well.

use futures::StreamExt as _;
use tarsy_bus::{Bus, Error};
use tarsy_contracts::live::{Live, LiveBody};
use tarsy_contracts::subject;
use tarsy_contracts::work::Cancel;
use tarsy_domain::clock::Clock;
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_service::ServiceContext;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use std::sync::Arc;

/// The most messages that wait; more are dropped.
const MAX_WAITING: usize = 4096;
/// The most messages that are sent concurrently.
const MAX_CONCURRENT: usize = 64;

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// A session is pending: a worker is woken, and the session list shows it.
    SessionCreated(SessionId),
    /// The session list shows a new status.
    Status(SessionId, SessionStatus),
    /// A question is pending: a worker is woken.
    QuestionAsked(SessionId),
    /// The owner of the session or of its question is to stop.
    CancelRequested(SessionId),
}

/// Sends notices; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Notices(mpsc::Sender<Queued>);

/// A notice, and the span in whose trace it is sent.
#[derive(Debug)]
struct Queued {
    notice: Notice,
    span: Span,
}

impl Notices {
    /// Starts the task that sends them; it ends when the service stops, after those that wait.
    pub(crate) fn start(service: &ServiceContext, bus: &Bus) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let task = run(receiver, bus.clone(), service.clock(), service.stopping());
        service.spawn_aux("gateway.notices", task);
        Self(sender)
    }

    /// Hands over a notice; never waits.
    pub(crate) fn send(&self, notice: Notice) {
        if self.0.try_send(Queued { notice, span: Span::current() }).is_err() {
            tracing::debug!(?notice, "a notice is dropped; the row is polled");
        }
    }
}

async fn run(
    mut receiver: mpsc::Receiver<Queued>,
    bus: Bus,
    clock: Arc<dyn Clock>,
    stopping: CancellationToken,
) {
    let waiting = futures::stream::poll_fn(move |context| receiver.poll_recv(context));
    let (bus, clock) = (&bus, &*clock);
    waiting
        .take_until(stopping.cancelled())
        .for_each_concurrent(MAX_CONCURRENT, |Queued { notice, span }| async move {
            if let Err(error) = publish(bus, clock, notice).instrument(span).await {
                tracing::debug!(?notice, error = %tarsy_telemetry::chain(&error), "a notice is lost");
            }
        })
        .await;
}

async fn publish(bus: &Bus, clock: &dyn Clock, notice: Notice) -> Result<(), Error> {
    match notice {
        Notice::SessionCreated(id) => {
            let woken = bus.wake_session_workers(id).await;
            publish_status(bus, clock, id, SessionStatus::Pending).await?;
            woken
        }
        Notice::Status(id, status) => publish_status(bus, clock, id, status).await,
        Notice::QuestionAsked(id) => bus.wake_chat_workers(id).await,
        Notice::CancelRequested(id) => {
            bus.publish(subject::control_cancel(id), &Cancel { session_id: id }).await
        }
    }
}

async fn publish_status(
    bus: &Bus,
    clock: &dyn Clock,
    session_id: SessionId,
    status: SessionStatus,
) -> Result<(), Error> {
    let body = LiveBody::SessionStatus { status };
    let live = Live { session_id, timestamp: clock.now(), body };
    bus.publish(subject::LIVE_SESSIONS.to_owned(), &live).await
}
