//! Streams, consumers and buckets: created if missing, updated if they differ.

use std::time::Duration;

use async_nats::jetstream::stream::{DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{consumer, kv, object_store, stream};
use tarsy_contracts::topology::{self, Retention};
use tarsy_domain::backoff::Backoff;
use tokio_util::sync::CancellationToken;

use crate::connect::Bus;
use crate::error::Error;

const PROVISION_RETRY: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(5));

impl Bus {
    /// Creates or updates every stream, consumer and bucket; idempotent. Only the user of the provisioner may.
    pub async fn provision(&self) -> Result<(), Error> {
        for definition in topology::STREAMS {
            self.provision_stream(&definition)
                .await
                .map_err(|source| Error::Provision { what: definition.name.to_owned(), source })?;
        }
        for definition in topology::CONSUMERS {
            self.provision_consumer(&definition).await?;
        }
        for definition in topology::BUCKETS {
            let config = kv::Config { num_replicas: self.replicas(), ..bucket_config(&definition) };
            self.jetstream().create_or_update_key_value(config).await.map_err(|error| {
                Error::Provision { what: definition.name.to_owned(), source: error.into() }
            })?;
        }
        for definition in topology::OBJECT_STORES {
            self.provision_objects(&definition)
                .await
                .map_err(|source| Error::Provision { what: definition.name.to_owned(), source })?;
        }
        Ok(())
    }

    async fn provision_stream(
        &self,
        definition: &topology::Stream,
    ) -> Result<(), async_nats::Error> {
        let jetstream = self.jetstream();
        // The server refuses to move a stream to another storage. What belongs in memory may be lost, what belongs on disk
        // may not: that one is left to the operator, who sees the server's error.
        if !definition.on_disk
            && let Ok(existing) = jetstream.get_stream(definition.name).await
            && existing.cached_info().config.storage == StorageType::File
        {
            tracing::info!(stream = definition.name, "moving a stream from disk to memory");
            // Another provisioner may have been faster; the next request tells what is wrong otherwise.
            if let Err(error) = jetstream.delete_stream(definition.name).await {
                tracing::debug!(stream = definition.name, %error, "the stream was not deleted");
            }
        }
        let config = stream::Config { num_replicas: self.replicas(), ..stream_config(definition) };
        jetstream.create_or_update_stream(config).await?;
        Ok(())
    }

    async fn provision_objects(
        &self,
        definition: &topology::Bucket,
    ) -> Result<(), async_nats::Error> {
        let jetstream = self.jetstream();
        if Box::pin(jetstream.get_object_store(definition.name)).await.is_err() {
            let config = object_store::Config {
                num_replicas: self.replicas(),
                ..object_store_config(definition)
            };
            Box::pin(jetstream.create_object_store(config)).await?;
            return Ok(());
        }
        let stream = jetstream.get_stream(definition.object_stream()).await?;
        let config = &stream.cached_info().config;
        if config.num_replicas != self.replicas() {
            let config = stream::Config { num_replicas: self.replicas(), ..config.clone() };
            jetstream.update_stream(config).await?;
        }
        Ok(())
    }

    /// Creates or updates one consumer.
    pub async fn provision_consumer(&self, definition: &topology::Consumer) -> Result<(), Error> {
        self.jetstream()
            .create_consumer_on_stream(consumer_config(definition), definition.stream)
            .await
            .map(|_: consumer::PullConsumer| ())
            .map_err(|error| Error::Provision {
                what: definition.name.to_owned(),
                source: error.into(),
            })
    }

    /// Provisions after every reconnect, because NATS may have lost its store. Runs until `stop`.
    pub async fn provision_on_reconnect(&self, stop: CancellationToken) {
        let mut connection = self.connection();
        loop {
            if connection.borrow_and_update().connected {
                self.provision_until_done(&stop).await;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                changed = connection.changed() => if changed.is_err() { return },
            }
        }
    }

    async fn provision_until_done(&self, stop: &CancellationToken) {
        let mut failures = 0;
        while let Err(error) = self.provision().await {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "topology is not complete");
            if !self.is_connected() {
                return;
            }
            failures += 1;
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PROVISION_RETRY.pause(failures)) => {}
            }
        }
    }
}

fn storage(on_disk: bool) -> StorageType {
    if on_disk { StorageType::File } else { StorageType::Memory }
}

fn stream_config(definition: &topology::Stream) -> stream::Config {
    stream::Config {
        name: definition.name.to_owned(),
        subjects: definition.subjects.iter().map(|&subject| subject.to_owned()).collect(),
        retention: match definition.retention {
            Retention::WorkQueue => RetentionPolicy::WorkQueue,
            Retention::Limits => RetentionPolicy::Limits,
        },
        storage: storage(definition.on_disk),
        discard: if definition.refuse_when_full { DiscardPolicy::New } else { DiscardPolicy::Old },
        max_age: definition.max_age,
        max_bytes: definition.max_bytes,
        max_message_size: definition.max_message_bytes.unwrap_or(-1),
        duplicate_window: definition.duplicate_window,
        max_messages_per_subject: definition.max_per_subject.unwrap_or(-1),
        ..stream::Config::default()
    }
}

fn consumer_config(definition: &topology::Consumer) -> consumer::pull::Config {
    consumer::pull::Config {
        durable_name: Some(definition.name.to_owned()),
        filter_subject: definition.filter.to_owned(),
        ack_wait: definition.ack_wait,
        max_deliver: definition.max_deliver,
        ..consumer::pull::Config::default()
    }
}

fn bucket_config(definition: &topology::Bucket) -> kv::Config {
    kv::Config {
        bucket: definition.name.to_owned(),
        history: 1,
        max_age: definition.ttl,
        max_bytes: 16 * 1024 * 1024,
        storage: StorageType::Memory,
        ..kv::Config::default()
    }
}

fn object_store_config(definition: &topology::Bucket) -> object_store::Config {
    object_store::Config {
        bucket: definition.name.to_owned(),
        max_age: definition.ttl,
        max_bytes: 512 * 1024 * 1024,
        storage: StorageType::File,
        ..object_store::Config::default()
    }
}
