//! Whether the clock of this process agrees with the one that the records are written by.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tarsy_bus::Kv;
use tarsy_domain::clock::Clock;
use tarsy_store::Store;
use tokio::time::{Instant, timeout};

/// An answer that takes longer says little about the time, and must not delay the heartbeat.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Compares the clock of this process with PostgreSQL's, or with the NATS server's.
pub(crate) struct ClockCheck {
    clock: Arc<dyn Clock>,
    store: Option<Store>,
}

impl ClockCheck {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, store: None }
    }

    pub(crate) fn with_store(self, store: Store) -> Self {
        Self { store: Some(store), ..self }
    }

    /// How far the clock is ahead, in milliseconds; none if the other clock cannot be read in time. `key` is an
    /// entry that was written just now, when this process's clock was at `written`.
    pub(crate) async fn measure(&self, entries: &Kv, key: &str, written: Timestamp) -> Option<i64> {
        let measured = match &self.store {
            Some(store) => timeout(MAX_WAIT, self.offset_to_database(store)).await,
            None => timeout(MAX_WAIT, offset_to_bus(entries, key, written)).await,
        };
        measured.ok().flatten()
    }

    async fn offset_to_database(&self, store: &Store) -> Option<i64> {
        let (asked, before) = (Instant::now(), self.clock.now());
        let there = store.read_time().await.ok()?;
        // The database read its clock about halfway.
        let halfway = i64::try_from(asked.elapsed().as_millis() / 2).unwrap_or_default();
        Some(before.as_millisecond() + halfway - there.as_millisecond())
    }
}

async fn offset_to_bus(entries: &Kv, key: &str, written: Timestamp) -> Option<i64> {
    let there = entries.written_at(key).await.ok().flatten()?;
    Some(written.as_millisecond() - there.as_millisecond())
}
