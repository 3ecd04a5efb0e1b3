//! A toolbox that answers from a script, for tests of callers of tools.
//!
//! ```
//! use std::time::Duration;
//! use tarsy_domain::id::{CallId, ExecutionId, SessionId};
//! use tarsy_tools::{Caller, OpenToolbox, ScriptedToolbox, ToolCallRequest, Toolbox};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let toolbox = ScriptedToolbox::new().tool("host.load").answers("host.load", "0.4 0.2 0.1");
//! let lease = toolbox
//!     .open(OpenToolbox {
//!         session_id: SessionId::new(),
//!         execution_id: ExecutionId::new(),
//!         servers: Vec::new(),
//!         caller: Caller::Person,
//!         timeout: Duration::from_secs(1),
//!     })
//!     .await
//!     .unwrap();
//! let call = ToolCallRequest {
//!     call_id: CallId::new(),
//!     name: "host.load".to_owned(),
//!     arguments: "{}".to_owned(),
//!     display: None,
//!     permit: None,
//! };
//! assert_eq!(lease.call(call, Duration::from_secs(1)).await.unwrap().content, "0.4 0.2 0.1");
//! assert_eq!(toolbox.calls().len(), 1);
//! # });
//! ```

mod gate;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use tarsy_contracts::mcp::{
    CallResult, Caller, FailedServer, Outcome, ServerGrant, Tool, ToolCallRequest,
};
use tarsy_domain::id::{CallId, ExecutionId, LeaseId};
use tokio::sync::watch;

pub use self::gate::Gate;
use crate::error::ToolError;
use crate::toolbox::{OpenToolbox, ToolLease, Toolbox};

/// The outcome of a scripted call.
#[derive(Clone, Debug)]
pub enum Answer {
    Text(String),
    /// A text that is marked as an error.
    Error(String),
    /// A text that is marked as refused by the server's policy.
    Refused(String),
    /// The gateway is lost during the call, before the tool runs.
    GatewayLost,
    Timeout,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCall {
    pub lease_id: LeaseId,
    pub call: ToolCallRequest,
    /// How long the caller waits.
    pub timeout: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOpen {
    pub caller: Caller,
    pub execution_id: ExecutionId,
    pub servers: Vec<ServerGrant>,
    pub lease_id: LeaseId,
    /// Whether the lease was closed or dropped.
    pub closed: bool,
}

#[derive(Default)]
struct Script {
    tools: Vec<Tool>,
    failed: Vec<FailedServer>,
    busy: usize,
    queued: HashMap<String, VecDeque<Answer>>,
    always: HashMap<String, Answer>,
    gates: HashMap<String, Gate>,
    opens: Vec<RecordedOpen>,
    calls: Vec<RecordedCall>,
    cancelled: Vec<CallId>,
    outcomes: BTreeMap<CallId, Outcome>,
}

/// Answers from a script, and records the requests.
#[derive(Clone)]
pub struct ScriptedToolbox {
    script: Arc<Mutex<Script>>,
    cancels: watch::Sender<usize>,
    instance: String,
}

impl Default for ScriptedToolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl ScriptedToolbox {
    /// A toolbox without tools.
    pub fn new() -> Self {
        Self {
            script: Arc::default(),
            cancels: watch::Sender::new(0),
            instance: "scripted-gateway".to_owned(),
        }
    }

    /// Adds a tool that takes any object; `name` is `server.tool`.
    #[must_use]
    pub fn tool(self, name: &str) -> Self {
        let (server, tool) = name.split_once('.').unwrap_or(("test", name));
        self.with_tool(Tool {
            server: server.to_owned(),
            name: tool.to_owned(),
            description: format!("Does {tool}."),
            input_schema: json!({"type": "object"}),
            read_only: false,
            idempotent: false,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        })
    }

    #[must_use]
    pub fn with_tool(self, tool: Tool) -> Self {
        self.script().tools.push(tool);
        self
    }

    /// Reports a failed server.
    #[must_use]
    pub fn without_server(self, server: &str, error: &str) -> Self {
        let failed = FailedServer { server: server.to_owned(), error: error.to_owned() };
        self.script().failed.push(failed);
        self
    }

    /// Answers every call of a tool with this text, unless an answer is queued.
    #[must_use]
    pub fn answers(self, name: &str, text: &str) -> Self {
        self.script().always.insert(plain(name), Answer::Text(text.to_owned()));
        self
    }

    /// Queues one answer of a tool; queued answers come first, in their order.
    #[must_use]
    pub fn then(self, name: &str, answer: Answer) -> Self {
        self.script().queued.entry(plain(name)).or_default().push_back(answer);
        self
    }

    /// Refuses the next opens with [`ToolError::GatewayBusy`].
    #[must_use]
    pub fn busy(self, times: usize) -> Self {
        self.script().busy = times;
        self
    }

    /// Sets the outcome of a call that an earlier owner made.
    #[must_use]
    pub fn with_outcome(self, call_id: CallId, outcome: Outcome) -> Self {
        self.script().outcomes.insert(call_id, outcome);
        self
    }

    /// Blocks the calls of a tool from now on, until the gate is released.
    pub fn block(&self, name: &str) -> Gate {
        let gate = Gate::new();
        self.script().gates.insert(plain(name), gate.clone());
        gate
    }

    /// The executed calls, in their order; a repeated call id is executed once.
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.script().calls.clone()
    }

    /// The opened leases, in their order.
    pub fn opens(&self) -> Vec<RecordedOpen> {
        self.script().opens.clone()
    }

    /// The cancelled calls, in their order.
    pub fn cancelled(&self) -> Vec<CallId> {
        self.script().cancelled.clone()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record_cancel(&self, call_id: CallId) {
        self.script().cancelled.push(call_id);
        self.cancels.send_modify(|count| *count += 1);
    }

    async fn until_cancelled(&self, call_id: CallId) {
        let mut cancels = self.cancels.subscribe();
        let cancelled = |_: &usize| self.script().cancelled.contains(&call_id);
        if cancels.wait_for(cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn execute(
        &self,
        call: &ToolCallRequest,
        timeout: Duration,
    ) -> Result<CallResult, ToolError> {
        let name = plain(&call.name);
        let gate = self.script().gates.get(&name).cloned();
        if let Some(gate) = gate {
            tokio::select! {
                biased;
                () = self.until_cancelled(call.call_id) => {
                    return Ok(self.finish(call, true, "the call was cancelled".to_owned()));
                }
                () = gate.pass() => {}
                () = tokio::time::sleep(timeout) => return Err(ToolError::Timeout),
            }
        }
        match self.answer(&name) {
            Answer::Text(text) => Ok(self.finish(call, false, text)),
            Answer::Error(text) => Ok(self.finish(call, true, text)),
            Answer::Refused(text) => {
                Ok(CallResult { refused_by_policy: true, ..self.finish(call, true, text) })
            }
            Answer::GatewayLost => Err(ToolError::GatewayLost),
            Answer::Timeout => Err(ToolError::Timeout),
        }
    }

    fn answer(&self, name: &str) -> Answer {
        let mut script = self.script();
        if let Some(answer) = script.queued.get_mut(name).and_then(VecDeque::pop_front) {
            return answer;
        }
        if let Some(answer) = script.always.get(name) {
            return answer.clone();
        }
        let names: Vec<String> = script.tools.iter().map(Tool::full_name).collect();
        Answer::Error(format!("unknown tool '{name}'; there are: {}", names.join(", ")))
    }

    fn finish(&self, call: &ToolCallRequest, is_error: bool, content: String) -> CallResult {
        let result =
            CallResult { is_error, duration_ms: 1, ..CallResult::success(call.call_id, content) };
        let outcome = Outcome::Result { result: result.clone() };
        self.script().outcomes.insert(call.call_id, outcome);
        result
    }
}

#[async_trait]
impl Toolbox for ScriptedToolbox {
    async fn open(&self, request: OpenToolbox) -> Result<Box<dyn ToolLease>, ToolError> {
        let mut script = self.script();
        if script.busy > 0 {
            script.busy -= 1;
            return Err(ToolError::GatewayBusy);
        }
        let lease_id = LeaseId::new();
        script.opens.push(RecordedOpen {
            caller: request.caller,
            execution_id: request.execution_id,
            servers: request.servers,
            lease_id,
            closed: false,
        });
        let (tools, failed) = (script.tools.clone(), script.failed.clone());
        Ok(Box::new(ScriptedLease { toolbox: self.clone(), lease_id, tools, failed }))
    }

    async fn outcome(
        &self,
        instance: &str,
        call_id: CallId,
        wait: Duration,
    ) -> Result<Outcome, ToolError> {
        if instance != self.instance {
            return Ok(Outcome::Unknown);
        }
        let outcome = self.script().outcomes.get(&call_id).cloned();
        if outcome == Some(Outcome::Running) {
            tokio::time::sleep(wait).await;
        }
        Ok(outcome.unwrap_or(Outcome::Unknown))
    }

    async fn cancel(&self, _: &str, call_id: CallId, _: &str) -> Result<(), ToolError> {
        self.record_cancel(call_id);
        Ok(())
    }
}

struct ScriptedLease {
    toolbox: ScriptedToolbox,
    lease_id: LeaseId,
    tools: Vec<Tool>,
    failed: Vec<FailedServer>,
}

impl ScriptedLease {
    fn record_close(&self) {
        let mut script = self.toolbox.script();
        let lease = script.opens.iter_mut().find(|open| open.lease_id == self.lease_id);
        if let Some(lease) = lease {
            lease.closed = true;
        }
    }

    fn record(&self, call: &ToolCallRequest, timeout: Duration) -> Option<CallResult> {
        let mut script = self.toolbox.script();
        if let Some(Outcome::Result { result }) = script.outcomes.get(&call.call_id) {
            return Some(result.clone());
        }
        script.outcomes.insert(call.call_id, Outcome::Running);
        let (lease_id, call) = (self.lease_id, call.clone());
        script.calls.push(RecordedCall { lease_id, call, timeout });
        None
    }
}

#[async_trait]
impl ToolLease for ScriptedLease {
    fn instance(&self) -> &str {
        &self.toolbox.instance
    }

    fn lease_id(&self) -> LeaseId {
        self.lease_id
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    async fn list_tools(&self) -> Result<Vec<Tool>, ToolError> {
        Ok(self.toolbox.script().tools.clone())
    }

    fn failed(&self) -> &[FailedServer] {
        &self.failed
    }

    async fn call(
        &self,
        call: ToolCallRequest,
        timeout: Duration,
    ) -> Result<CallResult, ToolError> {
        if let Some(result) = self.record(&call, timeout) {
            return Ok(result);
        }
        self.toolbox.execute(&call, timeout).await
    }

    async fn cancel(&self, call_id: CallId, _: &str) {
        self.toolbox.record_cancel(call_id);
    }

    async fn close(&self) {
        self.record_close();
    }
}

impl Drop for ScriptedLease {
    fn drop(&mut self) {
        self.record_close();
    }
}

/// `server__tool` as `server.tool`.
fn plain(name: &str) -> String {
    name.replacen("__", ".", 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tarsy_domain::id::SessionId;

    const WAIT: Duration = Duration::from_secs(5);

    async fn lease(toolbox: &ScriptedToolbox) -> Box<dyn ToolLease> {
        let request = OpenToolbox {
            session_id: SessionId::new(),
            execution_id: ExecutionId::new(),
            servers: Vec::new(),
            caller: Caller::default(),
            timeout: Duration::from_secs(1),
        };
        toolbox.open(request).await.unwrap()
    }

    fn call(call_id: CallId, name: &str) -> ToolCallRequest {
        ToolCallRequest {
            call_id,
            name: name.to_owned(),
            arguments: "{}".to_owned(),
            display: None,
            permit: None,
        }
    }

    #[tokio::test]
    async fn queued_answers_come_before_the_standing_one() {
        let toolbox = ScriptedToolbox::new()
            .tool("a.b")
            .answers("a.b", "standing")
            .then("a.b", Answer::Error("first".to_owned()));
        let lease = lease(&toolbox).await;
        let first = lease.call(call(CallId::new(), "a.b"), WAIT).await.unwrap();
        assert!(first.is_error);
        let second = lease.call(call(CallId::new(), "a__b"), WAIT).await.unwrap();
        assert_eq!(second.content, "standing");
    }

    #[tokio::test]
    async fn a_repeated_call_id_is_executed_once() {
        let toolbox = ScriptedToolbox::new().tool("a.b").answers("a.b", "x");
        let lease = lease(&toolbox).await;
        let id = CallId::new();
        lease.call(call(id, "a.b"), WAIT).await.unwrap();
        lease.call(call(id, "a.b"), WAIT).await.unwrap();
        assert_eq!(toolbox.calls().len(), 1);
        let outcome = toolbox.outcome(lease.instance(), id, Duration::ZERO).await.unwrap();
        assert!(matches!(outcome, Outcome::Result { .. }));
    }

    #[tokio::test]
    async fn a_blocked_call_waits_until_it_is_released_or_cancelled() {
        let toolbox = ScriptedToolbox::new().tool("a.b").answers("a.b", "x");
        let gate = toolbox.block("a.b");
        let lease = lease(&toolbox).await;
        let (stuck, freed) = (CallId::new(), CallId::new());
        let both = async {
            tokio::join!(lease.call(call(stuck, "a.b"), WAIT), lease.call(call(freed, "a.b"), WAIT))
        };
        let script = async {
            gate.entered(2).await;
            lease.cancel(stuck, "no longer needed").await;
            gate.release();
        };
        let ((stuck, freed), ()) = tokio::join!(both, script);
        assert!(stuck.unwrap().is_error);
        assert_eq!(freed.unwrap().content, "x");
    }

    #[tokio::test]
    async fn a_dropped_lease_is_closed() {
        let toolbox = ScriptedToolbox::new();
        drop(lease(&toolbox).await);
        assert!(toolbox.opens()[0].closed);
    }
}
