//! What every module of this service works with.

use std::sync::Arc;
use std::time::Duration;

use tarsy_bus::Bus;
use tarsy_llm::Llm;
use tarsy_service::{LiveStreams, ModelQueue, Publisher};
use tarsy_store::Store;

use crate::prompts::Prompts;

pub(crate) struct Context {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) publisher: Publisher,
    pub(crate) llm: Arc<dyn Llm>,
    /// Where calls wait for providers that answer only so many at once.
    pub(crate) queue: ModelQueue,
    pub(crate) live: LiveStreams,
    pub(crate) prompts: Prompts,
    /// How long a lease lasts without a renewal.
    pub(crate) lease: Duration,
    /// The most time for one summary, with all its attempts.
    pub(crate) time_limit: Duration,
}
