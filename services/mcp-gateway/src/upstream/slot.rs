//! The place of one server's session: opened once by whoever comes first, and again after a loss.

use std::sync::{Arc, PoisonError, RwLock};

use tarsy_catalog::McpServer;
use tarsy_contracts::mcp::Tool;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::environment::Surroundings;
use super::session::Session;
use crate::failure::Failure;

/// A place for a session with one server.
pub(crate) struct Slot {
    server: Arc<McpServer>,
    around: Arc<Surroundings>,
    tasks: TaskTracker,
    session: Mutex<Option<Arc<Session>>>,
    tools: RwLock<Arc<[Tool]>>,
    closed: CancellationToken,
}

impl Slot {
    /// An empty place.
    pub(crate) fn new(
        server: Arc<McpServer>,
        around: Arc<Surroundings>,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            server,
            around,
            tasks,
            session: Mutex::new(None),
            tools: RwLock::new(Arc::from([])),
            closed: CancellationToken::new(),
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
        let connected = tokio::select! {
            connected = Session::connect(&self.server, &self.around, &self.tasks) => connected?,
            () = self.closed.cancelled() => return Err(Failure::NotSent),
        };
        let session = Arc::new(connected);
        self.remember(session.tools());
        *place = Some(Arc::clone(&session));
        Ok(session)
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
