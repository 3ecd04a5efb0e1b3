//! Whether everything that a service uses exists. A service creates nothing: the provisioner does.

use std::time::Duration;

use async_nats::jetstream::context::{ConsumerInfoErrorKind, GetStreamErrorKind};
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{ErrorCode, consumer};
use tarsy_contracts::permissions::BusUser;
use tarsy_contracts::topology;
use tarsy_domain::backoff::Backoff;
use tokio_util::sync::CancellationToken;

use crate::connect::Bus;
use crate::error::Error;

const RETRY: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(5));

impl Bus {
    /// Looks for the streams, buckets and consumers that a user needs; [`Error::Missing`] names the first that does not
    /// exist.
    pub async fn check(&self, user: &BusUser) -> Result<(), Error> {
        for name in user.streams() {
            self.check_stream(&name).await?;
        }
        let consumers = if user.provisions { &topology::CONSUMERS } else { user.consumers };
        for definition in consumers {
            self.check_consumer(definition.stream, definition.name).await?;
        }
        Ok(())
    }

    /// Checks after every reconnect, because NATS may have lost its store, and until nothing is missing. Passes each result
    /// on; runs until `stop`.
    pub async fn check_on_reconnect(
        &self,
        user: &BusUser,
        report: impl Fn(Result<(), &Error>) + Send,
        stop: CancellationToken,
    ) {
        let mut connection = self.connection();
        loop {
            if connection.borrow_and_update().connected {
                self.check_until_complete(user, &report, &stop).await;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                changed = connection.changed() => if changed.is_err() { return },
            }
        }
    }

    async fn check_until_complete(
        &self,
        user: &BusUser,
        report: &(impl Fn(Result<(), &Error>) + Send),
        stop: &CancellationToken,
    ) {
        let mut failures = 0;
        while let Err(error) = self.check(user).await {
            if !self.is_connected() {
                return;
            }
            report(Err(&error));
            failures += 1;
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(RETRY.pause(failures)) => {}
            }
        }
        report(Ok(()));
    }

    async fn check_stream(&self, name: &str) -> Result<(), Error> {
        Box::pin(self.find_stream(name)).await.map(|_| ())
    }

    async fn check_consumer(&self, stream: &str, name: &str) -> Result<(), Error> {
        self.consumer_info(stream, name).await.map(|_| ())
    }

    /// A stream with its state; [`Error::Missing`] if it does not exist.
    pub(crate) async fn find_stream(&self, name: &str) -> Result<Stream, Error> {
        self.jetstream().get_stream(name).await.map_err(|error| match error.kind() {
            GetStreamErrorKind::JetStream(cause)
                if cause.error_code() == ErrorCode::STREAM_NOT_FOUND =>
            {
                Error::Missing { what: format!("stream {name}") }
            }
            _ => unavailable(name, error.into()),
        })
    }

    /// The state of a consumer; [`Error::Missing`] if it does not exist.
    pub(crate) async fn consumer_info(
        &self,
        stream: &str,
        name: &str,
    ) -> Result<consumer::Info, Error> {
        let parent = self.jetstream().get_stream_no_info(stream).await;
        let parent = parent.map_err(|error| unavailable(stream, error.into()))?;
        parent.consumer_info(name).await.map_err(|error| match error.kind() {
            ConsumerInfoErrorKind::NotFound | ConsumerInfoErrorKind::StreamNotFound => {
                Error::Missing { what: format!("consumer {name} of the stream {stream}") }
            }
            _ => unavailable(name, error.into()),
        })
    }
}

fn unavailable(what: &str, source: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::Inspect { what: what.to_owned(), source }
}
