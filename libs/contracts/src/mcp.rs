//! The messages between the orchestrator, the API and the MCP gateways.
//!
//! Times are durations, never moments: the clocks of two machines may differ by any amount. The receiver
//! counts a duration on its own monotonic clock, from the arrival of the request.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_domain::id::{CallId, ExecutionId, LeaseId, SessionId, StageId, TimelineEventId};

use crate::judged::{Decider, Judged};

/// Opens a lease: MCP sessions for one agent execution. It is sent again until the lease is open; the
/// same `lease_id` joins the opening that runs, or gets the lease that is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenRequest {
    /// Chosen by the caller.
    pub lease_id: LeaseId,
    pub session_id: SessionId,
    pub execution_id: ExecutionId,
    pub servers: Vec<ServerGrant>,
    /// Who writes the calls. Default: a model, of an alert without hosts.
    #[serde(default)]
    pub caller: Caller,
    /// How long the gateway may delay its answer while the servers start, in milliseconds.
    pub wait_ms: u64,
}

/// Who writes the calls on a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Caller {
    /// A model, which has read text that anybody may have written.
    Model {
        /// The hosts that its alert names as its own.
        #[serde(default)]
        alert_hosts: Vec<String>,
    },
    Person,
    /// A model in a session that is replayed: tools are listed and answered from the record of the original, and no
    /// server is reached. A gateway of an older version refuses the request.
    Replay,
}

impl Default for Caller {
    fn default() -> Self {
        Self::Model { alert_hosts: Vec::new() }
    }
}

/// The answer to an [`OpenRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum OpenState {
    /// The servers still start, each within its `init_timeout`; ask this instance again.
    Opening {
        instance: String,
    },
    Open {
        lease: OpenedLease,
    },
}

/// The load of a gateway, for the other gateways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayLoad {
    pub instance: String,
    /// The most leases it holds at once.
    pub capacity: u32,
    /// The leases it holds now.
    pub taken: u32,
    /// Whether it accepts leases; false once it is stopping.
    pub open: bool,
}

/// A server that an execution may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerGrant {
    /// The server's id in the catalog.
    pub server: String,
    /// The only tools allowed. Default: all tools of the server.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tools: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedLease {
    pub lease_id: LeaseId,
    /// The gateway instance that owns it; calls go to its subjects.
    pub instance: String,
    /// The lease expires this many milliseconds after its last renewal.
    pub ttl_ms: u64,
    pub tools: Vec<Tool>,
    pub failed: Vec<FailedServer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The server's id in the catalog.
    pub server: String,
    /// The tool's name at its server, without the server's id.
    pub name: String,
    /// The server's description, masked.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// The server's `readOnlyHint`. Default: false.
    #[serde(default)]
    pub read_only: bool,
    /// The server's `idempotentHint`. Default: false.
    #[serde(default)]
    pub idempotent: bool,
    /// What the policy of the server says of it.
    #[serde(default, skip_serializing_if = "ToolTerms::is_default")]
    pub terms: ToolTerms,
}

/// Whether a tool reads or changes something, and what a call of it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolTerms {
    pub class: ToolClass,
    /// Why it has this class, for a person.
    pub reason: String,
    /// Who, or what, decided its class.
    #[serde(default)]
    pub decided_by: Decider,
    pub requirement: Requirement,
    /// The parameters that decide whether a call reads: one that does needs no approval. Empty if its calls are not judged one
    /// by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<Judged>,
    /// A definition that differs from the accepted one is withheld, rather than reported.
    #[serde(default)]
    pub pinned: bool,
    #[serde(default)]
    pub reach: ToolReach,
    /// Why it reaches any host, for a person; else empty.
    #[serde(default)]
    pub reach_reason: String,
    /// The parameter with which a call changes nothing, where the operator trusts the tool with that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<String>,
    /// The SHA-256 of what the tool says of itself, in hexadecimal digits.
    pub definition: String,
}

impl ToolTerms {
    /// Whether a call with these arguments is a dry run.
    pub fn is_dry_run(&self, arguments: &Map<String, Value>) -> bool {
        let asks = |name: &String| arguments.get(name) == Some(&Value::Bool(true));
        self.dry_run.as_ref().is_some_and(asks)
    }

    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a tool reads or changes something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolClass {
    ReadOnly,
    Write,
    #[default]
    Unknown,
}

impl ToolClass {
    /// The word of `policy` in the configuration, and for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Write => "write",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether a tool reaches addresses that its arguments name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolReach {
    /// It does (`openWorldHint`).
    AnyHost,
    /// It reaches its own system only.
    OwnSystem,
    /// Nothing says so.
    #[default]
    Unstated,
}

/// What a call of a tool needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    #[default]
    None,
    /// That an operator has accepted its definition, or else approval.
    Acceptance,
    /// A person's approval of each call.
    Approval,
}

impl Tool {
    /// `server.tool`, as in prompts and events.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.server, self.name)
    }
}

/// A server without a session, or whose tools do not fit into the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedServer {
    /// The server's id in the catalog.
    pub server: String,
    /// The reason, for a person and a model; masked.
    pub error: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallRequest {
    /// A gateway executes the same id once.
    pub call_id: CallId,
    /// `server.tool` or `server__tool`.
    pub name: String,
    /// The arguments as the model wrote them: JSON, YAML, `name: value` pairs or a single value.
    pub arguments: String,
    /// Where the progress of the call is displayed. Default: nowhere.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub display: Option<DisplayTarget>,
    /// The definition of the tool ([`ToolTerms::definition`]) whose requirement the caller has seen met: it was accepted,
    /// or a person approved this call. Default: none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub permit: Option<String>,
}

/// The timeline event at which the progress of a call is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayTarget {
    pub session_id: SessionId,
    pub stage_id: StageId,
    pub execution_id: ExecutionId,
    pub event_id: TimelineEventId,
}

/// Calls a tool on a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRequest {
    pub lease_id: LeaseId,
    #[serde(flatten)]
    pub call: ToolCallRequest,
    /// How long the caller still waits, in milliseconds; zero is refused.
    pub timeout_ms: u64,
}

/// The result of a call. An error of the tool is a result, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    pub call_id: CallId,
    /// The tool failed, or the gateway could not call it.
    pub is_error: bool,
    /// The masked text; empty when `blob` is set.
    pub content: String,
    /// The key in the object store of a text that is too large for a message.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blob: Option<String>,
    /// The number of secrets masked in `content`.
    #[serde(default)]
    pub masked: u64,
    /// The tool was not called: the operator's policy or the lease's grant forbids it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub refused_by_policy: bool,
    /// The time from the start of the call to its result.
    pub duration_ms: u64,
}

impl CallResult {
    /// A result with this masked text and nothing else set.
    pub const fn success(call_id: CallId, content: String) -> Self {
        Self {
            call_id,
            is_error: false,
            content,
            blob: None,
            masked: 0,
            refused_by_policy: false,
            duration_ms: 0,
        }
    }

    /// Like [`CallResult::success`], marked as an error.
    pub fn error(call_id: CallId, content: String) -> Self {
        Self { is_error: true, ..Self::success(call_id, content) }
    }
}

/// Identifies a lease in the requests that renew it, list its tools or close it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRequest {
    pub lease_id: LeaseId,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolList {
    pub tools: Vec<Tool>,
    pub failed: Vec<FailedServer>,
}

/// Cancels a running call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelRequest {
    pub call_id: CallId,
    /// The reason, for the server.
    pub reason: String,
}

/// The reply to a request that has no other result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {}

/// Requests the outcome of a call; valid after its lease has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutcomeRequest {
    pub call_id: CallId,
    /// How long the gateway may delay its reply while the call still runs, in milliseconds.
    pub wait_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Outcome {
    Running,
    Result {
        result: CallResult,
    },
    /// This gateway never received the call, or its record has expired.
    Unknown,
}

/// Lists a server's tools without a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRequest {
    /// The server's id. Default: all servers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<String>,
    /// How long the caller still waits, in milliseconds; zero is refused.
    pub timeout_ms: u64,
}

/// Lists the tools of a server that is not configured, which gets no credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialRequest {
    /// Its address, which answers streamable HTTP.
    pub url: String,
    /// How long the caller still waits, in milliseconds; zero is refused.
    pub timeout_ms: u64,
}

/// Begins a login at a tool server that requires a person's consent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginRequest {
    /// The server's id in the catalog.
    pub server: String,
    /// The redirect URI of the login: an address of the person's own machine.
    pub redirect_uri: String,
    /// How long the caller still waits, in milliseconds; zero is refused.
    pub timeout_ms: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginStarted {
    /// The gateway instance that has to finish it.
    pub instance: String,
    pub login_id: CallId,
    /// The address to open in the browser.
    pub authorization_url: String,
}

/// Finishes a login. Its `Debug` omits the authorization code.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginFinish {
    pub login_id: CallId,
    /// The whole address of the redirect; it contains the authorization code.
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
    fn an_outcome_is_tagged_with_its_state() {
        assert_eq!(serde_json::to_string(&Outcome::Running).unwrap(), r#"{"state":"running"}"#);
    }
}
