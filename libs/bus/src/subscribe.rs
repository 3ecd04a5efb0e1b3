//! Plain subscriptions: at most once, without replay. A subscriber orders events by sequence number
//! and reads from PostgreSQL what it may have missed.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_nats::Client;
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tarsy_contracts::subject;

use crate::connect::Bus;
use crate::error::Error;

/// The longest wait for the server to confirm a subscription. A server that takes longer is
/// overloaded or denies the permission; the subscription is used anyway.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub struct Incoming {
    pub subject: String,
    pub payload: Bytes,
}

/// A stream of messages; dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription(async_nats::Subscriber);

impl Stream for Subscription {
    type Item = Incoming;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Incoming>> {
        self.0.poll_next_unpin(cx).map(|message| {
            message.map(|message| Incoming {
                subject: message.subject.to_string(),
                payload: message.payload,
            })
        })
    }
}

impl Bus {
    /// Subscribes to a subject. When this returns, the server knows the subscription: every message
    /// published later arrives.
    pub async fn subscribe(&self, subject: impl Into<String>) -> Result<Subscription, Error> {
        let subject = subject.into();
        let client = if subject::is_live(&subject) { self.live() } else { self.control() };
        let failed = |source| Error::Subscribe { subject: subject.clone(), source };
        let subscriber =
            client.subscribe(subject.clone()).await.map_err(|error| failed(error.into()))?;
        self.flush_to_server(client).await;
        Ok(Subscription(subscriber))
    }

    /// Whether NATS answers within `timeout`; the connection may still look open when it does not.
    pub async fn answers(&self, timeout: Duration) -> bool {
        // Nobody subscribes to this subject: the server answers that there are no responders.
        let round_trip = self.control().request(subject::FLUSH, Bytes::new());
        self.is_connected() && tokio::time::timeout(timeout, round_trip).await.is_ok()
    }

    /// Waits until the server has processed what this connection sent before. The client's own flush
    /// only writes to the socket: a message from another connection may still overtake it.
    pub(crate) async fn flush_to_server(&self, client: &Client) {
        if !self.is_connected() {
            return;
        }
        let round_trip = client.request(subject::FLUSH, Bytes::new());
        if tokio::time::timeout(FLUSH_TIMEOUT, round_trip).await.is_err() {
            tracing::debug!("the server did not confirm a subscription in time");
        }
    }
}
