//! What the orchestrator and the API ask of the MCP gateways.
//!
//! Deadlines are absolute, in milliseconds of Unix time: a request that arrives late is refused
//! rather than begun.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tarsy_domain::id::{CallId, ExecutionId, LeaseId, SessionId, StageId, TimelineEventId};

/// Opens a lease: MCP sessions for one agent execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// The investigation.
    pub session_id: SessionId,
    /// The agent execution that the lease is for.
    pub execution_id: ExecutionId,
    /// The servers it may use.
    pub servers: Vec<ServerGrant>,
    /// When the caller stops waiting.
    pub deadline_ms: i64,
}

/// How busy a gateway is, for the other gateways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayLoad {
    /// The instance.
    pub instance: String,
    /// How many leases it may have.
    pub capacity: u32,
    /// How many it has.
    pub taken: u32,
    /// Whether it takes more; a gateway that stops says so.
    pub open: bool,
}

/// A server that an execution may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerGrant {
    /// The server's id in the catalog.
    pub server: String,
    /// The only tools allowed; none means all of the server's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools: Option<Vec<String>>,
}

/// An open lease.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The lease.
    pub lease_id: LeaseId,
    /// The gateway instance that owns it; calls go to its subjects.
    pub instance: String,
    /// How long the lease lives without a renewal, in milliseconds.
    pub ttl_ms: u64,
    /// What can be called.
    pub tools: Vec<Tool>,
    /// The servers that could not be had, and why.
    pub failed: Vec<FailedServer>,
}

/// One tool of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The server's id.
    pub server: String,
    /// The tool's own name.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// The server says that it changes nothing.
    #[serde(default)]
    pub read_only: bool,
    /// The server says that calling it twice is as calling it once.
    #[serde(default)]
    pub idempotent: bool,
}

impl Tool {
    /// The name that prompts and events use: `server.tool`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }
}

/// A server that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedServer {
    /// The server's id.
    pub server: String,
    /// Why, in words for a person and a model; masked.
    pub error: String,
}

/// Calls a tool on a lease. The same call id is never executed twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRequest {
    /// The lease.
    pub lease_id: LeaseId,
    /// The call.
    pub call_id: CallId,
    /// `server.tool` or `server__tool`.
    pub name: String,
    /// The arguments as the model wrote them: JSON text, or looser.
    pub arguments: String,
    /// When the caller stops waiting.
    pub deadline_ms: i64,
    /// Where people watch it; none if nobody does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shown: Option<Shown>,
}

/// Where people watch a call, so that they can be told how far it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The session.
    pub session_id: SessionId,
    /// The stage.
    pub stage_id: StageId,
    /// The agent execution.
    pub execution_id: ExecutionId,
    /// The call's event on the timeline.
    pub event_id: TimelineEventId,
}

/// What a tool answered. An error of the tool is a result, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The call.
    pub call_id: CallId,
    /// The tool, or the gateway in its place, says that it failed.
    pub is_error: bool,
    /// The masked text; empty when `blob` is set.
    pub content: String,
    /// Where the text lies in the object store when it is too large for a message.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blob: Option<String>,
    /// How many secrets were masked.
    #[serde(default)]
    pub masked: u64,
    /// The tool was not called: the operator's policy or the lease's grant forbids it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub refused_by_policy: bool,
    /// How long the server took.
    pub duration_ms: u64,
}

/// Names a lease: to renew it, list its tools, or give it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRequest {
    /// The lease.
    pub lease_id: LeaseId,
}

/// The tools of a lease.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolList {
    /// What can be called.
    pub tools: Vec<Tool>,
    /// The servers that could not be had, and why.
    pub failed: Vec<FailedServer>,
}

/// Cancels a running call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelCall {
    /// The call.
    pub call_id: CallId,
    /// Why, for the server.
    pub reason: String,
}

/// Done, with nothing to tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {}

/// Asks what became of a call; also after its lease is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeRequest {
    /// The call.
    pub call_id: CallId,
    /// How long the gateway may hold the answer while the call still runs, in milliseconds.
    pub wait_ms: u64,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Outcome {
    /// It has not answered yet.
    Running,
    /// It answered.
    Result {
        /// The answer.
        result: CallResult,
    },
    /// This gateway never heard of it, or has forgotten it.
    Unknown,
}

/// Asks for a server's tools, outside any session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRequest {
    /// The server's id; none asks for all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<String>,
    /// When the caller stops waiting.
    pub deadline_ms: i64,
}

/// Begins a login at a tool server that wants a person's consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginRequest {
    /// The server's id.
    pub server: String,
    /// Where the browser comes back to: an address of the person's own machine.
    pub redirect_uri: String,
    /// When the caller stops waiting.
    pub deadline_ms: i64,
}

/// A login that began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginStarted {
    /// The gateway instance that it has to be finished at.
    pub instance: String,
    /// The login.
    pub login_id: CallId,
    /// Where the browser has to go.
    pub authorization_url: String,
}

/// Ends a login. Its `Debug` does not show the code.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginFinish {
    /// The login.
    pub login_id: CallId,
    /// The whole address that the browser came back to; it holds a code.
    pub callback_url: String,
}

impl fmt::Debug for LoginFinish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginFinish").field("login_id", &self.login_id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_says_its_state() {
        assert_eq!(serde_json::to_string(&Outcome::Running).unwrap(), r#"{"state":"running"}"#);
    }
}
