//! Streams whose storage failed. After one write error, such as on a full disk, nats-server (seen with 2.15.1) stores
//! nothing more in that stream and acknowledges nothing, also when there is space again, until the stream is created
//! again or the server restarts. What the stream holds is still delivered; other streams are not affected.

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::stream::PurgeErrorKind;
use tarsy_contracts::topology;

use crate::connect::Bus;
use crate::error::Error;

/// No message has this subject: deleting what matches it deletes nothing, and reports a failed storage.
const NO_SUBJECT: &str = "tarsy.storage.check";
/// The prefix of an object store's stream.
const OBJECTS: &str = "OBJ_";

/// A stream on disk that stores nothing any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedStream {
    pub name: String,
    /// The server's error, without the paths of its files.
    pub error: String,
}

impl Bus {
    /// The streams on disk that store nothing any more; an error if JetStream does not answer.
    pub async fn failed_streams(&self) -> Result<Vec<FailedStream>, Error> {
        let mut failed = Vec::new();
        let streams = topology::STREAMS.iter().filter(|stream| stream.on_disk);
        let streams = streams.map(|stream| stream.name.to_owned());
        let stores = topology::OBJECT_STORES.iter();
        for name in streams.chain(stores.map(|store| format!("{OBJECTS}{}", store.name))) {
            if let Some(error) = Box::pin(self.storage_error(&name)).await? {
                failed.push(FailedStream { name, error });
            }
        }
        Ok(failed)
    }

    /// Creates a failed stream again, empty, with its consumers. False if it may hold the only copy of an alert: then
    /// nothing is done.
    pub async fn recreate_stream(&self, failed: &FailedStream) -> Result<bool, Error> {
        let holds_alerts = failed.name == topology::INTAKE.name
            || failed.name == format!("{OBJECTS}{}", topology::INTAKE_BLOBS.name);
        if holds_alerts && !Box::pin(self.every_alert_is_stored()).await? {
            return Ok(false);
        }
        self.jetstream().delete_stream(&failed.name).await.map_err(|error| Error::Provision {
            what: failed.name.clone(),
            source: error.into(),
        })?;
        self.provision().await?;
        Ok(true)
    }

    async fn storage_error(&self, name: &str) -> Result<Option<String>, Error> {
        let unavailable = |source| Error::Provision { what: format!("storage of {name}"), source };
        let stream = self.jetstream().get_stream_no_info(name).await;
        let stream = stream.map_err(|error| unavailable(error.into()))?;
        match stream.purge().filter(NO_SUBJECT).await {
            Ok(_) => Ok(None),
            Err(error) => match error.kind() {
                PurgeErrorKind::JetStream(cause)
                    if cause.error_code() == ErrorCode::STREAM_GENERALOR =>
                {
                    Ok(Some(without_paths(&cause.to_string())))
                }
                _ => Err(unavailable(error.into())),
            },
        }
    }

    /// Whether PostgreSQL has every alert that was queued: none waits for its delivery or for its acknowledgement.
    async fn every_alert_is_stored(&self) -> Result<bool, Error> {
        let definition = topology::INTAKE_ALERTS;
        let failed = |source| Error::Provision { what: definition.name.to_owned(), source };
        let stream = self.jetstream().get_stream_no_info(definition.stream).await;
        let stream = stream.map_err(|error| failed(error.into()))?;
        let info = stream.consumer_info(definition.name).await;
        let info = info.map_err(|error| failed(error.into()))?;
        Ok(info.num_pending == 0 && info.num_ack_pending == 0)
    }
}

/// `write /data/…/1.blk: no space left on device (code 500, …)` as `no space left on device`.
fn without_paths(error: &str) -> String {
    let error = error.split(" (code ").next().unwrap_or(error);
    error.rsplit(": ").next().unwrap_or(error).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_no_file_of_the_server() {
        let error = "write /data/jetstream/$G/streams/W/msgs/1.blk: no space left on device \
                     (code 500, error code 10051)";
        assert_eq!(without_paths(error), "no space left on device");
        assert_eq!(without_paths("unknown"), "unknown");
    }
}
