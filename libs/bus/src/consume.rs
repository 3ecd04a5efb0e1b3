//! Durable consumers whose messages carry the work itself.

use std::time::Duration;

use async_nats::jetstream::AckKind;
use bytes::Bytes;
use tarsy_contracts::topology;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::connect::Bus;
use crate::spans::processing;

/// How long one pull waits for a message.
const PULL_TIMEOUT: Duration = Duration::from_secs(20);
/// How long the server waits before it delivers a rejected message again.
const REDELIVERY_DELAY: Duration = Duration::from_secs(2);

/// What became of a consumed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// It is not delivered again.
    Done,
    /// It is delivered again after two seconds.
    Retry,
}

impl Bus {
    /// Passes the messages of a durable consumer to `handle`, one at a time, until `stop`.
    pub async fn consume<F, Fut>(
        &self,
        definition: &topology::Consumer,
        stop: CancellationToken,
        handle: F,
    ) where
        F: Fn(Bytes) -> Fut + Send + Sync,
        Fut: Future<Output = Handled> + Send,
    {
        let messages = self.wake_ups(definition);
        while !stop.is_cancelled() {
            let next = tokio::select! {
                () = stop.cancelled() => return,
                next = messages.next_message(PULL_TIMEOUT) => next,
            };
            let Some(message) = next else { continue };
            let span = processing(&message.subject, message.headers.as_ref());
            let ack = match handle(message.payload.clone()).instrument(span).await {
                Handled::Done => AckKind::Ack,
                Handled::Retry => AckKind::Nak(Some(REDELIVERY_DELAY)),
            };
            if let Err(error) = message.ack_with(ack).await {
                tracing::debug!(%error, "could not acknowledge a message");
            }
        }
    }
}
