//! One lease: the sessions of one agent execution, and the calls made on them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use rand::Rng as _;
use serde_json::{Map, Value};
use tarsy_catalog::{Endpoint, McpServer};
use tarsy_contracts::mcp::{FailedServer, Tool};
use tarsy_domain::id::LeaseId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::failure::Failure;
use crate::leases::Permit;
use crate::masks::Masks;
use crate::progress::{Step, Viewers};
use crate::upstream::{Answer, Order, Slot};
use crate::{arguments, content, names, policy};

/// The pause before a call is made once more, in milliseconds.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 250..=750;

/// A server in a lease.
pub(crate) struct Seat {
    /// Its session.
    pub(crate) slot: Arc<Slot>,
    /// What is masked in its words.
    pub(crate) masks: Arc<Masks>,
    /// The only tools that may be called; none means all.
    pub(crate) granted: Option<BTreeSet<String>>,
    /// Others use the session, too.
    pub(crate) shared: bool,
}

impl Seat {
    fn server(&self) -> &McpServer {
        self.slot.server()
    }

    fn permits(&self, tool: &Tool) -> bool {
        policy::refusal(&self.server().policy, self.granted.as_ref(), tool).is_none()
    }
}

/// A call on a lease.
pub(crate) struct Wish<'a> {
    /// The name as it was called.
    pub(crate) name: &'a str,
    /// The arguments as they were written.
    pub(crate) arguments: &'a str,
    /// When it has to be answered.
    pub(crate) end: Instant,
    /// Cancels it.
    pub(crate) cancel: &'a CancellationToken,
    /// Those who watch it.
    pub(crate) viewers: Option<&'a Viewers>,
}

/// What a call came to: masked text.
pub(crate) struct Said {
    /// The text.
    pub(crate) text: String,
    /// It is an error, of the tool or on the way to it.
    pub(crate) is_error: bool,
    /// How many secrets were masked.
    pub(crate) masked: u64,
    /// The tool was not called, because it may not be.
    pub(crate) refused: bool,
}

impl Said {
    fn error(text: String) -> Self {
        Self { text, is_error: true, masked: 0, refused: false }
    }

    /// What it came to, for a metric.
    pub(crate) const fn outcome(&self) -> &'static str {
        match self {
            Self { refused: true, .. } => "refused",
            Self { is_error: true, .. } => "error",
            _ => "ok",
        }
    }
}

/// A lease.
pub(crate) struct Lease {
    /// Its id.
    pub(crate) id: LeaseId,
    /// The servers that could not be had.
    pub(crate) failed: Vec<FailedServer>,
    seats: Vec<Seat>,
    renewed: Mutex<Instant>,
    running: watch::Sender<usize>,
    _permit: Permit,
}

/// Counts one running call of a lease.
pub(crate) struct Running(Arc<Lease>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.send_modify(|count| *count = count.saturating_sub(1));
    }
}

impl Lease {
    /// A lease on what was opened.
    pub(crate) fn new(
        id: LeaseId,
        seats: Vec<Seat>,
        failed: Vec<FailedServer>,
        permit: Permit,
    ) -> Self {
        let (renewed, running) = (Mutex::new(Instant::now()), watch::Sender::new(0));
        Self { id, failed, seats, renewed, running, _permit: permit }
    }

    /// The tools that may be called.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let of = |seat: &Seat| {
            let tools = seat.slot.tools();
            tools.iter().filter(|tool| seat.permits(tool)).cloned().collect::<Vec<_>>()
        };
        self.seats.iter().flat_map(of).collect()
    }

    /// The tools that may be called, listed again where a server said that they have changed.
    pub(crate) async fn fresh_tools(&self) -> Vec<Tool> {
        join_all(self.seats.iter().map(|seat| seat.slot.fresh_tools())).await;
        self.tools()
    }

    /// Keeps the lease alive.
    pub(crate) fn renew(&self) {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether nobody renewed it for so long, and no call of it runs.
    pub(crate) fn is_abandoned(&self, ttl: Duration) -> bool {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_idle() && renewed.elapsed() > ttl
    }

    /// Whether no call of it runs.
    pub(crate) fn is_idle(&self) -> bool {
        *self.running.borrow() == 0
    }

    /// Waits until no call of it runs.
    pub(crate) async fn idle(&self) {
        // The sender lives as long as the lease, so that this cannot fail.
        drop(self.running.subscribe().wait_for(|count| *count == 0).await);
    }

    /// Says that a call of it runs, until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Running {
        self.running.send_modify(|count| *count += 1);
        Running(Arc::clone(self))
    }

    /// Ends the sessions that are its own.
    pub(crate) async fn end(&self) {
        let own = self.seats.iter().filter(|seat| !seat.shared);
        join_all(own.map(|seat| seat.slot.close())).await;
    }

    /// Makes a call.
    pub(crate) async fn call(&self, wish: &Wish<'_>) -> Said {
        let Some((seat, tool)) = self.find(wish.name).await else {
            if let Some(why) = self.refusal(wish.name) {
                tracing::info!(tool.name = wish.name, why, "a tool call is refused");
                return Said { refused: true, ..Said::error(why) };
            }
            let tools: Vec<String> = self.tools().iter().map(Tool::full_name).collect();
            return Said::error(names::unknown(wish.name, &tools, &self.failed));
        };
        let arguments = match arguments::read(wish.arguments, &tool.input_schema) {
            Ok(arguments) => arguments,
            Err(told) => {
                let told = format!("The call of '{}' was not made: {told}", tool.full_name());
                return Said::error(seat.masks.mask(told).await.text);
            }
        };
        let (steps, seen) = watch::channel(None);
        let calling = persist(seat, &tool, &arguments, wish, &steps);
        let called = match wish.viewers {
            None => calling.await,
            Some(viewers) => tokio::select! {
                called = calling => called,
                never = viewers.follow(seen, &seat.masks) => match never {},
            },
        };
        match called {
            Ok(answer) => {
                let read = content::read(answer);
                let masked = seat.masks.mask(read.text).await;
                let text = content::bounded(masked.text);
                Said { text, is_error: read.is_error, masked: masked.count, refused: false }
            }
            Err(failure) => Said::error(explain(seat, &tool, &failure)),
        }
    }

    /// Why a tool that exists may not be called; nothing if there is no such tool.
    fn refusal(&self, name: &str) -> Option<String> {
        let ids = self.seats.iter().map(|seat| seat.server().id.as_str());
        let (server, name) = names::split(name, ids)?;
        let seat = self.seats.iter().find(|seat| seat.server().id == server)?;
        let tools = seat.slot.tools();
        let tool = tools.iter().find(|tool| tool.name == name)?;
        let refused = policy::refusal(&seat.server().policy, seat.granted.as_ref(), tool)?;
        Some(refused.explain(tool))
    }

    async fn find(&self, name: &str) -> Option<(&Seat, Tool)> {
        let ids = self.seats.iter().map(|seat| seat.server().id.as_str());
        let (server, tool) = names::split(name, ids)?;
        let seat = self.seats.iter().find(|seat| seat.server().id == server)?;
        let listed = |tools: Arc<[Tool]>| {
            tools.iter().find(|known| known.name == tool && seat.permits(known)).cloned()
        };
        let found = match listed(seat.slot.tools()) {
            Some(found) => found,
            None => listed(seat.slot.fresh_tools().await)?,
        };
        Some((seat, found))
    }
}

/// Makes a call, and makes it once more in a new session if the first was lost and nothing can have
/// happened, or happening twice is as once.
async fn persist(
    seat: &Seat,
    tool: &Tool,
    arguments: &Map<String, Value>,
    wish: &Wish<'_>,
    steps: &watch::Sender<Option<Step>>,
) -> Result<Answer, Failure> {
    let failure = match attempt(seat, tool, arguments, wish, steps).await {
        Err(failure) if failure.is_loss() => failure,
        decided => return decided,
    };
    let harmless = failure.was_never_sent() || tool.read_only || tool.idempotent;
    let pause = Duration::from_millis(rand::rng().random_range(PAUSE_MS));
    if !harmless || Instant::now() + pause >= wish.end {
        return Err(failure);
    }
    tracing::info!(mcp.server = tool.server, tool.name = tool.name, %failure, "a tool call is made once more");
    tokio::select! {
        () = tokio::time::sleep(pause) => attempt(seat, tool, arguments, wish, steps).await,
        () = wish.cancel.cancelled() => Err(Failure::Cancelled("it is no longer wanted".to_owned())),
    }
}

async fn attempt(
    seat: &Seat,
    tool: &Tool,
    arguments: &Map<String, Value>,
    wish: &Wish<'_>,
    steps: &watch::Sender<Option<Step>>,
) -> Result<Answer, Failure> {
    let left = wish.end.saturating_duration_since(Instant::now());
    let session = tokio::select! {
        session = timeout_at(wish.end, seat.slot.session()) => match session {
            Ok(session) => session?,
            Err(_) => return Err(Failure::Timeout(left)),
        },
        () = wish.cancel.cancelled() => {
            return Err(Failure::Cancelled("it is no longer wanted".to_owned()));
        }
    };
    let limit = longest_call(seat.server()).min(left);
    let order = Order {
        tool: &tool.name,
        arguments,
        end: wish.end.min(Instant::now() + limit),
        limit,
        cancel: wish.cancel,
        steps,
    };
    let answer = session.call(&order).await;
    if answer.as_ref().is_err_and(Failure::is_loss) {
        seat.slot.give_up(&session).await;
    }
    answer
}

fn longest_call(server: &McpServer) -> Duration {
    match &server.transport.endpoint {
        Endpoint::Http(remote) | Endpoint::Sse(remote) => {
            remote.timeout.map_or(server.transport.call_timeout, |limit| {
                limit.min(server.transport.call_timeout)
            })
        }
        Endpoint::Stdio(_) => server.transport.call_timeout,
    }
}

fn explain(seat: &Seat, tool: &Tool, failure: &Failure) -> String {
    let name = tool.full_name();
    let reason = seat.masks.reason(failure);
    match failure {
        Failure::Timeout(limit) => {
            let limit = limit.as_secs_f64();
            format!(
                "The tool '{name}' timed out: it did not answer within {limit:.1} s and was cancelled."
            )
        }
        Failure::Cancelled(_) => format!("The tool '{name}' was cancelled."),
        Failure::Protocol(_) => format!("The server refused the call of '{name}': {reason}"),
        Failure::Lost(_) => format!(
            "The connection to the server of '{name}' was lost during the call ({reason}); it is not known \
             whether the call had any effect."
        ),
        _ => format!("The tool '{name}' could not be called: {reason}"),
    }
}
