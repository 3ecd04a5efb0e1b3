//! The traits through which the orchestrator uses the tool gateways.

use std::time::Duration;

use async_trait::async_trait;
use tarsy_contracts::mcp::{
    CallResult, Caller, FailedServer, Outcome, ServerGrant, Tool, ToolCallRequest,
};
use tarsy_domain::id::{CallId, ExecutionId, LeaseId, SessionId};

use crate::error::ToolError;

/// What a lease is opened for.
#[derive(Clone, Debug)]
pub struct OpenToolbox {
    pub session_id: SessionId,
    pub execution_id: ExecutionId,
    pub servers: Vec<ServerGrant>,
    /// Who writes the calls.
    pub caller: Caller,
    /// The longest wait for a gateway with free capacity. Its servers then start within their own
    /// `init_timeout`.
    pub timeout: Duration,
}

/// Opens leases, and looks calls up after their lease has ended.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// Opens a lease at a gateway with free capacity; retries until the request's timeout while
    /// none has any.
    async fn open(&self, request: OpenToolbox) -> Result<Box<dyn ToolLease>, ToolError>;

    /// The outcome of a call that was made through a gateway instance, perhaps by an owner that
    /// has died; waits up to `wait` while the call still runs. [`Outcome::Unknown`] if the gateway
    /// is gone or its record of the call has expired.
    async fn outcome(
        &self,
        instance: &str,
        call_id: CallId,
        wait: Duration,
    ) -> Result<Outcome, ToolError>;

    /// Cancels a call that runs at a gateway instance.
    async fn cancel(&self, instance: &str, call_id: CallId, reason: &str) -> Result<(), ToolError>;
}

/// A lease on MCP sessions for one agent execution; released when it is closed or dropped.
#[async_trait]
pub trait ToolLease: Send + Sync {
    /// The gateway instance that owns the lease.
    fn instance(&self) -> &str;

    fn lease_id(&self) -> LeaseId;

    /// The tools as they were listed when the lease was opened.
    fn tools(&self) -> &[Tool];

    /// The tools as the servers list them now.
    async fn list_tools(&self) -> Result<Vec<Tool>, ToolError> {
        Ok(self.tools().to_vec())
    }

    /// The servers without a session, and why.
    fn failed(&self) -> &[FailedServer];

    /// Calls a tool and returns the whole text of its result. An error of the tool is a result.
    async fn call(&self, call: ToolCallRequest, timeout: Duration)
    -> Result<CallResult, ToolError>;

    /// Cancels a running call; a failure is logged.
    async fn cancel(&self, call_id: CallId, reason: &str);

    /// Releases the lease. A running call may finish, and its outcome can still be looked up.
    async fn close(&self);
}
