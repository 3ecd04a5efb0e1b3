//! Payloads too large for a message: stored for a short time, the message carries their id.

use bytes::Bytes;
use tarsy_contracts::topology;
use tokio::io::AsyncReadExt as _;

use crate::connect::Bus;
use crate::error::Error;

/// The largest payload that is read back, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// The object store for large payloads (claim checks).
#[derive(Clone, Debug)]
pub struct Blobs(Bus);

impl Bus {
    pub fn blobs(&self) -> Blobs {
        Blobs(self.clone())
    }
}

impl Blobs {
    /// Stores a payload and returns its id.
    pub async fn put(&self, payload: Bytes) -> Result<String, Error> {
        let id = uuid::Uuid::now_v7().to_string();
        let store = self.store().await?;
        store.put(id.as_str(), &mut payload.as_ref()).await.map_err(failed)?;
        Ok(id)
    }

    /// Reads the payload with this id; what is beyond 64 MiB is cut.
    pub async fn get(&self, id: &str) -> Result<Bytes, Error> {
        let store = self.store().await?;
        let object = store.get(id).await.map_err(failed)?;
        let mut payload = Vec::new();
        object.take(LIMIT).read_to_end(&mut payload).await.map_err(failed)?;
        Ok(payload.into())
    }

    async fn store(&self) -> Result<async_nats::jetstream::object_store::ObjectStore, Error> {
        self.0.jetstream().get_object_store(topology::BLOBS.name).await.map_err(failed)
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Bucket { bucket: topology::BLOBS.name.to_owned(), source: error.into() }
}
