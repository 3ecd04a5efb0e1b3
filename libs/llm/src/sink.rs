//! What a caller of a model observes while the call runs.

use std::any::Any;

use async_trait::async_trait;
use tarsy_catalog::ResolvedProvider;
use tokio::time::Instant;

use crate::record::{FailedAttempt, Failure};
use crate::request::Chunk;

/// Whether the rest of an answer is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Read on.
    Continue,
    /// The answer is complete as it is: the stream is dropped, and the attempt succeeds.
    Finish,
}

/// Another provider takes over.
#[derive(Clone, Copy, Debug)]
pub struct ProviderSwitch<'a> {
    pub from: &'a ResolvedProvider,
    pub to: &'a ResolvedProvider,
    /// The last failure of `from`.
    pub failure: &'a Failure,
    /// How many failures of this kind `from` had.
    pub times: u32,
}

impl ProviderSwitch<'_> {
    /// Why `from` is replaced, for people.
    pub fn reason(&self) -> String {
        self.failure.describe(self.times)
    }
}

/// A place that an attempt has at its provider; none where there is room for all.
#[derive(Default)]
pub struct Admission(Option<Box<dyn Any + Send>>);

impl Admission {
    /// Holds a place until it is dropped.
    pub fn holding(place: impl Any + Send) -> Self {
        Self(Some(Box::new(place)))
    }

    pub(crate) fn is_free(&self) -> bool {
        self.0.is_none()
    }
}

/// Receives a call's chunks and failed attempts while it runs: publishes live text, and stores rows
/// under the caller's own fencing token.
///
/// A call that is retried may run for minutes, so a failed attempt is stored at once, before the
/// next one begins. The last attempt, successful or not, is in the returned
/// [`Interaction`](crate::Interaction) and is not passed to [`Sink::attempt_failed`].
#[async_trait]
pub trait Sink: Send {
    /// Why the caller cannot go on, such as a lost lease. It ends the call.
    type Error: Send;

    /// Waits until a request may be sent to this provider; its time has not begun. What is returned is dropped when the attempt
    /// is over.
    async fn admit(&mut self, _provider: &ResolvedProvider) -> Result<Admission, Self::Error> {
        Ok(Admission::default())
    }

    /// A request is about to be sent to this provider.
    fn attempt_started(&mut self, _provider: &ResolvedProvider) {}

    /// The attempt that was started last reached no model, nor did the one before it, which was
    /// passed to [`Sink::attempt_failed`]. This one is neither counted nor recorded.
    fn attempt_discarded(&mut self) {}

    /// A chunk arrived; the call has added it to the attempt already.
    async fn chunk(&mut self, chunk: &Chunk) -> Result<Flow, Self::Error>;

    /// When [`Sink::flush`] is to be called next, if at all.
    fn flush_at(&self) -> Option<Instant> {
        None
    }

    /// Publishes the text that is held back. Called at [`Sink::flush_at`], and when an attempt ends.
    async fn flush(&mut self) {}

    /// An attempt failed, and another one follows. What was published of it is to be closed as failed.
    async fn attempt_failed(&mut self, attempt: &FailedAttempt<'_>) -> Result<(), Self::Error>;

    /// Another provider takes over, after `attempt_failed` for the last attempt of the one before.
    async fn provider_switched(&mut self, switch: ProviderSwitch<'_>) -> Result<(), Self::Error>;
}
