//! The toolbox that sends requests to the gateways over the bus.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tarsy_bus::{Bus, Error as BusError};
use tarsy_contracts::mcp::{
    Ack, CallRequest, CallResult, CancelRequest, FailedServer, LeaseRequest, OpenRequest,
    OpenedLease, Outcome, OutcomeRequest, Tool, ToolCallRequest, ToolList,
};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_contracts::topology;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::clock::{Clock, SystemClock};
use tarsy_domain::code::Code;
use tarsy_domain::id::{CallId, LeaseId};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::error::ToolError;
use crate::renewal::{LeaseMonitor, Renewal};
use crate::toolbox::{OpenToolbox, ToolLease, Toolbox};

/// The wait after a gateway's own deadline, so that its refusal arrives instead of a timeout here.
const REPLY_GRACE: Duration = Duration::from_secs(2);
/// The timeout of listing tools: the gateway lists changed servers again before it replies.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of requests that the gateway answers from memory.
const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
/// The delays between the attempts to open a lease or to send a call: a busy gateway frees capacity within
/// seconds.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(2));

#[derive(Clone)]
pub struct BusToolbox {
    bus: Bus,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
}

impl BusToolbox {
    pub fn new(bus: Bus) -> Self {
        Self { bus, clock: Arc::new(SystemClock), tasks: TaskTracker::new() }
    }

    fn deadline_ms(&self, timeout: Duration) -> i64 {
        let timeout = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
        self.clock.now().as_millisecond().saturating_add(timeout)
    }

    /// Waits until the bus has reconnected after an outage: a reply that was sent during the outage is
    /// lost.
    async fn reconnected(&self) {
        let mut connection = self.bus.connection();
        let before = connection.borrow().generation;
        if connection.wait_for(|state| state.connected && state.generation > before).await.is_err()
        {
            std::future::pending::<()>().await;
        }
    }

    /// The result with its text, which is fetched from the object store if it lies there.
    async fn fetch_content(&self, result: CallResult) -> Result<CallResult, ToolError> {
        let Some(key) = result.blob.clone() else { return Ok(result) };
        let bytes = self.bus.blobs(&topology::BLOBS).get(&key).await.map_err(ToolError::Fetch)?;
        let content = String::from_utf8(bytes.to_vec()).map_err(|_| ToolError::NotText)?;
        Ok(CallResult { content, blob: None, ..result })
    }

    async fn try_open(
        &self,
        request: &OpenToolbox,
        timeout: Duration,
    ) -> Result<OpenedLease, BusError> {
        let message = OpenRequest {
            session_id: request.session_id,
            execution_id: request.execution_id,
            servers: request.servers.clone(),
            deadline_ms: self.deadline_ms(timeout),
        };
        self.bus.request(subject::MCP_OPEN.to_owned(), &message, timeout + REPLY_GRACE).await
    }

    fn start_lease(&self, opened: OpenedLease) -> BusLease {
        let (stop, monitor) = (CancellationToken::new(), LeaseMonitor::new());
        let renewal = Renewal {
            bus: self.bus.clone(),
            instance: opened.instance.clone(),
            lease_id: opened.lease_id,
            ttl: Duration::from_millis(opened.ttl_ms),
            monitor: monitor.clone(),
            stop: stop.clone(),
        };
        self.tasks.spawn(renewal.run());
        BusLease {
            toolbox: self.clone(),
            opened,
            monitor,
            stop: stop.clone(),
            _drop: stop.drop_guard(),
        }
    }
}

#[async_trait]
impl Toolbox for BusToolbox {
    async fn open(&self, request: OpenToolbox) -> Result<Box<dyn ToolLease>, ToolError> {
        let end = Instant::now() + request.timeout;
        let mut failures = 0;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let error = match self.try_open(&request, left).await {
                Ok(opened) => return Ok(Box::new(self.start_lease(opened))),
                Err(BusError::Refused(refusal)) if refusal.code == Code::RateLimited => {
                    ToolError::GatewayBusy
                }
                Err(BusError::NoResponders { .. }) => ToolError::NoGateway,
                Err(error) => return Err(request_error(error)),
            };
            failures += 1;
            let delay = BACKOFF.pause(failures);
            if Instant::now() + delay >= end {
                return Err(error);
            }
            tracing::debug!(session.id = %request.session_id, %error, "retrying to open a lease");
            tokio::time::sleep(delay).await;
        }
    }

    async fn outcome(
        &self,
        instance: &str,
        call_id: CallId,
        wait: Duration,
    ) -> Result<Outcome, ToolError> {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let message = OutcomeRequest { call_id, wait_ms };
        let subject = subject::mcp_instance(instance, McpVerb::Outcome);
        match self.bus.request(subject, &message, wait + SHORT_TIMEOUT).await {
            Ok(Outcome::Result { result }) => {
                Ok(Outcome::Result { result: self.fetch_content(result).await? })
            }
            Ok(outcome) => Ok(outcome),
            Err(BusError::NoResponders { .. }) => Ok(Outcome::Unknown),
            Err(error) => Err(request_error(error)),
        }
    }

    async fn cancel(&self, instance: &str, call_id: CallId, reason: &str) -> Result<(), ToolError> {
        let message = CancelRequest { call_id, reason: reason.to_owned() };
        let subject = subject::mcp_instance(instance, McpVerb::Cancel);
        let reply: Result<Ack, BusError> = self.bus.request(subject, &message, SHORT_TIMEOUT).await;
        reply.map(|Ack {}| ()).map_err(request_error)
    }
}

struct BusLease {
    toolbox: BusToolbox,
    opened: OpenedLease,
    monitor: LeaseMonitor,
    stop: CancellationToken,
    _drop: DropGuard,
}

impl BusLease {
    /// Sends the call until it is answered. The gateway joins a repeated call id to the call that runs
    /// already, so that a lost reply causes no second execution.
    async fn send_call(
        &self,
        call: ToolCallRequest,
        timeout: Duration,
    ) -> Result<CallResult, ToolError> {
        let end = Instant::now() + timeout;
        let message = CallRequest {
            lease_id: self.opened.lease_id,
            call,
            deadline_ms: self.toolbox.deadline_ms(timeout),
        };
        let subject = subject::mcp_instance(&self.opened.instance, McpVerb::Call);
        let mut failures = 0;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let bus = &self.toolbox.bus;
            let reply = tokio::select! {
                biased;
                reply = bus.request(subject.clone(), &message, left + REPLY_GRACE) => reply,
                () = self.toolbox.reconnected() => continue,
            };
            let error = match reply {
                Ok(result) => return Ok(result),
                Err(error) => lease_error(error),
            };
            failures += 1;
            let delay = BACKOFF.pause(failures);
            if !is_transient(&error) || Instant::now() + delay >= end {
                return Err(error);
            }
            tracing::debug!(call.id = %message.call.call_id, %error, "retrying a tool call");
            tokio::time::sleep(delay).await;
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

    async fn list_tools(&self) -> Result<Vec<Tool>, ToolError> {
        let message = LeaseRequest { lease_id: self.opened.lease_id };
        let subject = subject::mcp_instance(&self.opened.instance, McpVerb::List);
        let list: Result<ToolList, BusError> =
            self.toolbox.bus.request(subject, &message, LIST_TIMEOUT).await;
        list.map(|list| list.tools).map_err(lease_error)
    }

    fn failed(&self) -> &[FailedServer] {
        &self.opened.failed
    }

    async fn call(
        &self,
        call: ToolCallRequest,
        timeout: Duration,
    ) -> Result<CallResult, ToolError> {
        let _running = self.monitor.start_call();
        let result = tokio::select! {
            result = self.send_call(call, timeout) => result?,
            lost = self.monitor.wait_lost() => return Err(lost),
        };
        self.toolbox.fetch_content(result).await
    }

    async fn cancel(&self, call_id: CallId, reason: &str) {
        if let Err(error) = self.toolbox.cancel(&self.opened.instance, call_id, reason).await {
            tracing::debug!(call.id = %call_id, %error, "could not cancel a tool call");
        }
    }

    async fn close(&self) {
        self.stop.cancel();
        self.monitor.wait_ended().await;
    }
}

fn request_error(error: BusError) -> ToolError {
    match error {
        BusError::Refused(refusal) => {
            ToolError::Refused { code: refusal.code, message: refusal.message }
        }
        BusError::Timeout { .. } => ToolError::Timeout,
        BusError::NoResponders { .. } => ToolError::GatewayLost,
        other => ToolError::Bus(other),
    }
}

/// Whether a retry of the same call can succeed: the queue is full, or the bus reconnects.
fn is_transient(error: &ToolError) -> bool {
    match error {
        ToolError::Refused { code, .. } => *code == Code::RateLimited,
        ToolError::GatewayLost | ToolError::Bus(_) => true,
        _ => false,
    }
}

fn lease_error(error: BusError) -> ToolError {
    match request_error(error) {
        ToolError::Refused { code: Code::NotFound, .. } => ToolError::LeaseLost,
        other => other,
    }
}
