//! Plain subscriptions: what is published while nobody listens is gone, what comes twice comes
//! twice; whoever listens orders by sequence and reads from PostgreSQL what it may have missed.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use async_nats::Client;
use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tarsy_contracts::subject;

use crate::{Bus, Error};

/// A server that takes longer is overloaded, or forbids to ask; both are lived with.
const SETTLE_WITHIN: Duration = Duration::from_secs(1);

/// A message that came.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Where it came.
    pub subject: String,
    /// What came.
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
    /// Listens on a subject. When this returns, the server listens, too: whatever is published after
    /// that comes.
    pub async fn subscribe(&self, subject: impl Into<String>) -> Result<Subscription, Error> {
        let subject = subject.into();
        let client = if subject.starts_with("tarsy.live.") { self.live() } else { self.control() };
        let failed = |source| Error::Subscribe { subject: subject.clone(), source };
        let subscriber =
            client.subscribe(subject.clone()).await.map_err(|error| failed(error.into()))?;
        self.settle(client).await;
        Ok(Subscription(subscriber))
    }

    /// Waits until the server has done what was sent on this connection before. A flush only writes
    /// to the socket: a message that another connection sends then may still overtake it.
    pub(crate) async fn settle(&self, client: &Client) {
        if !self.connected() {
            return;
        }
        let asked = client.request(subject::FLUSH, Bytes::new());
        if tokio::time::timeout(SETTLE_WITHIN, asked).await.is_err() {
            tracing::debug!("the server was slow to settle");
        }
    }
}
