//! Publishing: live text without an acknowledgement, everything else into streams.

use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;
use bytes::Bytes;
use serde::Serialize;
use tarsy_contracts::event::Committed;
use tarsy_contracts::subject;
use tarsy_contracts::work::{ChatWakeUp, SessionWakeUp, SummaryWakeUp};
use tarsy_domain::id::{SessionId, SummaryId};
use tracing::Instrument as _;

use crate::connect::Bus;
use crate::encode::{encode, headers};
use crate::error::Error;
use crate::spans::sending;

/// How long a stream may take to acknowledge a message.
const ACK_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a message may wait for a place in the client's buffer, which fills when the server stops reading.
const SEND_TIMEOUT: Duration = Duration::from_secs(2);

/// A message that a stream stores until it is consumed or expires.
#[derive(Clone, Debug)]
pub struct DurableMessage {
    pub subject: String,
    /// The stream stores messages with the same id once within its duplicate window.
    pub message_id: String,
    pub payload: Bytes,
}

impl Bus {
    /// Publishes a committed event and waits until the stream has stored it.
    pub async fn publish_event(&self, event: &Committed) -> Result<(), Error> {
        self.publish_durable(DurableMessage {
            subject: subject::event(event.session_id, &event.kind),
            message_id: event.message_id(),
            payload: Bytes::from(event.payload.clone()),
        })
        .await
    }

    /// Wakes an orchestrator: a session may be waiting.
    pub async fn wake_session_workers(&self, session_id: SessionId) -> Result<(), Error> {
        self.wake(subject::WORK_SESSION, &SessionWakeUp { session_id }).await
    }

    /// Wakes an orchestrator: a question about a session may be waiting.
    pub async fn wake_chat_workers(&self, session_id: SessionId) -> Result<(), Error> {
        self.wake(subject::WORK_CHAT, &ChatWakeUp { session_id }).await
    }

    /// Wakes a summarizer: a summary may be waiting.
    pub async fn wake_summarizers(&self, summary_id: SummaryId) -> Result<(), Error> {
        self.wake(subject::WORK_SUMMARIZE, &SummaryWakeUp { summary_id }).await
    }

    async fn wake<T: Serialize>(&self, subject: &str, wake_up: &T) -> Result<(), Error> {
        let payload = encode(subject, wake_up)?;
        let message_id = uuid::Uuid::now_v7().to_string();
        self.publish_durable(DurableMessage { subject: subject.to_owned(), message_id, payload })
            .await
    }

    /// Publishes into a stream and waits until the stream has stored the message. After a
    /// [timeout](Error::Timeout) it may have been stored; after another error it was not, and is not later.
    pub async fn publish_durable(&self, message: DurableMessage) -> Result<(), Error> {
        let DurableMessage { subject, message_id, payload } = message;
        if !self.is_connected() {
            // The client would keep the message and send it after the caller was told that it failed.
            return Err(Error::Disconnected { subject });
        }
        let span = sending("publish", "producer", &subject);
        let mut headers = span.in_scope(headers);
        headers.insert("Nats-Msg-Id", message_id.as_str());
        let stored = async {
            self.jetstream()
                .publish_with_headers(subject.clone(), headers, payload)
                .await
                .map_err(|error| failed(&subject, error))?
                .await
                .map_err(|error| match error.kind() {
                    PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => {
                        Error::Timeout { subject: subject.clone() }
                    }
                    _ => failed(&subject, error),
                })
        };
        match tokio::time::timeout(ACK_TIMEOUT, stored).instrument(span).await {
            Ok(result) => result.map(|_| ()),
            Err(_) => Err(Error::Timeout { subject: subject.clone() }),
        }
    }

    /// Publishes to the current subscribers. `Ok` does not mean that anybody received it.
    pub async fn publish<T: Serialize>(&self, subject: String, message: &T) -> Result<(), Error> {
        let payload = encode(&subject, message)?;
        self.publish_raw(subject, payload).await
    }

    /// Publishes bytes to the current subscribers; an error while disconnected.
    pub async fn publish_raw(&self, subject: String, payload: Bytes) -> Result<(), Error> {
        if !self.is_connected() {
            // The client would buffer the message and deliver it late, to nobody's use.
            return Err(Error::Disconnected { subject });
        }
        // Live text is the hot path: it goes without headers, and the client keeps its order.
        let sent = async {
            if subject::is_live(&subject) {
                self.live().publish(subject.clone(), payload).await
            } else {
                self.control().publish_with_headers(subject.clone(), headers(), payload).await
            }
        };
        match tokio::time::timeout(SEND_TIMEOUT, sent).await {
            Ok(sent) => sent.map_err(|error| failed(&subject, error)),
            Err(_) => Err(Error::Timeout { subject }),
        }
    }
}

fn failed(subject: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Publish { subject: subject.to_owned(), source: error.into() }
}
