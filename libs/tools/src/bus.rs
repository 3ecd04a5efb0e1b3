//! The real toolbox: asks the gateways over the bus.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rand::Rng;
use tarsy_bus::{Bus, Error as BusError};
use tarsy_contracts::mcp::{
    CallRequest, CallResult, CancelCall, Done, FailedServer, LeaseRequest, OpenRequest, Opened,
    Outcome, OutcomeRequest, Tool, ToolList,
};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::clock::{Clock, SystemClock};
use tarsy_domain::code::Code;
use tarsy_domain::id::{CallId, LeaseId};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::error::ToolError;
use crate::renewal::{self, Pulse};
use crate::toolbox::{OpenToolbox, ToolCallRequest, ToolLease, Toolbox};

/// How much longer than the gateway we wait, so that its own words about a timeout arrive.
const GRACE: Duration = Duration::from_secs(2);
/// How long listing tools may take: servers whose tools have changed are asked anew.
const LISTING: Duration = Duration::from_secs(10);
/// How long a short question may take.
const SHORT: Duration = Duration::from_secs(5);
/// The pauses between two tries, in milliseconds; each is shortened by chance, down to a half.
const FIRST_PAUSE_MS: u64 = 100;
const LONGEST_PAUSE_MS: u64 = 2_000;

/// Opens leases at the gateways behind the bus.
#[derive(Clone)]
pub struct BusToolbox {
    bus: Bus,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
}

impl BusToolbox {
    /// Uses the gateways that answer on this bus.
    pub fn new(bus: Bus) -> Self {
        Self { bus, clock: Arc::new(SystemClock), tasks: TaskTracker::new() }
    }

    fn deadline_ms(&self, timeout: Duration) -> i64 {
        let timeout = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
        self.clock.now().as_millisecond().saturating_add(timeout)
    }

    /// Comes back when the link has come back after an outage: an answer that was sent meanwhile found
    /// nobody who listened.
    async fn reconnected(&self) {
        let mut connection = self.bus.connection();
        let before = connection.borrow().generation;
        if connection.wait_for(|state| state.connected && state.generation > before).await.is_err()
        {
            std::future::pending::<()>().await;
        }
    }

    async fn fetch(&self, result: CallResult) -> Result<CallResult, ToolError> {
        let Some(name) = result.blob.clone() else { return Ok(result) };
        let bytes = self.bus.blobs().get(&name).await.map_err(ToolError::Fetch)?;
        let content = String::from_utf8(bytes.to_vec()).map_err(|_| ToolError::NotText)?;
        Ok(CallResult { content, blob: None, ..result })
    }

    async fn open_once(&self, request: &OpenToolbox, wait: Duration) -> Result<Opened, BusError> {
        let asked = OpenRequest {
            session_id: request.session_id,
            execution_id: request.execution_id,
            servers: request.servers.clone(),
            deadline_ms: self.deadline_ms(wait),
        };
        self.bus.request(subject::MCP_OPEN.to_owned(), &asked, wait + GRACE).await
    }

    fn lease(&self, opened: Opened) -> BusLease {
        let stop = CancellationToken::new();
        let pulse = Pulse::new();
        self.tasks.spawn(renewal::keep_alive(
            self.bus.clone(),
            opened.instance.clone(),
            opened.lease_id,
            Duration::from_millis(opened.ttl_ms),
            pulse.clone(),
            stop.clone(),
        ));
        BusLease {
            toolbox: self.clone(),
            opened,
            pulse,
            stop: stop.clone(),
            _drop: stop.drop_guard(),
        }
    }
}

#[async_trait]
impl Toolbox for BusToolbox {
    async fn open(&self, request: OpenToolbox) -> Result<Box<dyn ToolLease>, ToolError> {
        let end = Instant::now() + request.timeout;
        let mut pauses = Pauses::default();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let error = match self.open_once(&request, left).await {
                Ok(opened) => return Ok(Box::new(self.lease(opened))),
                Err(BusError::Refused(refusal)) if refusal.code == Code::RateLimited => {
                    ToolError::GatewayBusy
                }
                Err(BusError::NoResponders { .. }) => ToolError::NoGateway,
                Err(error) => return Err(failed(error)),
            };
            let pause = pauses.next();
            if Instant::now() + pause >= end {
                return Err(error);
            }
            tracing::debug!(session.id = %request.session_id, %error, "no tool gateway has room yet");
            tokio::time::sleep(pause).await;
        }
    }

    async fn outcome(
        &self,
        instance: &str,
        call_id: CallId,
        wait: Duration,
    ) -> Result<Outcome, ToolError> {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let asked = OutcomeRequest { call_id, wait_ms };
        let subject = subject::mcp_instance(instance, McpVerb::Outcome);
        match self.bus.request(subject, &asked, wait + SHORT).await {
            Ok(Outcome::Result { result }) => {
                Ok(Outcome::Result { result: self.fetch(result).await? })
            }
            Ok(outcome) => Ok(outcome),
            Err(BusError::NoResponders { .. }) => Ok(Outcome::Unknown),
            Err(error) => Err(failed(error)),
        }
    }

    async fn cancel(&self, instance: &str, call_id: CallId, reason: &str) -> Result<(), ToolError> {
        let asked = CancelCall { call_id, reason: reason.to_owned() };
        let subject = subject::mcp_instance(instance, McpVerb::Cancel);
        let done: Result<Done, BusError> = self.bus.request(subject, &asked, SHORT).await;
        done.map(|Done {}| ()).map_err(failed)
    }
}

/// A lease at a gateway instance.
struct BusLease {
    toolbox: BusToolbox,
    opened: Opened,
    pulse: Pulse,
    stop: CancellationToken,
    _drop: DropGuard,
}

impl BusLease {
    /// Sends the call until it is answered; the gateway joins what it already runs, so that a lost
    /// answer costs no second execution.
    async fn ask(&self, call: &ToolCallRequest) -> Result<CallResult, ToolError> {
        let end = Instant::now() + call.timeout;
        let asked = CallRequest {
            lease_id: self.opened.lease_id,
            call_id: call.call_id,
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            deadline_ms: self.toolbox.deadline_ms(call.timeout),
            shown: call.shown,
        };
        let subject = subject::mcp_instance(&self.opened.instance, McpVerb::Call);
        let mut pauses = Pauses::default();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let answer = tokio::select! {
                biased;
                answer = self.toolbox.bus.request(subject.clone(), &asked, left + GRACE) => answer,
                () = self.toolbox.reconnected() => continue,
            };
            let error = match answer {
                Ok(result) => return Ok(result),
                Err(error) => lease_error(error),
            };
            let pause = pauses.next();
            if !may_pass(&error) || Instant::now() + pause >= end {
                return Err(error);
            }
            tracing::debug!(call.id = %call.call_id, %error, "asking for a tool call again");
            tokio::time::sleep(pause).await;
        }
    }
}

#[async_trait]
impl ToolLease for BusLease {
    fn instance(&self) -> &str {
        &self.opened.instance
    }

    fn lease_id(&self) -> LeaseId {
        self.opened.lease_id
    }

    fn tools(&self) -> &[Tool] {
        &self.opened.tools
    }

    async fn tools_now(&self) -> Result<Vec<Tool>, ToolError> {
        let asked = LeaseRequest { lease_id: self.opened.lease_id };
        let subject = subject::mcp_instance(&self.opened.instance, McpVerb::List);
        let list: Result<ToolList, BusError> =
            self.toolbox.bus.request(subject, &asked, LISTING).await;
        list.map(|list| list.tools).map_err(lease_error)
    }

    fn failed(&self) -> &[FailedServer] {
        &self.opened.failed
    }

    async fn call(&self, call: ToolCallRequest) -> Result<CallResult, ToolError> {
        let _waiting = self.pulse.waiting();
        let result = tokio::select! {
            result = self.ask(&call) => result?,
            lost = self.pulse.lost() => return Err(lost),
        };
        self.toolbox.fetch(result).await
    }

    async fn cancel(&self, call_id: CallId, reason: &str) {
        if let Err(error) = self.toolbox.cancel(&self.opened.instance, call_id, reason).await {
            tracing::debug!(call.id = %call_id, %error, "could not cancel a tool call");
        }
    }

    async fn close(&self) {
        self.stop.cancel();
        self.pulse.over().await;
    }
}

/// Pauses that grow, each shortened by chance.
struct Pauses(u64);

impl Default for Pauses {
    fn default() -> Self {
        Self(FIRST_PAUSE_MS)
    }
}

impl Pauses {
    fn next(&mut self) -> Duration {
        let longest = self.0;
        self.0 = (longest * 2).min(LONGEST_PAUSE_MS);
        Duration::from_millis(rand::rng().random_range(longest / 2..=longest))
    }
}

fn failed(error: BusError) -> ToolError {
    match error {
        BusError::Refused(refusal) => {
            ToolError::Refused { code: refusal.code, message: refusal.message }
        }
        BusError::Timeout { .. } => ToolError::Timeout,
        BusError::NoResponders { .. } => ToolError::GatewayLost,
        other => ToolError::Bus(other),
    }
}

/// Whether asking for the same call again can help: a full queue, a link that comes back.
fn may_pass(error: &ToolError) -> bool {
    match error {
        ToolError::Refused { code, .. } => *code == Code::RateLimited,
        ToolError::GatewayLost | ToolError::Bus(_) => true,
        _ => false,
    }
}

fn lease_error(error: BusError) -> ToolError {
    match failed(error) {
        ToolError::Refused { code: Code::NotFound, .. } => ToolError::LeaseLost,
        other => other,
    }
}
