//! Payloads too large for a message: stored for a short time, the message carries their id.

use std::time::Duration;

use async_nats::jetstream::object_store::ObjectInfo;
use async_nats::jetstream::stream::DirectGetErrorKind;
use bytes::{Bytes, BytesMut};
use tarsy_contracts::topology;
use tarsy_domain::id::SessionId;

use crate::connect::Bus;
use crate::error::Error;

/// The largest payload that is read back, in bytes.
const LIMIT: usize = 64 * 1024 * 1024;
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
    /// Stores a payload of a session, whose copies are found by it, and returns its id.
    pub async fn put(&self, session: Option<SessionId>, payload: Bytes) -> Result<String, Error> {
        let id = uuid::Uuid::now_v7();
        let id = session.map_or_else(|| id.to_string(), |session| format!("{session}.{id}"));
        let put = async {
            let store = self.store().await?;
            let put = store.put(id.as_str(), &mut payload.as_ref()).await;
            put.map(|_| ()).map_err(|error| self.failed(error))
        };
        self.in_time(put).await?;
        Ok(id)
    }

    pub async fn delete(&self, id: &str) -> Result<(), Error> {
        self.in_time(async {
            self.store().await?.delete(id).await.map_err(|error| self.failed(error))
        })
        .await
    }

    /// Reads the payload with this id; what is beyond 64 MiB is cut.
    pub async fn get(&self, id: &str) -> Result<Bytes, Error> {
        let get = async {
            let object = self.store().await?.info(id).await.map_err(|error| self.failed(error))?;
            if object.deleted {
                return Err(self.failed("it was deleted"));
            }
            let payload = self.read_chunks(&object).await?;
            payload.ok_or_else(|| self.failed("it is not complete"))
        };
        self.in_time(get).await
    }

    /// Reads the chunks one by one: the client's own reader creates a consumer, which no service may. None if some are gone.
    pub(crate) async fn read_chunks(&self, object: &ObjectInfo) -> Result<Option<Bytes>, Error> {
        let stream = format!("OBJ_{}", self.bucket);
        let stream = self.bus.jetstream().get_stream_no_info(stream).await;
        let stream = stream.map_err(|error| self.failed(error))?;
        let subject = format!("$O.{}.C.{}", self.bucket, object.nuid);
        let (mut payload, mut next) = (BytesMut::new(), None);
        for _ in 0..object.chunks {
            let chunk = match stream.direct_get_next_for_subject(&subject, next).await {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(self.failed(error)),
            };
            next = Some(chunk.sequence + 1);
            payload.extend_from_slice(&chunk.payload);
            if payload.len() >= LIMIT {
                payload.truncate(LIMIT);
                return Ok(Some(payload.freeze()));
            }
        }
        Ok((payload.len() == object.size).then(|| payload.freeze()))
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
