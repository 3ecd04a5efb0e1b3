//! Publishing: live text without an acknowledgement, everything else into streams.

use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use tarsy_contracts::event::Committed;
use tarsy_contracts::subject;
use tarsy_contracts::work::{ChatWakeUp, SessionWakeUp, SummaryWakeUp};
use tarsy_domain::id::{SessionId, SummaryId};

use crate::connect::Bus;
use crate::encode::{encode, headers};
use crate::error::Error;

/// How long a stream may take to acknowledge a message.
const ACK_TIMEOUT: Duration = Duration::from_secs(5);

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

    /// Publishes into a stream and waits until the stream has stored the message.
    pub async fn publish_durable(&self, message: DurableMessage) -> Result<(), Error> {
        let DurableMessage { subject, message_id, payload } = message;
        let mut headers = headers();
        headers.insert("Nats-Msg-Id", message_id.as_str());
        let stored = async {
            self.jetstream()
                .publish_with_headers(subject.clone(), headers, payload)
                .await
                .map_err(|error| failed(&subject, error))?
                .await
                .map_err(|error| failed(&subject, error))
        };
        match tokio::time::timeout(ACK_TIMEOUT, stored).await {
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
            return Err(Error::Publish { subject, source: "not connected".into() });
        }
        // Live text is the hot path: it goes without headers, and the client keeps its order.
        let sent = if subject::is_live(&subject) {
            self.live().publish(subject.clone(), payload).await
        } else {
            self.control().publish_with_headers(subject.clone(), headers(), payload).await
        };
        sent.map_err(|error| failed(&subject, error))
    }
}

fn failed(subject: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Publish { subject: subject.to_owned(), source: error.into() }
}
