//! A handshake that its caller may give up. The library then neither closes the session that the server opens meanwhile
//! nor stops to wait for the server's answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt as _;
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};
use tokio_util::sync::CancellationToken;

use super::types::{Headers, Reply};
use crate::limits;

/// What closing a session takes.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) uri: Arc<str>,
    pub(crate) session: Arc<str>,
    pub(crate) auth: Option<String>,
    pub(crate) headers: Headers,
}

/// Cheap to clone; all clones are of one handshake.
#[derive(Clone, Default)]
pub(crate) struct Handshake {
    opened: Arc<Mutex<Option<Opened>>>,
    given_up: CancellationToken,
}

impl Handshake {
    /// Gives the handshake up. Returns the session that is open already.
    pub(crate) fn give_up(&self) -> Option<Opened> {
        let mut opened = self.opened();
        self.given_up.cancel();
        opened.take()
    }

    /// Notes the session that the server has opened; returned if nobody will close it.
    pub(crate) fn note_opened(&self, opened: Opened) -> Option<Opened> {
        let mut noted = self.opened();
        if self.given_up.is_cancelled() {
            return Some(opened);
        }
        *noted = Some(opened);
        None
    }

    /// The answer to a request; an error a while after the handshake was given up.
    pub(crate) async fn answer(
        &self,
        sending: impl Future<Output = Reply<StreamableHttpPostResponse>>,
    ) -> Reply<StreamableHttpPostResponse> {
        let ended = async {
            self.given_up.cancelled().await;
            tokio::time::sleep(limits::GIVEN_UP).await;
        };
        let answer = tokio::select! {
            answer = sending => answer?,
            () = ended => return Err(StreamableHttpError::TransportChannelClosed),
        };
        Ok(match answer {
            StreamableHttpPostResponse::Sse(events, session) => {
                let until = self.given_up.clone().cancelled_owned();
                StreamableHttpPostResponse::Sse(events.take_until(Box::pin(until)).boxed(), session)
            }
            other => other,
        })
    }

    fn opened(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
