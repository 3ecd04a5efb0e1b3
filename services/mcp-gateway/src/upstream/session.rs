//! One session with one server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, InputRequiredResult,
    JsonObject, ProtocolVersion, RequestMetaObject, ServerResult,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, Peer, PeerRequestOptions, RequestHandle,
    RoleClient, RunningService, ServiceError,
};
use rmcp::transport::IntoTransport;
use serde_json::Value;
use tarsy_catalog::{Endpoint, Lifecycle, McpServer};
use tarsy_contracts::mcp::Tool;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::environment::Surroundings;
use super::host::{Host, declining};
use super::process::{Complaints, Process};
use super::sse::SseTransport;
use super::stdio::StdioTransport;
use super::{http, listing};
use crate::failure::Failure;
use crate::masks::Masks;
use crate::oddities::Oddities;
use crate::progress::Step;
use crate::{arguments, limits};

/// A call to make.
pub(crate) struct Order<'a> {
    /// The tool's own name.
    pub(crate) tool: &'a str,
    /// Its arguments.
    pub(crate) arguments: &'a JsonObject,
    /// When it has to be answered.
    pub(crate) end: Instant,
    /// How long that was, to say so.
    pub(crate) limit: Duration,
    /// Cancels it.
    pub(crate) cancel: &'a CancellationToken,
    /// Where its steps are told.
    pub(crate) steps: &'a watch::Sender<Option<Step>>,
}

/// What a tool answered.
pub(crate) enum Answer {
    /// As the protocol has it, and what in it is not as the tool declares.
    Proper(Box<CallToolResult>, Option<String>),
    /// In some other shape.
    Odd(Value),
}

/// An initialised session, with the tools that the server listed.
pub(crate) struct Session {
    server: String,
    peer: Peer<RoleClient>,
    running: Mutex<Option<RunningService<RoleClient, Host>>>,
    process: Mutex<Option<Process>>,
    host: Host,
    over: CancellationToken,
    _over: DropGuard,
    tools: RwLock<Arc<[Tool]>>,
    outputs: RwLock<HashMap<String, Value>>,
    masks: Arc<Masks>,
    oddities: Oddities,
}

impl Session {
    /// Connects to a server, or starts it, and lists its tools.
    pub(crate) async fn connect(
        server: &McpServer,
        around: &Surroundings,
        tasks: &TaskTracker,
    ) -> Result<Self, Failure> {
        let end = Instant::now() + server.transport.init_timeout;
        let session = match server.transport.lifecycle {
            // No server of the older HTTP speaks the stateless dialect.
            _ if matches!(server.transport.endpoint, Endpoint::Sse(_)) => {
                Self::open(server, around, tasks, initialize(), end).await?
            }
            Lifecycle::Initialize => Self::open(server, around, tasks, initialize(), end).await?,
            Lifecycle::Discover => Self::open(server, around, tasks, discover(), end).await?,
            Lifecycle::Auto => match Self::open(server, around, tasks, initialize(), end).await {
                Err(failure) if failure.speaks_another_dialect() => {
                    Self::open(server, around, tasks, discover(), end).await?
                }
                opened => opened?,
            },
        };
        match session.list().await {
            Ok(()) => {
                session.subscribe(tasks);
                Ok(session)
            }
            Err(failure) => {
                let complaints = session.complaints();
                session.close().await;
                match complaints {
                    Some(complaints) => Err(failure.complained(complaints.all().await)),
                    None => Err(failure),
                }
            }
        }
    }

    async fn open(
        server: &McpServer,
        around: &Surroundings,
        tasks: &TaskTracker,
        mode: ClientLifecycleMode,
        end: Instant,
    ) -> Result<Self, Failure> {
        let host = Host::default();
        let limit = server.transport.init_timeout;
        match &server.transport.endpoint {
            Endpoint::Stdio(child) => {
                let (program, args) = around.program(&child.command, &child.args);
                let environment = around.of_child(&child.env, &child.inherit_env);
                let (mut process, pipes) =
                    Process::start(&program, &args, &environment, &around.guard, tasks)?;
                let transport = StdioTransport::new(pipes, tasks);
                match shake(host.clone(), transport, mode, end, limit).await {
                    Ok(running) => Ok(Self::new(server, around, running, Some(process), &host)),
                    Err(failure) => {
                        process.end().await;
                        Err(failure.complained(process.complaints.all().await))
                    }
                }
            }
            Endpoint::Http(remote) => {
                let transport =
                    http::transport(remote, remote.pooling, around.account(&server.id))?;
                let running = shake(host.clone(), transport, mode, end, limit).await?;
                Ok(Self::new(server, around, running, None, &host))
            }
            Endpoint::Sse(remote) => {
                let account = around.account(&server.id);
                let connecting =
                    Box::pin(SseTransport::connect(remote, remote.pooling, account, tasks));
                let Ok(transport) = timeout_at(end, connecting).await else {
                    return Err(Failure::Silent(limit));
                };
                let running = shake(host.clone(), transport?, mode, end, limit).await?;
                Ok(Self::new(server, around, running, None, &host))
            }
        }
    }

    fn new(
        server: &McpServer,
        around: &Surroundings,
        running: RunningService<RoleClient, Host>,
        process: Option<Process>,
        host: &Host,
    ) -> Self {
        let over = CancellationToken::new();
        Self {
            server: server.id.clone(),
            peer: running.peer().clone(),
            running: Mutex::new(Some(running)),
            process: Mutex::new(process),
            host: host.clone(),
            _over: over.clone().drop_guard(),
            over,
            tools: RwLock::new(Arc::from([])),
            outputs: RwLock::default(),
            masks: around.masks(&server.id),
            oddities: around.oddities.clone(),
        }
    }

    /// The tools as they were listed last.
    pub(crate) fn tools(&self) -> Arc<[Tool]> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, listed again if the server said that they have changed.
    pub(crate) async fn fresh_tools(&self) -> Arc<[Tool]> {
        if self.host.take_tools_changed()
            && let Err(error) = self.list().await
        {
            self.host.change_tools();
            let reason = self.masks.reason(&error);
            tracing::warn!(mcp.server = self.server, reason, "could not list changed tools");
        }
        self.tools()
    }

    async fn list(&self) -> Result<(), Failure> {
        let listed = listing::list(&self.peer, &self.server).await?;
        let tools = self.masks.tools(listed.tools).await;
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools.into();
        *self.outputs.write().unwrap_or_else(PoisonError::into_inner) = listed.outputs;
        self.oddities.note(&self.server, listed.odd);
        Ok(())
    }

    /// Whether the server speaks the dialect that knows no sessions.
    pub(crate) fn is_stateless(&self) -> bool {
        self.peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Whether the server is known to be gone.
    pub(crate) fn is_gone(&self) -> bool {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        self.peer.is_transport_closed() || process.as_mut().is_some_and(Process::has_ended)
    }

    /// Hears of changed tools, where a server tells of them only to who asks for it.
    fn subscribe(&self, tasks: &TaskTracker) {
        let Some(info) = self.peer.peer_info() else { return };
        let tells =
            info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
        if !self.is_stateless() || !tells {
            return;
        }
        let (host, peer, over) = (self.host.clone(), self.peer.clone(), self.over.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = Box::pin(host.subscribe(peer)) => {}
                () = over.cancelled() => {}
            }
        });
    }

    /// Calls a tool; what it asks of us meanwhile is declined.
    pub(crate) async fn call(&self, order: &Order<'_>) -> Result<Answer, Failure> {
        let mut params = CallToolRequestParams::new(order.tool.to_owned())
            .with_arguments(order.arguments.clone());
        for _ in 0..limits::ROUNDS {
            match understand(self.ask(order, params.clone()).await?)? {
                Said::Answer(answer) => return Ok(self.compared(order.tool, answer)),
                Said::Question(asked) => params = declining(params, *asked)?,
            }
        }
        Err(Failure::Unsupported("the tool asks for more input again and again".to_owned()))
    }

    /// The answer, with what in its structured content is not as the tool declares.
    fn compared(&self, tool: &str, answer: Answer) -> Answer {
        let Answer::Proper(result, _) = answer else { return answer };
        let outputs = self.outputs.read().unwrap_or_else(PoisonError::into_inner);
        let schema = outputs.get(tool).filter(|_| result.is_error != Some(true));
        let mismatch = schema
            .zip(result.structured_content.as_ref())
            .and_then(|(schema, content)| arguments::mismatch(content, schema));
        if mismatch.is_some() {
            // What is wrong is not said here: it may repeat parts of the result, which is not masked yet.
            tracing::info!(
                mcp.server = self.server,
                tool.name = tool,
                "a result is not as its tool declares it"
            );
        }
        Answer::Proper(result, mismatch)
    }

    async fn ask(
        &self,
        order: &Order<'_>,
        params: CallToolRequestParams,
    ) -> Result<ServerResult, Failure> {
        if self.is_gone() {
            return Err(Failure::NotSent);
        }
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = self.peer.send_request_with_option(request, options());
        let mut handle = match timeout_at(order.end, sent).await {
            Err(_) => return Err(Failure::Timeout(order.limit)),
            Ok(Err(ServiceError::TransportClosed)) => return Err(Failure::NotSent),
            Ok(sent) => sent?,
        };
        let _claim = self.host.claim(handle.progress_token.clone(), order.steps.clone());
        let answer = tokio::select! {
            answer = &mut handle.rx => answer,
            () = tokio::time::sleep_until(order.end) => {
                cancel(handle, "the call took too long").await;
                return Err(Failure::Timeout(order.limit));
            }
            () = order.cancel.cancelled() => {
                cancel(handle, "the call is no longer wanted").await;
                return Err(Failure::Cancelled("it is no longer wanted".to_owned()));
            }
        };
        match answer {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Failure::Lost("the server went away".to_owned())),
        }
    }

    fn complaints(&self) -> Option<Complaints> {
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.as_ref().map(|process| process.complaints.clone())
    }

    /// Ends the session, and every process of it.
    pub(crate) async fn close(&self) {
        self.over.cancel();
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let process = self.process.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ending = async {
            if let Some(mut running) = running
                && let Err(error) = running.close_with_timeout(limits::LEAVE).await
            {
                tracing::debug!(mcp.server = self.server, %error, "a session did not close well");
            }
            if let Some(mut process) = process {
                process.end().await;
            }
        };
        if timeout(limits::CLOSE, ending).await.is_err() {
            tracing::warn!(
                mcp.server = self.server,
                "a session did not close in time; it was cut off"
            );
        }
    }
}

fn initialize() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

fn discover() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] }
}

async fn shake<T, E, A>(
    host: Host,
    transport: T,
    mode: ClientLifecycleMode,
    end: Instant,
    limit: Duration,
) -> Result<RunningService<RoleClient, Host>, Failure>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let shaking = Box::pin(host.serve_with_lifecycle(transport, mode));
    match timeout_at(end, shaking).await {
        Ok(running) => Ok(running?),
        Err(_) => Err(Failure::Silent(limit)),
    }
}

async fn cancel(handle: RequestHandle<RoleClient>, reason: &str) {
    if timeout(limits::CANCEL, handle.cancel(Some(reason.to_owned()))).await.is_err() {
        tracing::debug!("a server does not take the news that a call is cancelled");
    }
}

/// What goes with a request beside it: the trace that it belongs to.
fn options() -> PeerRequestOptions {
    let Some(traceparent) = tarsy_telemetry::traceparent() else {
        return PeerRequestOptions::no_options();
    };
    let mut meta = RequestMetaObject::default();
    meta.0.set_traceparent(traceparent);
    PeerRequestOptions::no_options().with_meta(meta)
}

/// What a server says to a call.
enum Said {
    Answer(Answer),
    Question(Box<InputRequiredResult>),
}

fn understand(answer: ServerResult) -> Result<Said, Failure> {
    match answer {
        ServerResult::CallToolResult(result) => {
            Ok(Said::Answer(Answer::Proper(Box::new(result), None)))
        }
        ServerResult::InputRequiredResult(asked) => Ok(Said::Question(Box::new(asked))),
        ServerResult::CreateTaskResult(_) => Err(Failure::Unsupported(
            "the tool answers later, which this gateway does not wait for".to_owned(),
        )),
        other => serde_json::to_value(other)
            .map(|answer| Said::Answer(Answer::Odd(answer)))
            .map_err(|error| Failure::Unsupported(format!("the answer cannot be read: {error}"))),
    }
}
