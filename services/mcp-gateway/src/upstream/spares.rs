//! Open, unused sessions with one subprocess server: starting a server takes seconds, and a new lease
//! gets one of these instead.
//!
//! Each session is used by one lease only. None is opened before the server's first use, and all are
//! closed [`limits::SPARE`] after its last one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::connector::Connector;
use super::session::Session;
use crate::limits;

pub(crate) struct Spares {
    connector: Connector,
    target: usize,
    sessions: Mutex<VecDeque<Session>>,
    requested: Notify,
    closed: CancellationToken,
}

impl Spares {
    /// Holds `target` sessions once the server is in use.
    pub(crate) fn start(connector: Connector, target: usize) -> Arc<Self> {
        let tasks = connector.tasks.clone();
        let spares = Arc::new(Self {
            connector,
            target,
            sessions: Mutex::default(),
            requested: Notify::new(),
            closed: CancellationToken::new(),
        });
        tasks.spawn(Arc::clone(&spares).run());
        spares
    }

    /// A session that is not lost; none if there is none.
    pub(super) fn take(&self) -> Option<Session> {
        loop {
            let session = self.sessions().pop_front()?;
            if !session.is_lost() {
                return Some(session);
            }
            self.connector.tasks.spawn(async move { session.close().await });
        }
    }

    /// Notes a use of the server, which keeps spare sessions open.
    pub(super) fn request(&self) {
        self.requested.notify_one();
    }

    /// Closes all sessions and opens no more.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        self.close_all().await;
    }

    async fn run(self: Arc<Self>) {
        while !self.closed.is_cancelled() {
            tokio::select! {
                () = self.requested.notified() => {}
                () = self.closed.cancelled() => return,
            }
            self.fill_while_in_use().await;
        }
    }

    async fn fill_while_in_use(&self) {
        loop {
            tokio::select! {
                () = self.fill() => {}
                () = self.closed.cancelled() => return,
            }
            tokio::select! {
                () = self.requested.notified() => {}
                () = tokio::time::sleep(limits::SPARE) => return self.close_all().await,
                () = self.closed.cancelled() => return,
            }
        }
    }

    /// Opens the missing sessions; a failure ends it until the next use.
    async fn fill(&self) {
        while self.sessions().len() < self.target {
            match self.connector.connect().await {
                Ok(session) if self.closed.is_cancelled() => return session.close().await,
                Ok(session) => self.sessions().push_back(session),
                Err(_) => {
                    tracing::debug!(
                        mcp.server = self.connector.server.id,
                        "no spare session could be opened"
                    );
                    return;
                }
            }
        }
    }

    async fn close_all(&self) {
        let sessions = std::mem::take(&mut *self.sessions());
        join_all(sessions.iter().map(Session::close)).await;
    }

    fn sessions(&self) -> MutexGuard<'_, VecDeque<Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
