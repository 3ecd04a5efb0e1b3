//! The toolbox that sends requests to the gateways over the bus.

use std::time::Duration;

use async_trait::async_trait;
use tarsy_bus::{Bus, Error as BusError};
use tarsy_contracts::mcp::{
    Ack, CallRequest, CallResult, CancelRequest, FailedServer, LeaseRequest, OpenedLease, Outcome,
    OutcomeRequest, Tool, ToolCallRequest, ToolList,
};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_contracts::topology;
use tarsy_domain::code::Code;
use tarsy_domain::id::{CallId, LeaseId};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::delays::{BACKOFF, millis};
use crate::error::{ToolError, request_error};
use crate::liveness::{ANSWER_GRACE, Liveness, SUSPECT_INTERVAL, Verdict};
use crate::opening;
use crate::renewal::{LeaseMonitor, Renewal};
use crate::toolbox::{OpenToolbox, ToolLease, Toolbox};

/// The wait after a gateway's own deadline, so that its refusal arrives instead of a timeout here.
const REPLY_GRACE: Duration = Duration::from_secs(2);
/// The timeout of listing tools: the gateway lists changed servers again before it replies.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of requests that the gateway answers from memory.
const SHORT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a gateway may delay one answer about a call that runs: a gateway that is gone is noticed soon,
/// however long the caller waits.
const OUTCOME_STEP: Duration = Duration::from_secs(2);
/// How often the outcome of a call is requested that is still waited for: its request or its reply may be lost with
/// the gateway's connection alone, which this process does not notice.
const OUTCOME_INTERVAL: Duration = Duration::from_secs(10);
/// The failed requests for one outcome, those included that an outage of the bus lost. After an outage requests fail for
/// `RECONNECT_GRACE` before they count as misses, one each [`SUSPECT_INTERVAL`]; then the gateway must be found gone.
const MAX_OUTCOME_ERRORS: u32 = 12;

#[derive(Clone)]
pub struct BusToolbox {
    bus: Bus,
    tasks: TaskTracker,
}

impl BusToolbox {
    pub fn new(bus: Bus) -> Self {
        Self { bus, tasks: TaskTracker::new() }
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
        Ok(Box::new(self.start_lease(opening::open(&self.bus, &request).await?)))
    }

    async fn outcome(
        &self,
        instance: &str,
        call_id: CallId,
        wait: Duration,
    ) -> Result<Outcome, ToolError> {
        let until = Instant::now() + wait;
        let (mut liveness, mut errors) = (Liveness::new(&self.bus), 0);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let wait = left.min(OUTCOME_STEP);
            let message = OutcomeRequest { call_id, wait_ms: millis(wait) };
            let subject = subject::mcp_instance(instance, McpVerb::Outcome);
            let sent = Instant::now();
            let answer = self.bus.request(subject, &message, wait + ANSWER_GRACE).await;
            let verdict = liveness.observe(sent, &answer).await;
            match answer {
                Ok(Outcome::Running) if left > OUTCOME_STEP => {}
                Ok(Outcome::Result { result }) => {
                    return Ok(Outcome::Result { result: self.fetch_content(result).await? });
                }
                Ok(outcome) => return Ok(outcome),
                Err(_) if verdict == Verdict::Gone => return Ok(Outcome::Unknown),
                Err(error) => {
                    errors += 1;
                    if errors == MAX_OUTCOME_ERRORS {
                        return Err(request_error(error));
                    }
                    tokio::time::sleep(SUSPECT_INTERVAL).await;
                }
            }
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
        let mut message = CallRequest { lease_id: self.opened.lease_id, call, timeout_ms: 0 };
        let subject = subject::mcp_instance(&self.opened.instance, McpVerb::Call);
        let mut failures = 0;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            message.timeout_ms = millis(left);
            let bus = &self.toolbox.bus;
            let reply = tokio::select! {
                biased;
                reply = bus.request(subject.clone(), &message, left + REPLY_GRACE) => reply,
                () = self.toolbox.reconnected() => continue,
                outcome = Box::pin(self.lost_outcome(message.call.call_id)) => match outcome {
                    Some(result) => return Ok(result),
                    None => continue,
                },
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

    /// Ends when the gateway has the result of a call, or none if it does not know the call.
    async fn lost_outcome(&self, call_id: CallId) -> Option<CallResult> {
        let message = OutcomeRequest { call_id, wait_ms: 0 };
        loop {
            tokio::time::sleep(OUTCOME_INTERVAL).await;
            let subject = subject::mcp_instance(&self.opened.instance, McpVerb::Outcome);
            match self.toolbox.bus.request(subject, &message, ANSWER_GRACE).await {
                Ok(Outcome::Result { result }) => return Some(result),
                Ok(Outcome::Unknown) => return None,
                Ok(Outcome::Running) | Err(_) => {}
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liveness::{MAX_MISSES, RECONNECT_GRACE};

    #[test]
    fn a_gateway_is_found_gone_before_the_outcome_is_given_up() {
        let unsettled = SUSPECT_INTERVAL * (MAX_OUTCOME_ERRORS - MAX_MISSES);
        assert!(unsettled > RECONNECT_GRACE, "{unsettled:?}");
    }
}
