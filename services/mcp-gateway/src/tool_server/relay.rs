//! Carries the messages of one session between its HTTP streams and the standard streams of its subprocess.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, TryFutureExt as _};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport as _;
use rmcp::transport::streamable_http_server::session::local::SessionTransport;
use tarsy_catalog::Subprocess;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::task::TaskTracker;

use crate::failure::{Failure, server_ended};
use crate::limits;
use crate::masks::Masks;
use crate::upstream::{Context, Process, StdioTransport};

pub(super) struct Served {
    pub(super) id: String,
    pub(super) child: Subprocess,
    pub(super) init_timeout: Duration,
    pub(super) context: Context,
    /// For the reasons of failures; results are carried as they are.
    pub(super) masks: Arc<Masks>,
    pub(super) tasks: TaskTracker,
}

impl Served {
    /// Starts a subprocess for a session and carries its messages until one of the two ends, or `idle` does. No
    /// process remains. Every request without an answer gets one.
    pub(super) async fn run(&self, client: &mut SessionTransport, idle: impl Future<Output = ()>) {
        let (failure, unanswered) = match self.start() {
            Ok((process, server)) => {
                let mut relay = Relay::new(client, server, self.init_timeout);
                let failure = relay.run(idle).await;
                let Relay { unanswered, server, .. } = relay;
                // It closes the input of the process, which asks it to exit.
                drop(server);
                (end(process, failure).await, unanswered)
            }
            Err(failure) => (Some(failure), first_request(client).await),
        };
        let Some(failure) = failure else { return };
        let reason = self.masks.reason(&failure);
        tracing::warn!(mcp.server = self.id, reason, "a session ended");
        for id in unanswered {
            let answer = ServerJsonRpcMessage::error(server_ended(reason.clone()), Some(id));
            if !deliver(client, answer).await {
                return;
            }
        }
    }

    fn start(&self) -> Result<(Process, StdioTransport), Failure> {
        let launch = self.context.launch(&self.child)?;
        let (process, pipes) = Process::start(&launch, &self.context.guard, &self.tasks)?;
        Ok((process, StdioTransport::new(pipes, &self.tasks)))
    }
}

/// Ends the processes of a session, and adds what they wrote to standard error to a failure.
async fn end(mut process: Process, failure: Option<Failure>) -> Option<Failure> {
    process.end().await;
    Some(failure?.with_stderr(process.stderr.read_all().await))
}

/// The request that a session begins with.
async fn first_request(client: &mut SessionTransport) -> HashSet<RequestId> {
    match timeout(limits::RELAY_SEND, client.receive()).await {
        Ok(Some(JsonRpcMessage::Request(request))) => [request.id].into(),
        _ => HashSet::new(),
    }
}

/// Gives a message to the client's side; false if that did not take it in time. A message that no stream is open for is
/// the client's loss, not the session's.
fn deliver(
    client: &mut SessionTransport,
    message: ServerJsonRpcMessage,
) -> BoxFuture<'static, bool> {
    let sending = client.send(message).inspect_err(|error| {
        tracing::debug!(%error, "a message was not delivered to the client");
    });
    timeout(limits::RELAY_SEND, sending).map(|taken| taken.is_ok()).boxed()
}

/// A message that one side is taking; whether it did in time.
type Sending = Option<BoxFuture<'static, bool>>;

struct Relay<'a> {
    client: &'a mut SessionTransport,
    server: StdioTransport,
    /// The requests of the client that the server has not answered.
    unanswered: HashSet<RequestId>,
    /// Messages for the client that wait for the one before them.
    outbox: VecDeque<ServerJsonRpcMessage>,
    opening: Opening,
}

/// The library takes the first message of the server for its answer to the handshake.
enum Opening {
    /// What the server sends before that answer waits.
    Pending {
        until: Instant,
        timeout: Duration,
        held: VecDeque<ServerJsonRpcMessage>,
    },
    Done,
}

impl<'a> Relay<'a> {
    fn new(client: &'a mut SessionTransport, server: StdioTransport, timeout: Duration) -> Self {
        let until = Instant::now() + timeout;
        let opening = Opening::Pending { until, timeout, held: VecDeque::new() };
        Self { client, server, unanswered: HashSet::new(), outbox: VecDeque::new(), opening }
    }

    /// Carries messages until the end of the session; a failure if it is the server's.
    async fn run(&mut self, idle: impl Future<Output = ()>) -> Option<Failure> {
        let mut idle = std::pin::pin!(idle);
        let (mut to_server, mut to_client): (Sending, Sending) = (None, None);
        loop {
            if to_client.is_none() {
                let next = self.outbox.pop_front();
                to_client = next.map(|message| deliver(self.client, message));
            }
            let (opening, timeout) = self.opening.deadline();
            tokio::select! {
                message = self.client.receive(), if to_server.is_none() => {
                    to_server = self.take_request(message?);
                }
                message = self.server.receive(), if to_client.is_none() => match message {
                    Some(message) => self.take_answer(message),
                    None => return Some(Failure::Refused("the server ended".to_owned())),
                },
                was_taken = finished(&mut to_server) => if !was_taken {
                    return Some(Failure::Refused("the server does not read its input".to_owned()));
                },
                was_taken = finished(&mut to_client) => if !was_taken {
                    return None;
                },
                () = sleep_until(opening), if timeout.is_some() => {
                    return Some(Failure::NoResponse(timeout.unwrap_or_default()));
                }
                () = &mut idle => return None,
            }
        }
    }

    /// Sends a message of the client to the server, unless too many of its requests run.
    fn take_request(&mut self, message: ClientJsonRpcMessage) -> Sending {
        match &message {
            JsonRpcMessage::Request(request) if self.unanswered.len() >= limits::CALLS => {
                let text = "too many requests of this session run; wait for their answers";
                let error = ErrorData::internal_error(text, None);
                self.outbox.push_back(ServerJsonRpcMessage::error(error, Some(request.id.clone())));
                return None;
            }
            JsonRpcMessage::Request(request) => {
                self.unanswered.insert(request.id.clone());
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.unanswered.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        let sending = timeout(limits::RELAY_SEND, self.server.send(message));
        Some(sending.map(|taken| matches!(taken, Ok(Ok(())))).boxed())
    }

    /// Puts a message of the server into the outbox, or holds it until the handshake is answered.
    fn take_answer(&mut self, message: ServerJsonRpcMessage) {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let is_answer = answered.is_some_and(|id| self.unanswered.remove(&id));
        match &mut self.opening {
            Opening::Done => self.outbox.push_back(message),
            Opening::Pending { held, .. } if is_answer => {
                self.outbox.push_back(message);
                self.outbox.append(held);
                self.opening = Opening::Done;
            }
            Opening::Pending { held, .. } if held.len() < limits::INCOMING => {
                held.push_back(message);
            }
            Opening::Pending { .. } => {
                tracing::debug!(
                    "a server sent too much before its handshake; a message is left out"
                );
            }
        }
    }
}

impl Opening {
    /// The end of the handshake's time, and that time; none if it is over.
    fn deadline(&self) -> (Instant, Option<Duration>) {
        match self {
            Self::Pending { until, timeout, .. } => (*until, Some(*timeout)),
            Self::Done => (Instant::now(), None),
        }
    }
}

/// The result of a message that is being taken; without one, never.
async fn finished(sending: &mut Sending) -> bool {
    let Some(future) = sending else { return std::future::pending().await };
    let was_taken = future.await;
    *sending = None;
    was_taken
}
