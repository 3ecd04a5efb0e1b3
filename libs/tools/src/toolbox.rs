//! What an orchestrator asks of the tool gateways.

use std::time::Duration;

use async_trait::async_trait;
use tarsy_contracts::mcp::{CallResult, FailedServer, Outcome, ServerGrant, Shown, Tool};
use tarsy_domain::id::{CallId, ExecutionId, LeaseId, SessionId};

use crate::error::ToolError;

/// What a lease is opened for.
#[derive(Clone, Debug)]
pub struct OpenToolbox {
    /// The investigation.
    pub session_id: SessionId,
    /// The agent execution that the lease is for.
    pub execution_id: ExecutionId,
    /// The servers it may use.
    pub servers: Vec<ServerGrant>,
    /// How long to wait for a gateway with room and for its servers to start.
    pub timeout: Duration,
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct ToolCallRequest {
    /// The call; the same id is never executed twice.
    pub call_id: CallId,
    /// `server.tool` or `server__tool`.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// How long to wait for the answer.
    pub timeout: Duration,
    /// Where people watch it.
    pub shown: Option<Shown>,
}

/// Opens leases, and tells what became of calls.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// Opens a lease at a gateway with room; tries again for a while when none has any.
    async fn open(&self, request: OpenToolbox) -> Result<Box<dyn ToolLease>, ToolError>;

    /// Tells what became of a call that was made through a gateway instance, perhaps by an owner that
    /// is dead by now; waits up to `wait` while it still runs. A gateway that is gone, or has
    /// forgotten, answers [`Outcome::Unknown`].
    async fn outcome(
        &self,
        instance: &str,
        call_id: CallId,
        wait: Duration,
    ) -> Result<Outcome, ToolError>;

    /// Cancels a call that runs at a gateway instance.
    async fn cancel(&self, instance: &str, call_id: CallId, reason: &str) -> Result<(), ToolError>;
}

/// A lease on MCP sessions for one agent execution; given back when it is closed or dropped.
#[async_trait]
pub trait ToolLease: Send + Sync {
    /// The gateway instance that owns the lease.
    fn instance(&self) -> &str;

    /// The lease's id.
    fn lease_id(&self) -> LeaseId;

    /// What could be called when the lease was opened.
    fn tools(&self) -> &[Tool];

    /// What can be called now: servers may change their tools.
    async fn tools_now(&self) -> Result<Vec<Tool>, ToolError> {
        Ok(self.tools().to_vec())
    }

    /// The servers that could not be had, and why.
    fn failed(&self) -> &[FailedServer];

    /// Calls a tool and brings the whole text of its answer. An error of the tool is a result.
    async fn call(&self, call: ToolCallRequest) -> Result<CallResult, ToolError>;

    /// Cancels a running call, as well as it can be done.
    async fn cancel(&self, call_id: CallId, reason: &str);

    /// Gives the lease back; a call that still runs may finish, and its outcome stays known.
    async fn close(&self);
}
