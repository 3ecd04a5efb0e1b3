//! Consumers of wake-ups: messages that say only that there may be work, taken one at a time.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use futures::StreamExt as _;
use tarsy_contracts::topology;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::connect::Bus;
use crate::error::Error;

/// A pull that ends more than this before its time was cut off by the server or the connection.
const EARLY: Duration = Duration::from_millis(500);
/// The pause after a failed pull: a broken connection must not turn the caller's loop into a hot one.
const FAILED_PULL_PAUSE: Duration = Duration::from_secs(1);

/// What ended a wait for a wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeUp {
    /// A message came; there may be work.
    Received,
    /// None came, or the pull failed. Look for work anyway: a wake-up may have been lost.
    TimedOut,
}

/// A durable consumer that is pulled one message at a time, only while there is capacity for the work.
#[derive(Debug)]
pub struct WakeUps {
    bus: Bus,
    definition: topology::Consumer,
    consumer: Mutex<Option<PullConsumer>>,
}

impl Bus {
    /// A consumer of the wake-ups of `definition`, which exists on the server.
    pub fn wake_ups(&self, definition: &topology::Consumer) -> WakeUps {
        WakeUps { bus: self.clone(), definition: *definition, consumer: Mutex::new(None) }
    }
}

impl WakeUps {
    /// Waits for one wake-up, at most `timeout`, and acknowledges it. Every failure counts as
    /// [`WakeUp::TimedOut`]: the caller's poll of the table covers it.
    pub async fn wait(&self, timeout: Duration) -> WakeUp {
        match self.next_message(timeout).await {
            Some(message) => {
                if let Err(error) = message.ack().await {
                    tracing::debug!(%error, "could not acknowledge a wake-up");
                }
                WakeUp::Received
            }
            None => WakeUp::TimedOut,
        }
    }

    /// Waits for one message, at most `timeout`; the caller acknowledges it.
    pub(crate) async fn next_message(&self, timeout: Duration) -> Option<Message> {
        let until = Instant::now() + timeout;
        match self.pull(timeout).await {
            Ok(Some(message)) => return Some(message),
            Ok(None) if Instant::now() + EARLY >= until => return None,
            Ok(None) => tracing::debug!(consumer = self.definition.name, "a pull ended early"),
            Err(error) => tracing::debug!(
                consumer = self.definition.name,
                error = %tarsy_telemetry::chain(&error),
                "a pull failed; the next one looks the consumer up again"
            ),
        }
        self.consumer.lock().await.take();
        tokio::time::sleep_until(until.min(Instant::now() + FAILED_PULL_PAUSE)).await;
        None
    }

    async fn pull(&self, timeout: Duration) -> Result<Option<Message>, Error> {
        let failed = |error: async_nats::Error| Error::Subscribe {
            subject: self.definition.filter.to_owned(),
            source: error,
        };
        let consumer = self.consumer().await?;
        // Without heartbeats: after one, the client's batch no longer wakes the task that waits on it,
        // and returns only when its own timer ends. That timer also covers a server that stops
        // answering.
        let mut batch = consumer
            .batch()
            .max_messages(1)
            .expires(timeout)
            .messages()
            .await
            .map_err(|error| failed(error.into()))?;
        batch.next().await.transpose().map_err(failed)
    }

    async fn consumer(&self) -> Result<PullConsumer, Error> {
        let mut cached = self.consumer.lock().await;
        if let Some(consumer) = &*cached {
            return Ok(consumer.clone());
        }
        let topology::Consumer { name, stream, .. } = self.definition;
        let found = self.bus.jetstream().get_consumer_from_stream(name, stream).await;
        let consumer: PullConsumer = found.map_err(|error| Error::Subscribe {
            subject: self.definition.filter.to_owned(),
            source: error.into(),
        })?;
        *cached = Some(consumer.clone());
        Ok(consumer)
    }
}
