//! How full the streams are, which servers have them, and how far their consumers lag behind.

use async_nats::jetstream::stream::{ClusterInfo, DiscardPolicy};
use tarsy_contracts::system::{BusState, ConsumerState, StreamState};
use tarsy_contracts::topology;

use crate::connect::Bus;
use crate::error::Error;

impl Bus {
    /// How much of JetStream the account uses; an error if JetStream does not answer.
    pub async fn state(&self) -> Result<BusState, Error> {
        let account = self.jetstream().query_account().await.map_err(|error| Error::Inspect {
            what: "JetStream".to_owned(),
            source: error.into(),
        })?;
        Ok(BusState {
            version: self.control().server_info().version,
            storage_bytes: account.storage,
            max_storage_bytes: account.limits.max_storage,
            memory_bytes: account.memory,
            max_memory_bytes: account.limits.max_memory,
        })
    }

    /// The streams that exist of those that TARSY needs, with their consumers; an error if JetStream does not answer.
    pub async fn stream_states(&self) -> Result<Vec<StreamState>, Error> {
        let mut states = Vec::new();
        for name in topology::stream_names() {
            match Box::pin(self.stream_state(name)).await {
                Ok(state) => states.push(state),
                Err(Error::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(states)
    }

    /// How many alerts wait for PostgreSQL.
    pub async fn queued_alerts(&self) -> Result<u64, Error> {
        let stream = self.find_stream(topology::INTAKE_ALERTS.stream).await?;
        Ok(stream.cached_info().state.messages)
    }

    async fn stream_state(&self, name: String) -> Result<StreamState, Error> {
        let stream = self.find_stream(&name).await?;
        let mut consumers = Vec::new();
        for consumer in topology::CONSUMERS.iter().filter(|one| one.stream == name) {
            match self.consumer_info(&name, consumer.name).await {
                Ok(info) => consumers.push(ConsumerState {
                    name: consumer.name.to_owned(),
                    pending: info.num_pending,
                    unacknowledged: info.num_ack_pending.try_into().unwrap_or(u64::MAX),
                }),
                Err(Error::Missing { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let info = stream.cached_info();
        Ok(StreamState {
            name,
            messages: info.state.messages,
            bytes: info.state.bytes,
            max_bytes: info.config.max_bytes,
            refuses_when_full: info.config.discard == DiscardPolicy::New,
            replicas: info.config.num_replicas,
            current_replicas: info.cluster.as_ref().map_or(1, current_replicas),
            consumers,
        })
    }
}

/// How many servers have all that a stream stores.
fn current_replicas(cluster: &ClusterInfo) -> usize {
    let followers = cluster.replicas.iter().filter(|peer| peer.current && !peer.offline);
    usize::from(cluster.leader.is_some()) + followers.count()
}
