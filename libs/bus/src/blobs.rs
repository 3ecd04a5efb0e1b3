//! Payloads too large for a message: kept for a short time, named in the message instead.

use bytes::Bytes;
use tarsy_contracts::topology;
use tokio::io::AsyncReadExt as _;

use crate::{Bus, Error};

/// The largest payload that is read back.
const LIMIT: u64 = 64 * 1024 * 1024;

/// The object store for claim checks.
#[derive(Clone, Debug)]
pub struct Blobs(Bus);

impl Bus {
    /// The object store for claim checks.
    pub fn blobs(&self) -> Blobs {
        Blobs(self.clone())
    }
}

impl Blobs {
    /// Keeps a payload and tells its name.
    pub async fn put(&self, payload: Bytes) -> Result<String, Error> {
        let name = uuid::Uuid::now_v7().to_string();
        let store = self.store().await?;
        store.put(name.as_str(), &mut payload.as_ref()).await.map_err(failed)?;
        Ok(name)
    }

    /// Reads a payload by its name.
    pub async fn get(&self, name: &str) -> Result<Bytes, Error> {
        let store = self.store().await?;
        let object = store.get(name).await.map_err(failed)?;
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
