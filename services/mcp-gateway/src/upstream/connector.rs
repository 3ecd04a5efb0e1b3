//! Opens sessions with one server.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use tarsy_catalog::{Endpoint, Lifecycle, McpServer, Remote, Subprocess};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::TaskTracker;

use super::context::Context;
use super::host::Host;
use super::http;
use super::process::Process;
use super::session::Session;
use super::sse::SseTransport;
use super::stdio::StdioTransport;
use crate::failure::Failure;
use crate::oauth::Bearer;

/// Opens sessions with one server.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) server: Arc<McpServer>,
    pub(crate) context: Arc<Context>,
    pub(crate) tasks: TaskTracker,
}

/// The timeout of a handshake.
#[derive(Clone, Copy)]
struct Deadline {
    at: Instant,
    /// For the error message.
    timeout: Duration,
}

impl Connector {
    /// Connects to the server, or starts it, and lists its tools.
    pub(crate) async fn connect(&self) -> Result<Session, Failure> {
        let session = Box::pin(self.open()).await?;
        match session.list().await {
            Ok(()) => {
                session.subscribe(&self.tasks);
                Ok(session)
            }
            Err(failure) => {
                let stderr = session.stderr();
                session.close().await;
                match stderr {
                    Some(stderr) => Err(failure.with_stderr(stderr.read_all().await)),
                    None => Err(failure),
                }
            }
        }
    }

    /// Performs the handshake in the dialect that the configuration names; with `auto`, in the second
    /// dialect if the server rejects the first.
    async fn open(&self) -> Result<Session, Failure> {
        let timeout = self.server.transport.init_timeout;
        let deadline = Deadline { at: Instant::now() + timeout, timeout };
        // No server of the older HTTP transport implements the stateless dialect.
        if matches!(self.server.transport.endpoint, Endpoint::Sse(_)) {
            return self.open_as(initialize(), deadline).await;
        }
        match self.server.transport.lifecycle {
            Lifecycle::Initialize => self.open_as(initialize(), deadline).await,
            Lifecycle::Discover => self.open_as(discover(), deadline).await,
            Lifecycle::Auto => match self.open_as(initialize(), deadline).await {
                Err(first) if first.may_support_another_dialect() => {
                    let opened = self.open_as(discover(), deadline).await;
                    opened.map_err(|second| first.and_in_the_other_dialect(second))
                }
                opened => opened,
            },
        }
    }

    async fn open_as(
        &self,
        mode: ClientLifecycleMode,
        deadline: Deadline,
    ) -> Result<Session, Failure> {
        match &self.server.transport.endpoint {
            Endpoint::Stdio(child) => match &self.context.stdio_host {
                Some(host) => {
                    let remote = host.remote(&self.server.id);
                    let http = http::transport(&remote, remote.pooling, None, None)?;
                    // The only dialect that is served.
                    self.start_http_session(http, initialize(), deadline).await
                }
                None => self.open_subprocess(child, mode, deadline).await,
            },
            Endpoint::Http(remote) => {
                let account = self.context.account(&self.server.id);
                let reach = self.context.reach.as_ref();
                let http = http::transport(remote, remote.pooling, account, reach)?;
                self.start_http_session(http, mode, deadline).await
            }
            Endpoint::Sse(remote) => {
                let transport = self.connect_sse(remote, deadline).await?;
                self.start_session(transport, mode, deadline).await
            }
        }
    }

    async fn open_subprocess(
        &self,
        child: &Subprocess,
        mode: ClientLifecycleMode,
        deadline: Deadline,
    ) -> Result<Session, Failure> {
        let launch = self.context.launch(child)?;
        let (mut process, pipes) = Process::start(&launch, &self.context.guard, &self.tasks)?;
        let (host, transport) = (Host::default(), StdioTransport::new(pipes, &self.tasks));
        match perform_handshake(host.clone(), transport, mode, deadline).await {
            Ok(service) => {
                Ok(Session::new(&self.server.id, &self.context, service, host, Some(process)))
            }
            Err(failure) => {
                process.end().await;
                Err(failure.with_stderr(process.stderr.read_all().await))
            }
        }
    }

    async fn connect_sse(
        &self,
        remote: &Remote,
        deadline: Deadline,
    ) -> Result<SseTransport, Failure> {
        let account = self.context.account(&self.server.id);
        let pooling = remote.pooling;
        let connecting = Box::pin(SseTransport::connect(remote, pooling, account, &self.tasks));
        match timeout_at(deadline.at, connecting).await {
            Ok(connected) => connected,
            Err(_) => Err(Failure::NoResponse(deadline.timeout)),
        }
    }

    async fn start_http_session(
        &self,
        (transport, client): (StreamableHttpClientTransport<Bearer>, Bearer),
        mode: ClientLifecycleMode,
        deadline: Deadline,
    ) -> Result<Session, Failure> {
        let unfinished = Unfinished { client: Some(client), tasks: self.tasks.clone() };
        let session = self.start_session(transport, mode, deadline).await?;
        unfinished.finish();
        Ok(session)
    }

    async fn start_session<T, E, A>(
        &self,
        transport: T,
        mode: ClientLifecycleMode,
        deadline: Deadline,
    ) -> Result<Session, Failure>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let host = Host::default();
        let service = perform_handshake(host.clone(), transport, mode, deadline).await?;
        Ok(Session::new(&self.server.id, &self.context, service, host, None))
    }
}

/// Gives a handshake up when it is dropped.
struct Unfinished {
    client: Option<Bearer>,
    tasks: TaskTracker,
}

impl Unfinished {
    fn finish(mut self) {
        self.client = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        // Without a runtime the process ends, and its connections with it.
        if let Some(opened) = client.handshake().give_up()
            && let Ok(runtime) = Handle::try_current()
        {
            self.tasks.spawn_on(async move { client.close(opened).await }, &runtime);
        }
    }
}

fn initialize() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

fn discover() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] }
}

async fn perform_handshake<T, E, A>(
    host: Host,
    transport: T,
    mode: ClientLifecycleMode,
    deadline: Deadline,
) -> Result<RunningService<RoleClient, Host>, Failure>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let handshake = Box::pin(host.serve_with_lifecycle(transport, mode));
    match timeout_at(deadline.at, handshake).await {
        Ok(service) => Ok(service?),
        Err(_) => Err(Failure::NoResponse(deadline.timeout)),
    }
}
