//! Sessions with one subprocess server that are open and that nobody has used: starting a server takes
//! seconds, and whoever opens a lease gets one of these.
//!
//! Each is handed out once and never comes back. None is kept before the server was wanted once, nor
//! long after it was wanted last.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;
use tarsy_catalog::McpServer;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::environment::Surroundings;
use super::session::Session;
use crate::limits;

/// The unused sessions with one server.
pub(crate) struct Spares {
    server: Arc<McpServer>,
    around: Arc<Surroundings>,
    tasks: TaskTracker,
    most: usize,
    kept: Mutex<VecDeque<Session>>,
    wanted: Notify,
    closed: CancellationToken,
}

impl Spares {
    /// Keeps at most so many.
    pub(crate) fn new(
        server: Arc<McpServer>,
        around: Arc<Surroundings>,
        tasks: TaskTracker,
        most: usize,
    ) -> Arc<Self> {
        let spares = Arc::new(Self {
            server,
            around,
            tasks,
            most,
            kept: Mutex::default(),
            wanted: Notify::new(),
            closed: CancellationToken::new(),
        });
        spares.tasks.spawn(Arc::clone(&spares).keep());
        spares
    }

    /// Takes one, if there is one that still lives.
    pub(super) fn take(&self) -> Option<Session> {
        loop {
            let session = self.kept().pop_front()?;
            if !session.is_gone() {
                return Some(session);
            }
            self.tasks.spawn(async move { session.close().await });
        }
    }

    /// Says that the server was wanted, and could be had.
    pub(super) fn want(&self) {
        self.wanted.notify_one();
    }

    /// Keeps none any more.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        self.end_all().await;
    }

    async fn keep(self: Arc<Self>) {
        while !self.closed.is_cancelled() {
            tokio::select! {
                () = self.wanted.notified() => {}
                () = self.closed.cancelled() => return,
            }
            self.keep_while_wanted().await;
        }
    }

    async fn keep_while_wanted(&self) {
        loop {
            tokio::select! {
                () = self.fill() => {}
                () = self.closed.cancelled() => return,
            }
            tokio::select! {
                () = self.wanted.notified() => {}
                () = tokio::time::sleep(limits::SPARE) => return self.end_all().await,
                () = self.closed.cancelled() => return,
            }
        }
    }

    /// Opens what is missing; after a failure the next who wants the server finds out.
    async fn fill(&self) {
        while self.kept().len() < self.most {
            match Box::pin(Session::connect(&self.server, &self.around, &self.tasks)).await {
                Ok(session) if self.closed.is_cancelled() => return session.close().await,
                Ok(session) => self.kept().push_back(session),
                Err(_) => {
                    tracing::debug!(
                        mcp.server = self.server.id,
                        "no spare session could be opened"
                    );
                    return;
                }
            }
        }
    }

    async fn end_all(&self) {
        let kept = std::mem::take(&mut *self.kept());
        join_all(kept.iter().map(Session::close)).await;
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Session>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
