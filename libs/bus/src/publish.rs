//! Sending.

use std::time::Duration;

use async_nats::HeaderMap;
use bytes::Bytes;
use serde::Serialize;
use tarsy_contracts::event::Committed;
use tarsy_contracts::subject;
use tarsy_contracts::work::{ChatWakeUp, SessionWakeUp, SummaryWakeUp};
use tarsy_domain::id::{SessionId, SummaryId};
use tokio_util::sync::CancellationToken;

use crate::{Bus, Error};

const ACK_TIMEOUT: Duration = Duration::from_secs(5);

/// A message that is kept until it was taken.
#[derive(Clone, Debug)]
pub struct Durable {
    /// Where to.
    pub subject: String,
    /// The same id within the stream's window is stored once.
    pub message_id: String,
    /// What.
    pub payload: Bytes,
}

impl Bus {
    /// Publishes a committed event and waits until the stream has it.
    pub async fn publish_event(&self, event: &Committed) -> Result<(), Error> {
        self.publish_durable(Durable {
            subject: subject::event(event.session_id, &event.kind),
            message_id: event.message_id(),
            payload: Bytes::from(event.payload.clone()),
        })
        .await
    }

    /// Tells the orchestrators that a session waits.
    pub async fn ring_session(&self, session_id: SessionId) -> Result<(), Error> {
        self.ring(subject::WORK_SESSION, &SessionWakeUp { session_id }).await
    }

    /// Tells the orchestrators that a question about a session waits.
    pub async fn ring_chat(&self, session_id: SessionId) -> Result<(), Error> {
        self.ring(subject::WORK_CHAT, &ChatWakeUp { session_id }).await
    }

    /// Tells the summarizers that a summary waits.
    pub async fn ring_summary(&self, summary_id: SummaryId) -> Result<(), Error> {
        self.ring(subject::WORK_SUMMARIZE, &SummaryWakeUp { summary_id }).await
    }

    async fn ring<T: Serialize>(&self, subject: &str, doorbell: &T) -> Result<(), Error> {
        let payload = encode(subject, doorbell)?;
        let message_id = uuid::Uuid::now_v7().to_string();
        self.publish_durable(Durable { subject: subject.to_owned(), message_id, payload }).await
    }

    /// Publishes into a stream and waits until the stream has it.
    pub async fn publish_durable(&self, message: Durable) -> Result<(), Error> {
        let Durable { subject, message_id, payload } = message;
        let mut headers = headers();
        headers.insert("Nats-Msg-Id", message_id.as_str());
        let sent = async {
            self.jetstream()
                .publish_with_headers(subject.clone(), headers, payload)
                .await
                .map_err(|error| failed(&subject, error))?
                .await
                .map_err(|error| failed(&subject, error))
        };
        match tokio::time::timeout(ACK_TIMEOUT, sent).await {
            Ok(result) => result.map(|_| ()),
            Err(_) => Err(Error::Timeout { subject: subject.clone() }),
        }
    }

    /// Sends a message to whoever listens now. `Ok` does not mean that anybody got it.
    pub async fn publish<T: Serialize>(&self, subject: String, message: &T) -> Result<(), Error> {
        let payload = encode(&subject, message)?;
        self.publish_raw(subject, payload).await
    }

    /// Sends bytes to whoever listens now.
    pub async fn publish_raw(&self, subject: String, payload: Bytes) -> Result<(), Error> {
        if !self.connected() {
            // The client would keep it and deliver it late, to nobody's use.
            return Err(Error::Publish { subject, source: "not connected".into() });
        }
        let live = subject.starts_with("tarsy.live.");
        let client = if live { self.live() } else { self.control() };
        // Live text is the hot path: it goes without headers, and its order is the client's.
        let sent = if live {
            client.publish(subject.clone(), payload).await
        } else {
            client.publish_with_headers(subject.clone(), headers(), payload).await
        };
        sent.map_err(|error| failed(&subject, error))
    }

    /// Takes messages of a durable consumer until `stop`, one at a time: `handle` answers whether
    /// the message is done with; if not, it comes again after a pause.
    pub async fn consume<F, Fut>(
        &self,
        definition: &tarsy_contracts::topology::Consumer,
        stop: CancellationToken,
        handle: F,
    ) where
        F: Fn(Bytes) -> Fut + Send + Sync,
        Fut: Future<Output = bool> + Send,
    {
        let doorbell = self.doorbell(definition);
        while !stop.is_cancelled() {
            let taken = tokio::select! {
                () = stop.cancelled() => return,
                taken = doorbell.take(Duration::from_secs(20)) => taken,
            };
            let Some(message) = taken else { continue };
            let done = handle(message.payload.clone()).await;
            let kind = if done {
                async_nats::jetstream::AckKind::Ack
            } else {
                async_nats::jetstream::AckKind::Nak(Some(Duration::from_secs(2)))
            };
            if let Err(error) = message.ack_with(kind).await {
                tracing::debug!(%error, "an acknowledgement was not sent");
            }
        }
    }
}

pub(crate) fn encode<T: Serialize>(subject: &str, message: &T) -> Result<Bytes, Error> {
    serde_json::to_vec(message)
        .map(Bytes::from)
        .map_err(|source| Error::Shape { subject: subject.to_owned(), source })
}

pub(crate) fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(traceparent) = tarsy_telemetry::traceparent() {
        headers.insert("traceparent", traceparent.as_str());
    }
    headers
}

fn failed(subject: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Publish { subject: subject.to_owned(), source: error.into() }
}
