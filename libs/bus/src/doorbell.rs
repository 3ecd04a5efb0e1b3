//! Doorbells: hints that there is work, from a durable consumer, one at a time.

use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use futures::StreamExt as _;
use tarsy_contracts::topology;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::{Bus, Error};

/// A pull that ends sooner than this before its time was cut off.
const EARLY: Duration = Duration::from_millis(500);

/// What a wait at the door came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// It rang; there may be work.
    Rung,
    /// It was quiet; look anyway, for a ring may have been lost.
    Quiet,
}

/// A durable consumer that is pulled one message at a time, only while there is room for the work.
#[derive(Debug)]
pub struct Doorbell {
    bus: Bus,
    definition: topology::Consumer,
    consumer: Mutex<Option<PullConsumer>>,
}

impl Bus {
    /// The doorbell of a durable consumer.
    pub fn doorbell(&self, definition: &topology::Consumer) -> Doorbell {
        Doorbell { bus: self.clone(), definition: *definition, consumer: Mutex::new(None) }
    }
}

impl Doorbell {
    /// Waits for one ring, at most `patience`. Whatever goes wrong is a quiet door: the caller's
    /// look at the table is the net.
    pub async fn wait(&self, patience: Duration) -> Ring {
        match self.take(patience).await {
            Some(message) => {
                if let Err(error) = message.ack().await {
                    tracing::debug!(%error, "a ring was not acknowledged");
                }
                Ring::Rung
            }
            None => Ring::Quiet,
        }
    }

    /// Waits for one message, at most `patience`; the caller acknowledges it.
    pub(crate) async fn take(&self, patience: Duration) -> Option<Message> {
        let until = Instant::now() + patience;
        match self.pull(patience).await {
            Ok(Some(message)) => return Some(message),
            Ok(None) if Instant::now() + EARLY >= until => return None,
            Ok(None) => tracing::debug!(consumer = self.definition.name, "a pull ended early"),
            Err(error) => tracing::debug!(
                consumer = self.definition.name,
                error = %tarsy_telemetry::chain(&error),
                "a pull failed; the consumer is looked up again"
            ),
        }
        self.consumer.lock().await.take();
        // A broken bus must not turn the caller's loop into a hot one.
        tokio::time::sleep_until(until.min(Instant::now() + Duration::from_secs(1))).await;
        None
    }

    async fn pull(&self, patience: Duration) -> Result<Option<Message>, Error> {
        let failed = |error: async_nats::Error| Error::Subscribe {
            subject: self.definition.filter.to_owned(),
            source: error,
        };
        let consumer = self.consumer().await?;
        // No heartbeats: after one, the client's batch forgets to wake whoever waits on it, and is
        // deaf until its own timer ends. That timer is the net for a server that went silent.
        let mut batch = consumer
            .batch()
            .max_messages(1)
            .expires(patience)
            .messages()
            .await
            .map_err(|error| failed(error.into()))?;
        batch.next().await.transpose().map_err(failed)
    }

    async fn consumer(&self) -> Result<PullConsumer, Error> {
        let mut known = self.consumer.lock().await;
        if let Some(consumer) = &*known {
            return Ok(consumer.clone());
        }
        let consumer = self.bus.provision_consumer(&self.definition).await?;
        *known = Some(consumer.clone());
        Ok(consumer)
    }
}
