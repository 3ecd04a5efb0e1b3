//! One lease: the sessions of one agent execution, and the calls on them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use rmcp::model::CallToolRequestParams;
use serde_json::Map;
use tarsy_catalog::{Endpoint, McpServer};
use tarsy_contracts::mcp::{CallResult, Caller, FailedServer, Tool, ToolCallRequest};
use tarsy_domain::backoff::Backoff;
use tarsy_domain::id::{CallId, LeaseId};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::allowed_hosts::{AllowedHosts, Approval};
use crate::capacity::CapacityPermit;
use crate::failure::Failure;
use crate::masks::Masks;
use crate::progress::{ProgressPublisher, Step};
use crate::replay::Replay;
use crate::schema::ToolSchema;
use crate::upstream::{PendingCall, Slot, ToolResponse};
use crate::{arguments, content, host_inspector, policy, sessions, tool_names};

/// The delay before the only retry of a call.
const RETRY: Backoff = Backoff::new(Duration::from_millis(750), Duration::from_millis(750));

/// A server that a lease may use.
pub(crate) struct LeaseGrant {
    pub(crate) slot: Arc<Slot>,
    pub(crate) masks: Arc<Masks>,
    /// The only tools that may be called; none allows all.
    pub(crate) tools: Option<BTreeSet<String>>,
    /// Whether other leases use the session, too.
    pub(crate) shared: bool,
}

impl LeaseGrant {
    fn server(&self) -> &McpServer {
        self.slot.server()
    }

    fn permits(&self, tool: &Tool) -> bool {
        policy::refusal(&self.server().policy, self.tools.as_ref(), tool).is_none()
    }
}

/// The bounds of a call on a lease, and where its progress goes.
pub(crate) struct CallOptions {
    pub(crate) deadline: Instant,
    pub(crate) cancel: CancellationToken,
    pub(crate) progress: Option<ProgressPublisher>,
}

pub(crate) struct Lease {
    pub(crate) id: LeaseId,
    /// The servers without a session.
    pub(crate) failed: Vec<FailedServer>,
    caller: Caller,
    grants: Vec<LeaseGrant>,
    /// Answers instead of servers.
    replay: Option<Replay>,
    renewed: Mutex<Instant>,
    running: watch::Sender<usize>,
    _permit: CapacityPermit,
}

/// Counts a running call until it is dropped.
pub(crate) struct RunningCall(Arc<Lease>);

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.running.send_modify(|count| *count = count.saturating_sub(1));
    }
}

impl Lease {
    pub(crate) fn new(
        id: LeaseId,
        grants: Vec<LeaseGrant>,
        failed: Vec<FailedServer>,
        caller: Caller,
        permit: CapacityPermit,
    ) -> Self {
        let (renewed, running) = (Mutex::new(Instant::now()), watch::Sender::new(0));
        Self { id, failed, caller, grants, replay: None, renewed, running, _permit: permit }
    }

    /// A lease whose tools are answered from a record.
    pub(crate) fn replaying(
        id: LeaseId,
        (replay, failed): (Replay, Vec<FailedServer>),
        permit: CapacityPermit,
    ) -> Self {
        let lease = Self::new(id, Vec::new(), failed, Caller::Replay, permit);
        Self { replay: Some(replay), ..lease }
    }

    /// The permitted tools as of the last list.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        if let Some(replay) = &self.replay {
            return replay.tools().to_vec();
        }
        let permitted = |grant: &LeaseGrant| {
            let tools = grant.slot.tools();
            tools.iter().filter(|tool| grant.permits(tool)).cloned().collect::<Vec<_>>()
        };
        self.grants.iter().flat_map(permitted).collect()
    }

    /// The permitted tools, listed again where a server has announced a change.
    pub(crate) async fn refresh_tools(&self) -> Vec<Tool> {
        join_all(self.grants.iter().map(|grant| grant.slot.refresh_tools())).await;
        self.tools()
    }

    /// The server and the tool that a name means; none if the lease has no such server.
    pub(crate) fn target<'a>(&'a self, name: &'a str) -> Option<(&'a McpServer, &'a str)> {
        let (grant, tool) = self.find_grant(name)?;
        Some((grant.server(), tool))
    }

    pub(crate) fn renew(&self) {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether the last renewal is older than `ttl`; false while a call runs.
    pub(crate) fn is_expired(&self, ttl: Duration) -> bool {
        let renewed = *self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_idle() && renewed.elapsed() > ttl
    }

    /// Whether no call runs.
    pub(crate) fn is_idle(&self) -> bool {
        *self.running.borrow() == 0
    }

    pub(crate) async fn wait_until_idle(&self) {
        // The sender lives as long as the lease, so that this cannot fail.
        drop(self.running.subscribe().wait_for(|count| *count == 0).await);
    }

    pub(crate) fn start_call(self: &Arc<Self>) -> RunningCall {
        self.running.send_modify(|count| *count += 1);
        RunningCall(Arc::clone(self))
    }

    /// Closes the sessions that no other lease uses.
    pub(crate) async fn close(&self) {
        let own = self.grants.iter().filter(|grant| !grant.shared);
        join_all(own.map(|grant| grant.slot.close())).await;
    }

    /// Sends the DELETE of each server that has an address for the end of an execution.
    pub(crate) async fn end_executions(&self) {
        let own = self.grants.iter().filter(|grant| !grant.shared);
        join_all(own.map(|grant| sessions::end(grant.server()))).await;
    }

    /// Calls a tool. The result is masked; its duration is not set.
    pub(crate) async fn call(&self, call: &ToolCallRequest, options: &CallOptions) -> CallResult {
        if let Some(replay) = &self.replay {
            return replay.call(call).await;
        }
        let Some((grant, tool)) = self.find_tool(&call.name).await else {
            return self.tool_not_found(call);
        };
        let listed = grant.slot.input_schema(&tool.name);
        let schema = listed.unwrap_or_else(|| Arc::new(ToolSchema::new(tool.input_schema.clone())));
        let arguments = match arguments::read(&call.arguments, &schema).await {
            Ok(arguments) => arguments,
            Err(faults) => {
                let text = format!("The call of '{}' was not made: {faults}", tool.full_name());
                return CallResult::error(call.call_id, grant.masks.mask(text).await.text);
            }
        };
        let permit = call.permit.as_deref();
        let undeclared = || match self.caller {
            Caller::Model { .. } => {
                policy::undeclared(&grant.server().policy, &tool, permit, &arguments)
            }
            Caller::Person | Caller::Replay => None,
        };
        let refusal = policy::missing_permit(&tool, permit, &arguments).or_else(undeclared);
        if let Some(refusal) = refusal {
            tracing::info!(tool.name = call.name, "the policy refuses a tool call");
            return refused(call.call_id, grant.masks.mask(refusal).await.text);
        }
        let approval = Approval::of(&tool, call.permit.as_deref());
        let allowed = AllowedHosts::of(&grant.server().policy, &self.caller, approval);
        let checked = host_inspector::checked(grant.server(), &arguments);
        let resolution = host_inspector::resolution(grant.server());
        if let Some(refusal) = allowed.refusal(&tool, &checked, resolution).await {
            tracing::info!(tool.name = call.name, "a tool call names a host that is not allowed");
            return refused(call.call_id, grant.masks.mask(refusal).await.text);
        }
        let mut params = CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments);
        params.meta = host_inspector::meta(grant.server(), &allowed, &self.caller);
        let (progress, steps) = watch::channel(None);
        let calling = call_with_retry(grant, &tool, params, options, &progress);
        let called = match &options.progress {
            None => calling.await,
            Some(publisher) => tokio::select! {
                called = calling => called,
                never = publisher.run(steps, &grant.masks) => match never {},
            },
        };
        match called {
            Ok(response) => to_result(call.call_id, grant, response).await,
            Err(failure) => {
                CallResult::error(call.call_id, failure_message(grant, &tool, &failure))
            }
        }
    }

    fn tool_not_found(&self, call: &ToolCallRequest) -> CallResult {
        if let Some(refusal) = self.policy_refusal(&call.name) {
            tracing::info!(tool.name = call.name, refusal, "the policy refuses a tool call");
            return refused(call.call_id, refusal);
        }
        let tools: Vec<String> = self.tools().iter().map(Tool::full_name).collect();
        let message = tool_names::unknown_tool(&call.name, &tools, &self.failed);
        CallResult::error(call.call_id, message)
    }

    /// Why a tool that exists may not be called; none if there is no such tool.
    fn policy_refusal(&self, name: &str) -> Option<String> {
        let (grant, name) = self.find_grant(name)?;
        let tools = grant.slot.tools();
        let tool = tools.iter().find(|tool| tool.name == name)?;
        let refusal = policy::refusal(&grant.server().policy, grant.tools.as_ref(), tool)?;
        Some(refusal.explain(tool))
    }

    async fn find_tool(&self, name: &str) -> Option<(&LeaseGrant, Tool)> {
        let (grant, name) = self.find_grant(name)?;
        let permitted = |tools: Arc<[Tool]>| {
            tools.iter().find(|tool| tool.name == name && grant.permits(tool)).cloned()
        };
        let tool = match permitted(grant.slot.tools()) {
            Some(tool) => tool,
            None => permitted(grant.slot.refresh_tools().await)?,
        };
        Some((grant, tool))
    }

    /// The grant of the server in a name, and the name of the tool at that server.
    fn find_grant<'a>(&self, name: &'a str) -> Option<(&LeaseGrant, &'a str)> {
        let ids = self.grants.iter().map(|grant| grant.server().id.as_str());
        let (server, tool) = tool_names::split(name, ids)?;
        let grant = self.grants.iter().find(|grant| grant.server().id == server)?;
        Some((grant, tool))
    }
}

fn refused(call_id: CallId, refusal: String) -> CallResult {
    CallResult { refused_by_policy: true, ..CallResult::error(call_id, refusal) }
}

async fn to_result(call_id: CallId, grant: &LeaseGrant, response: ToolResponse) -> CallResult {
    let unmasked = content::to_text(response);
    let masked = grant.masks.mask(unmasked.text).await;
    CallResult {
        is_error: unmasked.is_error,
        masked: masked.count,
        ..CallResult::success(call_id, content::truncate_result(masked.text))
    }
}

/// Calls a tool, and once more if the session was lost or the server is unavailable, and a second execution cannot do
/// harm.
async fn call_with_retry(
    grant: &LeaseGrant,
    tool: &Tool,
    params: CallToolRequestParams,
    options: &CallOptions,
    progress: &watch::Sender<Option<Step>>,
) -> Result<ToolResponse, Failure> {
    let failure = match call_once(grant, params.clone(), options, progress).await {
        Err(failure) => failure,
        decided => return decided,
    };
    let Some(delay) = failure.retry_delay(RETRY.pause(1)) else { return Err(failure) };
    let no_arguments = Map::new();
    let arguments = params.arguments.as_ref().unwrap_or(&no_arguments);
    let may_repeat = failure.was_never_sent() || policy::may_repeat(tool, arguments);
    if !may_repeat || Instant::now() + delay >= options.deadline {
        return Err(failure);
    }
    tracing::info!(mcp.server = tool.server, tool.name = tool.name, %failure, "retrying a tool call");
    tokio::select! {
        () = tokio::time::sleep(delay) => call_once(grant, params, options, progress).await,
        () = options.cancel.cancelled() => Err(cancelled()),
    }
}

async fn call_once(
    grant: &LeaseGrant,
    params: CallToolRequestParams,
    options: &CallOptions,
    progress: &watch::Sender<Option<Step>>,
) -> Result<ToolResponse, Failure> {
    let left = options.deadline.saturating_duration_since(Instant::now());
    let session = tokio::select! {
        session = timeout_at(options.deadline, grant.slot.session()) => match session {
            Ok(session) => session?,
            Err(_) => return Err(Failure::Timeout(left)),
        },
        () = options.cancel.cancelled() => return Err(cancelled()),
    };
    let timeout = call_timeout(grant.server()).min(left);
    let call = PendingCall {
        deadline: options.deadline.min(Instant::now() + timeout),
        timeout,
        cancel: &options.cancel,
        progress,
    };
    let response = session.call(params, &call).await;
    if response.as_ref().is_err_and(Failure::is_loss) {
        grant.slot.discard(&session).await;
    }
    response
}

fn cancelled() -> Failure {
    Failure::Cancelled("it is no longer wanted".to_owned())
}

fn call_timeout(server: &McpServer) -> Duration {
    let timeout = server.transport.call_timeout;
    match &server.transport.endpoint {
        Endpoint::Http(remote) | Endpoint::Sse(remote) => {
            remote.timeout.map_or(timeout, |limit| limit.min(timeout))
        }
        Endpoint::Stdio(_) => timeout,
    }
}

fn failure_message(grant: &LeaseGrant, tool: &Tool, failure: &Failure) -> String {
    let name = tool.full_name();
    let reason = grant.masks.reason(failure);
    match failure {
        Failure::Timeout(timeout) => {
            let seconds = timeout.as_secs_f64();
            format!(
                "The tool '{name}' timed out: it did not answer within {seconds:.1} s and was cancelled."
            )
        }
        Failure::Cancelled(_) => format!("The tool '{name}' was cancelled."),
        Failure::Protocol(_) => format!("The server refused the call of '{name}': {reason}"),
        Failure::Unavailable { .. } if failure.may_have_effect() => format!(
            "The server of '{name}' failed during the call ({reason}); it is not known whether the call had any effect."
        ),
        failure if failure.may_have_effect() => format!(
            "The connection to the server of '{name}' was lost during the call ({reason}); it is not known \
             whether the call had any effect."
        ),
        _ => format!("The tool '{name}' could not be called: {reason}"),
    }
}
