//! Opens a lease: finds a gateway, and asks it until the servers have started. Every request is short and may
//! be lost: the next one joins the same opening.

use std::time::Duration;

use tarsy_bus::{Bus, Error as BusError};
use tarsy_contracts::mcp::{OpenRequest, OpenState, OpenedLease};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::code::Code;
use tarsy_domain::id::LeaseId;
use tokio::time::Instant;

use crate::delays::{BACKOFF, millis};
use crate::error::{ToolError, request_error};
use crate::liveness::{ANSWER_GRACE, Liveness, SUSPECT_INTERVAL, Verdict};
use crate::toolbox::OpenToolbox;

/// How long a gateway may delay its answer while the servers start.
const OPEN_WAIT: Duration = Duration::from_secs(1);
/// The gateways that may be lost while they open the same lease.
const MAX_GATEWAYS: usize = 3;

/// Opens a lease. A gateway has to be found within the request's timeout; its servers then start within
/// their own time limits, which the gateway enforces, as long as it answers.
pub(crate) async fn open(bus: &Bus, request: &OpenToolbox) -> Result<OpenedLease, ToolError> {
    let message = OpenRequest {
        lease_id: LeaseId::new(),
        session_id: request.session_id,
        execution_id: request.execution_id,
        servers: request.servers.clone(),
        caller: request.caller.clone(),
        wait_ms: millis(OPEN_WAIT),
    };
    for _ in 0..MAX_GATEWAYS {
        let instance = match find_gateway(bus, &message, request.timeout).await? {
            OpenState::Open { lease } => return Ok(lease),
            OpenState::Opening { instance } => instance,
        };
        match wait_until_open(bus, &message, &instance).await {
            Err(ToolError::GatewayLost | ToolError::GatewayBusy) => {
                tracing::info!(instance, lease.id = %message.lease_id, "a gateway was lost while it opened a lease");
            }
            opened => return opened,
        }
    }
    Err(ToolError::GatewayLost)
}

/// Sends the request to any gateway until one accepts it.
async fn find_gateway(
    bus: &Bus,
    message: &OpenRequest,
    timeout: Duration,
) -> Result<OpenState, ToolError> {
    let end = Instant::now() + timeout;
    let mut failures = 0;
    loop {
        let answer =
            bus.request(subject::MCP_OPEN.to_owned(), message, OPEN_WAIT + ANSWER_GRACE).await;
        let error = match answer {
            Ok(state) => return Ok(state),
            Err(BusError::Refused(refusal)) if refusal.code == Code::RateLimited => {
                ToolError::GatewayBusy
            }
            Err(BusError::NoResponders { .. }) => ToolError::NoGateway,
            Err(BusError::Timeout { .. }) => ToolError::Timeout,
            Err(error) => return Err(request_error(error)),
        };
        failures += 1;
        let delay = BACKOFF.pause(failures);
        if Instant::now() + delay >= end {
            return Err(error);
        }
        tracing::debug!(session.id = %message.session_id, %error, "retrying to open a lease");
        tokio::time::sleep(delay).await;
    }
}

/// Asks the gateway that opens the lease until it is open, or the gateway is gone.
async fn wait_until_open(
    bus: &Bus,
    message: &OpenRequest,
    instance: &str,
) -> Result<OpenedLease, ToolError> {
    let mut liveness = Liveness::new(bus);
    loop {
        let subject = subject::mcp_instance(instance, McpVerb::Open);
        let sent = Instant::now();
        let answer: Result<OpenState, BusError> =
            bus.request(subject, message, OPEN_WAIT + ANSWER_GRACE).await;
        let verdict = liveness.observe(sent, &answer).await;
        match answer {
            Ok(OpenState::Open { lease }) => return Ok(lease),
            Ok(OpenState::Opening { .. }) => {}
            Err(BusError::Refused(refusal)) if refusal.code == Code::RateLimited => {
                return Err(ToolError::GatewayBusy);
            }
            Err(_) if verdict == Verdict::Gone => return Err(ToolError::GatewayLost),
            Err(BusError::NoResponders { .. } | BusError::Timeout { .. }) => {
                tokio::time::sleep(SUSPECT_INTERVAL).await;
            }
            Err(error) => return Err(request_error(error)),
        }
    }
}
