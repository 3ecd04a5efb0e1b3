//! One session with one server.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, RequestMetaObject, ServerResult,
};
use rmcp::service::{
    Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningService, ServiceError,
};
use tarsy_catalog::ToolPolicy;
use tarsy_contracts::mcp::Tool;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::context::Context;
use super::host::{Host, decline_input};
use super::listing;
use super::process::{Process, StderrOutput};
use super::response::{CallReply, ToolResponse};
use super::tool_set::ToolSet;
use crate::failure::Failure;
use crate::masks::Masks;
use crate::progress::Step;
use crate::tool_warnings::ToolWarnings;
use crate::{arguments, limits};

/// The bounds of a call that runs at a server.
pub(crate) struct PendingCall<'a> {
    pub(crate) deadline: Instant,
    /// The time from the start of the call to its deadline, for the error message.
    pub(crate) timeout: Duration,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) progress: &'a watch::Sender<Option<Step>>,
}

/// An initialised session, with the tools that the server listed.
pub(crate) struct Session {
    server: String,
    peer: Peer<RoleClient>,
    service: Mutex<Option<RunningService<RoleClient, Host>>>,
    process: Mutex<Option<Process>>,
    host: Host,
    closed: CancellationToken,
    _close_on_drop: DropGuard,
    tools: RwLock<Arc<ToolSet>>,
    masks: Arc<Masks>,
    policy: Arc<ToolPolicy>,
    tool_warnings: ToolWarnings,
}

impl Session {
    /// A session after its handshake; its tools are not listed yet.
    pub(super) fn new(
        server: &str,
        context: &Context,
        service: RunningService<RoleClient, Host>,
        host: Host,
        process: Option<Process>,
    ) -> Self {
        let closed = CancellationToken::new();
        Self {
            server: server.to_owned(),
            peer: service.peer().clone(),
            service: Mutex::new(Some(service)),
            process: Mutex::new(process),
            host,
            _close_on_drop: closed.clone().drop_guard(),
            closed,
            tools: RwLock::default(),
            masks: context.masks(server),
            policy: context.policy(server),
            tool_warnings: context.tool_warnings.clone(),
        }
    }

    /// The tools as of the last list.
    pub(crate) fn tools(&self) -> Arc<[Tool]> {
        Arc::clone(&self.tool_set().tools)
    }

    pub(super) fn tool_set(&self) -> Arc<ToolSet> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, listed again if the server has announced a change.
    pub(super) async fn refresh_tools(&self) -> Arc<ToolSet> {
        if self.host.take_tools_changed()
            && let Err(error) = self.list().await
        {
            self.host.set_tools_changed();
            let reason = self.masks.reason(&error);
            tracing::warn!(mcp.server = self.server, reason, "could not list changed tools");
        }
        self.tool_set()
    }

    pub(super) async fn list(&self) -> Result<(), Failure> {
        let listed = listing::list(&self.peer, &self.server, &self.policy).await?;
        let tools = self.masks.tools(listed.tools).await;
        let tools = Arc::new(ToolSet::new(tools, listed.outputs));
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools;
        self.tool_warnings.set(&self.server, listed.warnings);
        Ok(())
    }

    /// Lists the tools again: a sign of life, and changes that the server did not announce.
    pub(crate) async fn probe(&self, within: Duration) -> Result<Arc<[Tool]>, Failure> {
        match timeout(within, self.list()).await {
            Ok(listed) => listed.map(|()| self.tools()),
            Err(_) => Err(Failure::NoResponse(within)),
        }
    }

    /// Whether the server uses the dialect of the protocol that has no sessions.
    pub(crate) fn is_stateless(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Whether the connection is closed, or the subprocess has ended.
    pub(crate) fn is_lost(&self) -> bool {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        self.peer.is_transport_closed() || process.as_mut().is_some_and(Process::has_ended)
    }

    /// Subscribes to changes of the tools, where the dialect requires a subscription.
    pub(super) fn subscribe(&self, tasks: &TaskTracker) {
        let Some(info) = self.peer.peer_info() else { return };
        let announces =
            info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        if !self.is_stateless() || !announces {
            return;
        }
        let (host, peer, closed) = (self.host.clone(), self.peer.clone(), self.closed.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = Box::pin(host.subscribe(peer)) => {}
                () = closed.cancelled() => {}
            }
        });
    }

    /// Calls a tool; the server's requests for more input are declined.
    pub(crate) async fn call(
        &self,
        mut params: CallToolRequestParams,
        call: &PendingCall<'_>,
    ) -> Result<ToolResponse, Failure> {
        let tool = params.name.to_string();
        for _ in 0..limits::INPUT_ROUNDS {
            match CallReply::read(self.request(params.clone(), call).await?)? {
                CallReply::Final(response) => {
                    return Ok(self.compare_schema(&tool, response).await);
                }
                CallReply::InputRequired(input) => params = decline_input(params, *input)?,
            }
        }
        Err(Failure::Unsupported("the tool requests more input again and again".to_owned()))
    }

    /// Notes how the structured content of a result differs from the declared schema.
    async fn compare_schema(&self, tool: &str, response: ToolResponse) -> ToolResponse {
        let ToolResponse::Result { result, .. } = response else { return response };
        let schema = self.tool_set().output(tool).filter(|_| result.is_error != Some(true));
        let schema_mismatch = match (schema, &result.structured_content) {
            (Some(schema), Some(content)) => arguments::mismatch(content, &schema).await,
            _ => None,
        };
        if schema_mismatch.is_some() {
            // The log omits the mismatch: it may quote parts of the result, which is not masked yet.
            tracing::info!(
                mcp.server = self.server,
                tool.name = tool,
                "a result differs from the schema that its tool declares"
            );
        }
        ToolResponse::Result { result, schema_mismatch }
    }

    async fn request(
        &self,
        params: CallToolRequestParams,
        call: &PendingCall<'_>,
    ) -> Result<ServerResult, Failure> {
        if self.is_lost() {
            return Err(Failure::NotSent);
        }
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sending = self.peer.send_request_with_option(request, request_options());
        let mut handle = match timeout_at(call.deadline, sending).await {
            Err(_) => return Err(Failure::Timeout(call.timeout)),
            Ok(Err(ServiceError::TransportClosed)) => return Err(Failure::NotSent),
            Ok(sent) => sent?,
        };
        let _progress =
            self.host.route_progress(handle.progress_token.clone(), call.progress.clone());
        let reply = tokio::select! {
            reply = &mut handle.rx => reply,
            () = tokio::time::sleep_until(call.deadline) => {
                send_cancellation(handle, "the call took too long").await;
                return Err(Failure::Timeout(call.timeout));
            }
            () = call.cancel.cancelled() => {
                send_cancellation(handle, "the call is no longer wanted").await;
                return Err(Failure::Cancelled("it is no longer wanted".to_owned()));
            }
        };
        match reply {
            Ok(reply) => Ok(reply?),
            Err(_) => Err(Failure::Lost("the server closed the connection".to_owned())),
        }
    }

    pub(super) fn stderr(&self) -> Option<StderrOutput> {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_ref().map(|process| process.stderr.clone())
    }

    /// Closes the session, and ends all of its processes.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        let closing = async {
            if let Some(mut service) = service
                && let Err(error) = service.close_with_timeout(limits::EXIT).await
            {
                tracing::debug!(mcp.server = self.server, %error, "could not close a session");
            }
            if let Some(mut process) = process {
                process.end().await;
            }
        };
        if timeout(limits::CLOSE, closing).await.is_err() {
            tracing::warn!(mcp.server = self.server, "a session did not close in time");
        }
    }
}

async fn send_cancellation(handle: RequestHandle<RoleClient>, reason: &str) {
    if timeout(limits::CANCEL, handle.cancel(Some(reason.to_owned()))).await.is_err() {
        tracing::debug!("a server did not accept a cancellation in time");
    }
}

/// Adds the trace context to a request.
fn request_options() -> PeerRequestOptions {
    let Some(traceparent) = tarsy_telemetry::traceparent() else {
        return PeerRequestOptions::no_options();
    };
    let mut meta = RequestMetaObject::default();
    meta.0.set_traceparent(traceparent);
    PeerRequestOptions::no_options().with_meta(meta)
}
