//! How full the streams are, and how far their consumers lag behind.

use tarsy_contracts::system::{ConsumerState, StreamState};
use tarsy_contracts::topology;

use crate::connect::Bus;
use crate::error::Error;

impl Bus {
    /// The streams with their consumers; an error if JetStream does not answer.
    pub async fn stream_states(&self) -> Result<Vec<StreamState>, Error> {
        let mut states = Vec::with_capacity(topology::STREAMS.len());
        for stream in topology::STREAMS {
            states.push(Box::pin(self.stream_state(stream)).await?);
        }
        Ok(states)
    }

    /// How many alerts wait for PostgreSQL.
    pub async fn queued_alerts(&self) -> Result<u64, Error> {
        let name = topology::INTAKE_ALERTS.stream;
        let stream = self.jetstream().get_stream(name).await;
        let failed = |source| Error::Provision { what: name.to_owned(), source };
        let stream = stream.map_err(|error| failed(error.into()))?;
        Ok(stream.cached_info().state.messages)
    }

    async fn stream_state(&self, definition: topology::Stream) -> Result<StreamState, Error> {
        let failed = |source| Error::Provision { what: definition.name.to_owned(), source };
        let stream = self.jetstream().get_stream(definition.name).await;
        let stream = stream.map_err(|error| failed(error.into()))?;
        let read = topology::CONSUMERS.iter().filter(|one| one.stream == definition.name);
        let mut consumers = Vec::new();
        for consumer in read {
            let info = stream.consumer_info(consumer.name).await;
            let info = info.map_err(|error| failed(error.into()))?;
            consumers.push(ConsumerState {
                name: consumer.name.to_owned(),
                pending: info.num_pending,
                unacknowledged: info.num_ack_pending.try_into().unwrap_or(u64::MAX),
            });
        }
        let info = stream.cached_info();
        Ok(StreamState {
            name: definition.name.to_owned(),
            messages: info.state.messages,
            bytes: info.state.bytes,
            max_bytes: definition.max_bytes,
            consumers,
        })
    }
}
