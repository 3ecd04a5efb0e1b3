//! Holds one server's session: opened by the first caller, and opened again after a loss.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tarsy_catalog::McpServer;
use tarsy_contracts::mcp::Tool;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::connector::Connector;
use super::session::Session;
use super::spares::Spares;
use super::tool_set::ToolSet;
use crate::failure::Failure;
use crate::limits;
use crate::schema::ToolSchema;

pub(crate) struct Slot {
    connector: Connector,
    spares: Option<Arc<Spares>>,
    session: Mutex<Option<Arc<Session>>>,
    tools: RwLock<Arc<ToolSet>>,
    closed: CancellationToken,
}

impl Slot {
    pub(crate) fn new(connector: Connector, spares: Option<Arc<Spares>>) -> Self {
        Self {
            connector,
            spares,
            session: Mutex::new(None),
            tools: RwLock::default(),
            closed: CancellationToken::new(),
        }
    }

    pub(crate) fn server(&self) -> &Arc<McpServer> {
        &self.connector.server
    }

    /// The session; opens one if there is none, or if the last one is lost.
    pub(crate) async fn session(&self) -> Result<Arc<Session>, Failure> {
        let mut current = self.session.lock().await;
        if self.closed.is_cancelled() {
            return Err(Failure::NotSent);
        }
        if let Some(session) = current.as_ref().filter(|session| !session.is_lost()) {
            return Ok(Arc::clone(session));
        }
        if let Some(gone) = current.take() {
            self.connector.tasks.spawn(async move { gone.close().await });
        }
        let session = Arc::new(self.open().await?);
        self.store_tools(session.tool_set());
        *current = Some(Arc::clone(&session));
        Ok(session)
    }

    /// Takes a spare session, or connects.
    async fn open(&self) -> Result<Session, Failure> {
        if let Some(spare) = self.spares.as_ref().and_then(|spares| spares.take()) {
            self.request_spares();
            return Ok(spare);
        }
        let connected = tokio::select! {
            connected = timeout(self.open_timeout(), self.connector.connect()) => connected,
            () = self.closed.cancelled() => return Err(Failure::NotSent),
        };
        let connected = connected.map_err(|_| Failure::NoResponse(self.open_timeout()))??;
        self.request_spares();
        Ok(connected)
    }

    fn request_spares(&self) {
        if let Some(spares) = &self.spares {
            spares.request();
        }
    }

    /// The time for handshake and list together.
    fn open_timeout(&self) -> Duration {
        self.connector.server.transport.init_timeout + limits::LIST
    }

    /// The tools as of the last list.
    pub(crate) fn tools(&self) -> Arc<[Tool]> {
        Arc::clone(&self.tool_set().tools)
    }

    /// The schema of a tool's arguments as of the last list.
    pub(crate) fn input_schema(&self, tool: &str) -> Option<Arc<ToolSchema>> {
        self.tool_set().input(tool)
    }

    fn tool_set(&self) -> Arc<ToolSet> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, listed again if the server has announced a change.
    pub(crate) async fn refresh_tools(&self) -> Arc<[Tool]> {
        let session = self.session.lock().await.clone();
        if let Some(session) = session {
            self.store_tools(session.refresh_tools().await);
        }
        self.tools()
    }

    fn store_tools(&self, tools: Arc<ToolSet>) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// Closes a lost session; the next caller opens a new one.
    pub(crate) async fn discard(&self, broken: &Arc<Session>) {
        let mut current = self.session.lock().await;
        if current.as_ref().is_some_and(|session| Arc::ptr_eq(session, broken)) {
            *current = None;
            let broken = Arc::clone(broken);
            self.connector.tasks.spawn(async move { broken.close().await });
        }
    }

    /// Closes the session; none can be opened afterwards.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        let session = self.session.lock().await.take();
        if let Some(session) = session {
            session.close().await;
        }
    }
}
