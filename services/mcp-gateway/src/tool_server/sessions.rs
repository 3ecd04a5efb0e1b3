//! The sessions of a served stdio server, as the library's HTTP service asks for them.
//!
//! The library's own manager keeps the HTTP streams: which one carries what, what a client missed, and which session
//! is whose. The messages of a session go to its subprocess instead of a handler.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::{Stream, StreamExt as _};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::{SessionId, SessionManager};
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::admission::take_permit;
use super::handshake::Handshake;
use super::relay::Served;
use crate::{limits, metrics};

/// Why a session could not be opened or used.
#[derive(Debug, Error)]
pub(super) enum SessionError {
    #[error("no session was admitted")]
    NotAdmitted,
    #[error(transparent)]
    Library(#[from] LocalSessionManagerError),
}

pub(super) struct Sessions {
    /// Keeps the streams.
    library: Arc<LocalSessionManager>,
    served: Arc<Served>,
    /// The open streams of each session; a change of any kind counts as a sign of life.
    open: Arc<Open>,
    /// The requests that are being answered, of all sessions.
    running: watch::Sender<usize>,
    tasks: TaskTracker,
}

impl Sessions {
    pub(super) fn new(served: Arc<Served>) -> Self {
        let mut library = LocalSessionManager::default();
        // The library counts a long call without messages as idle.
        library.session_config.keep_alive = None;
        Self {
            library: Arc::new(library),
            served,
            open: Arc::default(),
            running: watch::Sender::new(0),
            tasks: TaskTracker::new(),
        }
    }

    /// How many requests are being answered.
    pub(super) fn running(&self) -> usize {
        *self.running.borrow()
    }

    /// Waits until no request is being answered.
    pub(super) async fn wait_until_idle(&self) {
        let mut running = self.running.subscribe();
        // The sender is ours: it does not close.
        let _idle = running.wait_for(|running| *running == 0).await;
    }

    /// Waits until no subprocess of a session remains.
    pub(super) async fn wait_until_closed(&self) {
        self.tasks.close();
        if timeout(limits::CLOSE * 2, self.tasks.wait()).await.is_err() {
            tracing::warn!(sessions = self.tasks.len(), "some sessions did not close in time");
        }
    }

    /// Counts a stream of a session until the guard is dropped.
    fn stream(&self, id: &SessionId) -> Option<OpenStream> {
        open(&self.open).get(id).cloned().map(OpenStream::new)
    }

    fn report(&self, id: &SessionId) {
        if let Some(streams) = open(&self.open).get(id) {
            streams.send_modify(|_| {});
        }
    }
}

type Streams = HashMap<SessionId, watch::Sender<usize>>;
type Open = Mutex<Streams>;

fn open(sessions: &Open) -> MutexGuard<'_, Streams> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(sessions: &Open, id: &SessionId) {
    let mut left = open(sessions);
    left.remove(id);
    metrics::served_sessions(left.len());
}

/// Ends once a session has had no stream, and no message, for a while.
async fn idle(mut streams: watch::Receiver<usize>) {
    loop {
        // The sender is in the table of open sessions until the session has ended, or is to.
        let is_open = *streams.borrow_and_update() > 0;
        tokio::select! {
            () = sleep(limits::SERVED_IDLE), if !is_open => return,
            changed = streams.changed() => if changed.is_err() { return },
        }
    }
}

/// Ends a session whose client is gone before the handshake was answered: nobody knows its id, and nobody will close it.
struct Opening<'a> {
    sessions: &'a Open,
    id: &'a SessionId,
    was_answered: bool,
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if !self.was_answered {
            remove(self.sessions, self.id);
        }
    }
}

/// A stream that is counted as long as it is open.
struct OpenStream(watch::Sender<usize>);

impl OpenStream {
    fn new(count: watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// The same stream, with what is dropped at its end.
fn holding<S: Stream, G>(stream: S, guard: G) -> impl Stream<Item = S::Item> + use<S, G> {
    stream.map(move |message| {
        let _held = &guard;
        message
    })
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = Handshake;

    async fn create_session(&self) -> Result<(SessionId, Handshake), SessionError> {
        let permit = take_permit().ok_or(SessionError::NotAdmitted)?;
        let (id, mut client) = self.library.create_session().await?;
        let streams = watch::Sender::new(0);
        let idle = idle(streams.subscribe());
        open(&self.open).insert(Arc::clone(&id), streams);
        metrics::served_sessions(open(&self.open).len());
        let ended = CancellationToken::new();
        let handshake = Handshake::until(ended.clone());
        let (served, library, sessions) =
            (Arc::clone(&self.served), Arc::clone(&self.library), Arc::clone(&self.open));
        let session = Arc::clone(&id);
        self.tasks.spawn(async move {
            let _permit = permit;
            let _ended = ended.drop_guard();
            served.run(&mut client, idle).await;
            remove(&sessions, &session);
            // Whoever asks for it from now on hears that it is gone.
            if let Err(error) = library.close_session(&session).await {
                tracing::debug!(%error, "a session could not be closed");
            }
        });
        Ok((id, handshake))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        let mut opening = Opening { sessions: &self.open, id, was_answered: false };
        let _stream = self.stream(id);
        let _running = OpenStream::new(self.running.clone());
        let answer = self.library.initialize_session(id, message).await;
        opening.was_answered = true;
        Ok(answer?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.library.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        Ok(self.library.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let guard = (self.stream(id), OpenStream::new(self.running.clone()));
        Ok(holding(self.library.create_stream(id, message).await?, guard))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.report(id);
        Ok(self.library.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let guard = self.stream(id);
        Ok(holding(self.library.create_standalone_stream(id).await?, guard))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let guard = self.stream(id);
        Ok(holding(self.library.resume(id, last_event_id).await?, guard))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt as _;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_session_without_a_stream_is_idle_after_a_while() {
        let streams = watch::Sender::new(0);
        let mut idle = Box::pin(idle(streams.subscribe()));
        let nearly = limits::SERVED_IDLE.saturating_sub(Duration::from_secs(1));
        assert!(idle.as_mut().now_or_never().is_none());
        advance(nearly).await;
        streams.send_modify(|_| {});
        assert!(idle.as_mut().now_or_never().is_none());
        advance(nearly).await;
        assert!(idle.as_mut().now_or_never().is_none(), "a message was a sign of life");
        let stream = OpenStream::new(streams.clone());
        assert!(idle.as_mut().now_or_never().is_none());
        advance(limits::SERVED_IDLE * 100).await;
        assert!(idle.as_mut().now_or_never().is_none(), "an open stream is one, however long");
        drop(stream);
        assert!(idle.as_mut().now_or_never().is_none());
        advance(limits::SERVED_IDLE + Duration::from_secs(1)).await;
        assert!(idle.as_mut().now_or_never().is_some());
    }
}
