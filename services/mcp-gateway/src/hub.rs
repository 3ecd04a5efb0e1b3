//! What a request on the bus comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::future::{Ready, ready};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::future::{Either, join_all};
use tarsy_bus::Bus;
use tarsy_catalog::{Isolation, McpServer};
use tarsy_contracts::mcp::{
    Ack, CallRequest, CallResult, CancelRequest, FailedServer, LeaseRequest, OpenRequest,
    OpenedLease, Outcome, OutcomeRequest, ProbeRequest, ServerGrant, Tool, ToolList,
};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::clock::Clock;
use tarsy_domain::code::Code;
use tarsy_domain::id::{CallId, LeaseId};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

use crate::calls::{Begun, Call, Calls};
use crate::gateway::Timing;
use crate::health::Health;
use crate::lease::{Lease, Running, Said, Seat, Wish};
use crate::leases::{Leases, Room};
use crate::masks::Masks;
use crate::oauth::Logins;
use crate::peers::Peers;
use crate::progress::Viewers;
use crate::upstream::{Slot, Spares, Surroundings};
use crate::{fitting, health, limits, metrics, peers};

/// How much before the caller's deadline the gateway answers an open, so that its answer arrives.
const BEFORE_DEADLINE: Duration = Duration::from_millis(500);
/// How long after a call's deadline its result may still come.
const AFTER_DEADLINE: Duration = Duration::from_secs(1);

/// What is needed to open sessions with one server.
pub(crate) struct Kit {
    pub(crate) server: Arc<McpServer>,
    pub(crate) masks: Arc<Masks>,
    /// The one session of all, where sessions are shared.
    pub(crate) shared: Option<Arc<Slot>>,
    /// The one session of all, once the server turned out to keep no sessions, and nobody asked for
    /// one for each execution.
    pub(crate) stateless: OnceLock<Arc<Slot>>,
    /// Sessions that nobody has used yet.
    pub(crate) spares: Option<Arc<Spares>>,
}

/// The parts of a gateway that its tasks share.
pub(crate) struct State {
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) timing: Timing,
    pub(crate) kits: BTreeMap<String, Kit>,
    pub(crate) around: Arc<Surroundings>,
    pub(crate) room: Room,
    pub(crate) peers: Peers,
    pub(crate) health: Health,
    pub(crate) tasks: TaskTracker,
    /// No new leases.
    pub(crate) draining: CancellationToken,
    /// No lease any more.
    pub(crate) cut: CancellationToken,
    /// No more answers.
    pub(crate) over: CancellationToken,
    pub(crate) leases: Leases,
    pub(crate) calls: Calls,
    /// Logins that are under way.
    pub(crate) logins: Logins,
}

/// A handle on the parts; cheap to clone.
#[derive(Clone)]
pub(crate) struct Hub(pub(crate) Arc<State>);

impl std::ops::Deref for Hub {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}

impl Hub {
    /// Opens a lease here, or at a gateway that is less busy.
    pub(crate) async fn open(self, request: OpenRequest) -> Result<OpenedLease, Refusal> {
        let wait = self.left(request.deadline_ms)?;
        match Box::pin(peers::hand_on(&self, &request, wait)).await {
            Some(answer) => answer,
            None => self.open_here(request).await,
        }
    }

    /// Opens a lease; it opens although servers fail.
    pub(crate) async fn open_here(self, request: OpenRequest) -> Result<OpenedLease, Refusal> {
        let wait = self.left(request.deadline_ms)?;
        if self.draining.is_cancelled() {
            return Err(Refusal::new(Code::RateLimited, "busy: this gateway is stopping"));
        }
        let Some(permit) = self.room.take() else {
            metrics::lease_asked("busy");
            return Err(Refusal::new(Code::RateLimited, "busy: this gateway has no room"));
        };
        if request.servers.len() > limits::SERVERS {
            let told = format!("servers: more than {} in one lease", limits::SERVERS);
            return Err(Refusal::new(Code::Invalid, told));
        }
        let end = Instant::now() + wait.saturating_sub(BEFORE_DEADLINE);
        let mut seen = BTreeSet::new();
        let grants = request.servers.into_iter().filter(|grant| seen.insert(grant.server.clone()));
        let taken = join_all(grants.map(|grant| self.seat(grant, end))).await;
        let (mut seats, mut failed) = (Vec::new(), Vec::new());
        for seat in taken {
            match seat {
                Either::Left(seat) => seats.push(seat),
                Either::Right(failure) => failed.push(failure),
            }
        }
        let lease = self.leases.add(Lease::new(LeaseId::new(), seats, failed, permit));
        if self.cut.is_cancelled() {
            self.leases.remove(lease.id);
            lease.end().await;
            return Err(Refusal::new(Code::RateLimited, "busy: this gateway has stopped"));
        }
        metrics::lease_asked("opened");
        tracing::debug!(lease.id = %lease.id, session.id = %request.session_id, execution.id = %request.execution_id, "opened a lease");
        let ToolList { tools, failed } = fitting(lease.tools(), lease.failed.clone());
        Ok(OpenedLease {
            lease_id: lease.id,
            instance: self.bus.instance().to_owned(),
            ttl_ms: millis(self.timing.lease_ttl),
            tools,
            failed,
        })
    }

    async fn seat(&self, grant: ServerGrant, end: Instant) -> Either<Seat, FailedServer> {
        let Some(kit) = self.kits.get(&grant.server) else {
            let known: Vec<&str> = self.kits.keys().map(String::as_str).collect();
            let error = format!("no such server is configured; there are: {}", known.join(", "));
            return Either::Right(FailedServer { server: grant.server, error });
        };
        let common = kit.shared.as_ref().or_else(|| kit.stateless.get()).map(Arc::clone);
        let mut shared = common.is_some();
        let slot = common.unwrap_or_else(|| {
            let (server, around) = (Arc::clone(&kit.server), Arc::clone(&self.around));
            Arc::new(Slot::new(server, around, self.tasks.clone(), kit.spares.clone()))
        });
        let error = match timeout_at(end, slot.session()).await {
            Ok(Ok(session)) => {
                self.health.well(&kit.server, session.tools()).await;
                let granted = grant.tools.map(BTreeSet::from_iter);
                let masks = Arc::clone(&kit.masks);
                if !shared
                    && kit.server.transport.isolation == Isolation::Auto
                    && session.is_stateless()
                {
                    shared = kit.stateless.set(Arc::clone(&slot)).is_ok();
                }
                return Either::Left(Seat { slot, masks, granted, shared });
            }
            Ok(Err(failure)) => {
                let reason = kit.masks.reason(&failure);
                self.health.ill(&grant.server, &failure, &reason).await;
                reason
            }
            Err(_) => "it did not start in the time that the caller waits".to_owned(),
        };
        metrics::server_failed();
        tracing::warn!(mcp.server = grant.server, error, "a tool server could not be had");
        if !shared {
            self.tasks.spawn(async move { slot.close().await });
        }
        Either::Right(FailedServer { server: grant.server, error })
    }

    /// Makes a call, or joins the one of this id.
    pub(crate) async fn call(self, request: CallRequest) -> Result<CallResult, Refusal> {
        let end = Instant::now() + self.left(request.deadline_ms)?;
        let call = match self.calls.find(request.call.call_id) {
            Some(call) => call,
            None => self.begin(request, end)?,
        };
        call.result(end + AFTER_DEADLINE)
            .await
            .ok_or_else(|| Refusal::new(Code::Timeout, "the call still runs; ask for its outcome"))
    }

    fn begin(&self, request: CallRequest, end: Instant) -> Result<Arc<Call>, Refusal> {
        let Some((lease, running)) = self.leases.begin(request.lease_id) else {
            return Err(no_lease(request.lease_id));
        };
        let call = match self.calls.begin(request.call.call_id) {
            Begun::Known(call) => return Ok(call),
            Begun::New(call) => call,
        };
        let (hub, cancel) = (self.clone(), call.cancel.clone());
        let span = tracing::info_span!("tool.call", call.id = %request.call.call_id, tool.name = request.call.name);
        self.tasks.spawn(hub.run(lease, running, request, end, cancel).instrument(span));
        Ok(call)
    }

    /// Makes a call and writes down its result, whether anyone waits for it or not.
    async fn run(
        self,
        lease: Arc<Lease>,
        running: Running,
        request: CallRequest,
        end: Instant,
        cancel: CancellationToken,
    ) {
        let unfinished =
            Unfinished { hub: self.clone(), call_id: request.call.call_id, done: false };
        let started = Instant::now();
        let viewers = request.call.display.map(|display| Viewers {
            bus: self.bus.clone(),
            clock: Arc::clone(&self.clock),
            display,
        });
        let wish = Wish {
            name: &request.call.name,
            arguments: &request.call.arguments,
            end,
            cancel: &cancel,
            viewers: viewers.as_ref(),
        };
        let said = Box::pin(lease.call(&wish)).await;
        let took = started.elapsed();
        metrics::call_ended(said.outcome(), took);
        tracing::debug!(call.id = %request.call.call_id, tool.name = request.call.name, error = said.is_error, bytes = said.text.len(), "a tool call ended");
        let result = self.pack(request.call.call_id, said, took).await;
        unfinished.finish(result);
        lease.renew();
        drop(running);
    }

    /// Puts a text that is too large for a message into the object store.
    async fn pack(&self, call_id: CallId, said: Said, took: Duration) -> CallResult {
        let mut result = CallResult {
            call_id,
            is_error: said.is_error,
            content: said.text,
            blob: None,
            masked: said.masked,
            refused_by_policy: said.refused,
            duration_ms: millis(took),
        };
        if fitting::inline(&result) {
            return result;
        }
        let bytes = result.content.len();
        match self.bus.blobs().put(std::mem::take(&mut result.content).into()).await {
            Ok(name) => result.blob = Some(name),
            Err(error) => {
                tracing::error!(call.id = %call_id, bytes, %error, "a large result could not be stored");
                result.is_error = true;
                result.content = format!(
                    "The tool answered with {bytes} bytes, which could not be stored. Ask for less."
                );
            }
        }
        result
    }

    /// Cancels a call; one that is not known needs no cancelling.
    pub(crate) fn cancel(self, request: CancelRequest) -> Ready<Result<Ack, Refusal>> {
        let CancelRequest { call_id, reason } = request;
        if let Some(call) = self.calls.find(call_id) {
            tracing::debug!(call.id = %call_id, reason, "a tool call is cancelled");
            call.cancel.cancel();
        }
        ready(Ok(Ack {}))
    }

    /// Tells what became of a call.
    pub(crate) async fn outcome(self, request: OutcomeRequest) -> Result<Outcome, Refusal> {
        Ok(self.calls.outcome(request.call_id, Duration::from_millis(request.wait_ms)).await)
    }

    /// Lists the tools of a lease.
    pub(crate) async fn list(self, request: LeaseRequest) -> Result<ToolList, Refusal> {
        let Some(lease) = self.leases.renew(request.lease_id) else {
            return Err(no_lease(request.lease_id));
        };
        Ok(fitting(lease.fresh_tools().await, lease.failed.clone()))
    }

    /// Keeps a lease alive.
    #[expect(clippy::needless_pass_by_value, reason = "handlers take what came over the bus")]
    pub(crate) fn renew(self, request: LeaseRequest) -> Ready<Result<Ack, Refusal>> {
        let lease = self.leases.renew(request.lease_id);
        ready(lease.map(|_| Ack {}).ok_or_else(|| no_lease(request.lease_id)))
    }

    /// Gives a lease back; calls that still run may finish.
    pub(crate) async fn close(self, request: LeaseRequest) -> Result<Ack, Refusal> {
        let Some(lease) = self.leases.remove(request.lease_id) else { return Ok(Ack {}) };
        let idle = lease.is_idle();
        let ending = self.tasks.spawn(retire(lease));
        if idle {
            // A session that does not close in time is ended all the same, only later.
            let _ended = timeout(limits::CLOSE, ending).await;
        }
        Ok(Ack {})
    }

    /// Tells the tools of a server, or of all.
    pub(crate) async fn probe(self, request: ProbeRequest) -> Result<ToolList, Refusal> {
        let end = Instant::now() + self.left(request.deadline_ms)?.saturating_sub(BEFORE_DEADLINE);
        let wanted: Vec<&Kit> = match &request.server {
            None => self.kits.values().collect(),
            Some(id) => vec![self.kits.get(id).ok_or_else(|| {
                let known: Vec<&str> = self.kits.keys().map(String::as_str).collect();
                let known = known.join(", ");
                let told = format!("server: no server '{id}' is configured; there are: {known}");
                Refusal::new(Code::NotFound, told)
            })?],
        };
        let probed = join_all(wanted.iter().map(|kit| health::tools_of(&self, kit, end))).await;
        let mut list = ToolList { tools: Vec::new(), failed: Vec::new() };
        for (kit, tools) in wanted.iter().zip(probed) {
            match tools {
                Ok(tools) => list.tools.extend(tools.iter().cloned()),
                Err(error) => {
                    list.failed.push(FailedServer { server: kit.server.id.clone(), error });
                }
            }
        }
        Ok(fitting(list.tools, list.failed))
    }

    /// How long the caller still waits.
    fn left(&self, deadline_ms: i64) -> Result<Duration, Refusal> {
        let left = deadline_ms.saturating_sub(self.clock.now().as_millisecond());
        match u64::try_from(left) {
            Ok(left @ 1..) => Ok(Duration::from_millis(left).min(limits::PATIENCE)),
            _ => Err(Refusal::new(Code::Timeout, "the request came after its deadline")),
        }
    }
}

/// Ends a call that its task did not.
struct Unfinished {
    hub: Hub,
    call_id: CallId,
    done: bool,
}

impl Unfinished {
    fn finish(mut self, result: CallResult) {
        self.done = true;
        self.hub.calls.end(result);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let content =
            "The gateway failed during the call; it is not known whether it had any effect.";
        self.hub.calls.end(CallResult::error(self.call_id, content.to_owned()));
    }
}

/// Ends leases that nobody keeps alive.
pub(crate) async fn reap(hub: Hub) {
    let ttl = hub.timing.lease_ttl;
    let mut tick = tokio::time::interval((ttl / 6).min(Duration::from_secs(5)));
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = hub.over.cancelled() => return,
        }
        for lease in hub.leases.remove_abandoned(ttl) {
            tracing::info!(lease.id = %lease.id, "a lease that nobody renews is ended");
            hub.tasks.spawn(retire(lease));
        }
    }
}

/// Ends a lease when its calls have ended.
async fn retire(lease: Arc<Lease>) {
    lease.idle().await;
    lease.end().await;
}

/// A list that one answer can hold.
fn fitting(tools: Vec<Tool>, mut failed: Vec<FailedServer>) -> ToolList {
    let tools = fitting::tools(tools, &mut failed);
    ToolList { tools, failed }
}

fn no_lease(id: LeaseId) -> Refusal {
    Refusal::new(Code::NotFound, format!("there is no lease {id}; open a new one"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
