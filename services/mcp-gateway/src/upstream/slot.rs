//! The place of one server's session: opened once by whoever comes first, and again after a loss.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tarsy_catalog::{Endpoint, McpServer};
use tarsy_contracts::mcp::Tool;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::environment::Surroundings;
use super::session::Session;
use super::spares::Spares;
use crate::failure::Failure;
use crate::limits;

/// A place for a session with one server.
pub(crate) struct Slot {
    server: Arc<McpServer>,
    around: Arc<Surroundings>,
    tasks: TaskTracker,
    spares: Option<Arc<Spares>>,
    session: Mutex<Option<Arc<Session>>>,
    tools: RwLock<Arc<[Tool]>>,
    closed: CancellationToken,
    was_open: AtomicBool,
}

impl Slot {
    /// An empty place.
    pub(crate) fn new(
        server: Arc<McpServer>,
        around: Arc<Surroundings>,
        tasks: TaskTracker,
        spares: Option<Arc<Spares>>,
    ) -> Self {
        Self {
            server,
            around,
            tasks,
            spares,
            session: Mutex::new(None),
            tools: RwLock::new(Arc::from([])),
            closed: CancellationToken::new(),
            was_open: AtomicBool::new(false),
        }
    }

    /// The server as it is configured.
    pub(crate) fn server(&self) -> &Arc<McpServer> {
        &self.server
    }

    /// The session; a new one if there was none, or if the last one is gone.
    pub(crate) async fn session(&self) -> Result<Arc<Session>, Failure> {
        let mut place = self.session.lock().await;
        if self.closed.is_cancelled() {
            return Err(Failure::NotSent);
        }
        if let Some(session) = place.as_ref().filter(|session| !session.is_gone()) {
            return Ok(Arc::clone(session));
        }
        if let Some(gone) = place.take() {
            self.tasks.spawn(async move { gone.close().await });
        }
        let session = Arc::new(self.open().await?);
        self.was_open.store(true, Ordering::Relaxed);
        self.remember(session.tools());
        *place = Some(Arc::clone(&session));
        Ok(session)
    }

    /// A spare session, or a new one.
    async fn open(&self) -> Result<Session, Failure> {
        if let Some(spare) = self.spares.as_ref().and_then(|spares| spares.take()) {
            self.want_spares();
            return Ok(spare);
        }
        let connecting = Box::pin(Session::connect(&self.server, &self.around, &self.tasks));
        let connected = tokio::select! {
            connected = timeout(self.limit(), connecting) => connected,
            () = self.closed.cancelled() => return Err(Failure::NotSent),
        };
        let connected = connected.map_err(|_| Failure::Silent(self.limit()))??;
        self.want_spares();
        Ok(connected)
    }

    fn want_spares(&self) {
        if let Some(spares) = &self.spares {
            spares.want();
        }
    }

    /// How long opening may take in all: handshake and list. Who waits for a server that was there
    /// before waits less, unless it has to be started.
    fn limit(&self) -> Duration {
        let first = self.server.transport.init_timeout + limits::LIST;
        match self.server.transport.endpoint {
            Endpoint::Http(_) | Endpoint::Sse(_) if self.was_open.load(Ordering::Relaxed) => {
                first.min(limits::ANEW)
            }
            _ => first,
        }
    }

    /// The tools, as they were listed last.
    pub(crate) fn tools(&self) -> Arc<[Tool]> {
        Arc::clone(&self.tools.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, listed again if the server said that they have changed.
    pub(crate) async fn fresh_tools(&self) -> Arc<[Tool]> {
        let session = self.session.lock().await.clone();
        if let Some(session) = session {
            self.remember(session.fresh_tools().await);
        }
        self.tools()
    }

    fn remember(&self, tools: Arc<[Tool]>) {
        *self.tools.write().unwrap_or_else(PoisonError::into_inner) = tools;
    }

    /// Gives up a session that broke; whoever comes next gets a new one.
    pub(crate) async fn give_up(&self, broken: &Arc<Session>) {
        let mut place = self.session.lock().await;
        if place.as_ref().is_some_and(|session| Arc::ptr_eq(session, broken)) {
            *place = None;
            let broken = Arc::clone(broken);
            self.tasks.spawn(async move { broken.close().await });
        }
    }

    /// Ends the session for good.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        let session = self.session.lock().await.take();
        if let Some(session) = session {
            session.close().await;
        }
    }
}
