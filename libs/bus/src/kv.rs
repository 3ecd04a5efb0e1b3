//! Key-value buckets, only for data that can be recomputed.

use bytes::Bytes;
use futures::TryStreamExt as _;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::topology::Bucket;

use crate::connect::Bus;
use crate::encode::encode;
use crate::error::Error;

#[derive(Clone, Debug)]
pub struct Kv {
    bus: Bus,
    bucket: &'static str,
}

impl Bus {
    pub fn kv(&self, bucket: &Bucket) -> Kv {
        Kv { bus: self.clone(), bucket: bucket.name }
    }
}

impl Kv {
    pub async fn put<T: Serialize>(&self, key: &str, value: &T) -> Result<(), Error> {
        let payload = encode(self.bucket, value)?;
        self.store().await?.put(key, payload).await.map_err(|error| self.failed(error))?;
        Ok(())
    }

    pub async fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Error> {
        let found = self.store().await?.get(key).await.map_err(|error| self.failed(error))?;
        found.map(|payload| self.decode(&payload)).transpose()
    }

    /// When an entry was written, by the server's clock; none without the entry.
    pub async fn written_at(&self, key: &str) -> Result<Option<Timestamp>, Error> {
        let entry = self.store().await?.entry(key).await.map_err(|error| self.failed(error))?;
        Ok(entry.and_then(|entry| {
            Timestamp::from_nanosecond(entry.created.unix_timestamp_nanos()).ok()
        }))
    }

    /// Reads all entries; entries of another shape are skipped and logged.
    pub async fn entries<T: DeserializeOwned>(&self) -> Result<Vec<T>, Error> {
        let store = self.store().await?;
        // The stream's description has its subjects. Listing keys by the client's own way creates a consumer, which no
        // service may.
        let subjects = store.stream.info_with_subjects(format!("{}>", store.prefix)).await;
        let subjects = subjects.map_err(|error| self.failed(error))?;
        let keys: Vec<String> = subjects
            .map_ok(|(subject, _)| subject.trim_start_matches(&store.prefix).to_owned())
            .try_collect()
            .await
            .map_err(|error| self.failed(error))?;
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let found = store.get(&key).await.map_err(|error| self.failed(error))?;
            match found.map(|payload| self.decode(&payload)) {
                Some(Ok(entry)) => entries.push(entry),
                Some(Err(error)) => {
                    tracing::warn!(bucket = self.bucket, key, %error, "skipped an entry of another shape");
                }
                None => {}
            }
        }
        Ok(entries)
    }

    pub async fn delete(&self, key: &str) -> Result<(), Error> {
        self.store().await?.delete(key).await.map_err(|error| self.failed(error))
    }

    /// Acquires or renews the leadership of a job that one instance does for all; false while another
    /// leads. It expires with the bucket's time to live.
    pub async fn acquire_leadership(&self, job: &str) -> Result<bool, Error> {
        let store = self.store().await?;
        let me = Bytes::from(self.bus.instance().to_owned());
        if store.create(job, me.clone()).await.is_ok() {
            return Ok(true);
        }
        let entry = store.entry(job).await.map_err(|error| self.failed(error))?;
        match entry {
            Some(entry) if entry.value == me => {
                Ok(store.update(job, me, entry.revision).await.is_ok())
            }
            Some(_) | None => Ok(false),
        }
    }

    async fn store(&self) -> Result<async_nats::jetstream::kv::Store, Error> {
        self.bus.jetstream().get_key_value(self.bucket).await.map_err(|error| self.failed(error))
    }

    fn decode<T: DeserializeOwned>(&self, payload: &[u8]) -> Result<T, Error> {
        serde_json::from_slice(payload)
            .map_err(|source| Error::Shape { subject: self.bucket.to_owned(), source })
    }

    fn failed(&self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Bucket { bucket: self.bucket.to_owned(), source: error.into() }
    }
}
