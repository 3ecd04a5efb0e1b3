//! Plain subscriptions: what is published while nobody listens is gone, what comes twice comes
//! twice; whoever listens orders by sequence and reads from PostgreSQL what it may have missed.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};

use crate::{Bus, Error};

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
    /// Listens on a subject. When this returns, the server has been told.
    pub async fn subscribe(&self, subject: impl Into<String>) -> Result<Subscription, Error> {
        let subject = subject.into();
        let client = if subject.starts_with("tarsy.live.") { self.live() } else { self.control() };
        let failed = |source| Error::Subscribe { subject: subject.clone(), source };
        let subscriber =
            client.subscribe(subject.clone()).await.map_err(|error| failed(error.into()))?;
        if self.connected() {
            client.flush().await.map_err(|error| failed(error.into()))?;
        }
        Ok(Subscription(subscriber))
    }
}
