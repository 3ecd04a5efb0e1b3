//! Payloads too large for a message: stored for a short time, the message carries their id.

use std::time::Duration;

use bytes::Bytes;
use tarsy_contracts::topology;
use tokio::io::AsyncReadExt as _;

use crate::connect::Bus;
use crate::error::Error;

/// The largest payload that is read back, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;
/// The most time that one operation may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The object store for large payloads (claim checks).
#[derive(Clone, Debug)]
pub struct Blobs {
    bus: Bus,
    bucket: &'static str,
}

impl Bus {
    /// One of [`topology::OBJECT_STORES`].
    pub fn blobs(&self, bucket: &topology::Bucket) -> Blobs {
        Blobs { bus: self.clone(), bucket: bucket.name }
    }
}

impl Blobs {
    /// Stores a payload and returns its id.
    pub async fn put(&self, payload: Bytes) -> Result<String, Error> {
        let id = uuid::Uuid::now_v7().to_string();
        let put = async {
            let store = self.store().await?;
            let put = store.put(id.as_str(), &mut payload.as_ref()).await;
            put.map(|_| ()).map_err(|error| self.failed(error))
        };
        self.in_time(put).await?;
        Ok(id)
    }

    /// Deletes the payload with this id.
    pub async fn delete(&self, id: &str) -> Result<(), Error> {
        self.in_time(async {
            self.store().await?.delete(id).await.map_err(|error| self.failed(error))
        })
        .await
    }

    /// Reads the payload with this id; what is beyond 64 MiB is cut.
    pub async fn get(&self, id: &str) -> Result<Bytes, Error> {
        let get = async {
            let store = self.store().await?;
            let object = store.get(id).await.map_err(|error| self.failed(error))?;
            let mut payload = Vec::new();
            let read = object.take(LIMIT).read_to_end(&mut payload).await;
            read.map_err(|error| self.failed(error))?;
            Ok(payload.into())
        };
        self.in_time(get).await
    }

    /// Ends with an error while disconnected, and after [`TIMEOUT`].
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        // In a box: the client's futures are large.
        let work = Box::pin(work);
        if !self.bus.is_connected() {
            return Err(self.failed("not connected"));
        }
        match tokio::time::timeout(TIMEOUT, work).await {
            Ok(result) => result,
            Err(_) => Err(self.failed("no answer in time")),
        }
    }

    async fn store(&self) -> Result<async_nats::jetstream::object_store::ObjectStore, Error> {
        let store = self.bus.jetstream().get_object_store(self.bucket).await;
        store.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Bucket { bucket: self.bucket.to_owned(), source: error.into() }
    }
}
