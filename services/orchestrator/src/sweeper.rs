//! Wakes workers for sessions and questions that can be claimed and that nobody works on: lost
//! wake-ups, and work whose owner died.

use tarsy_bus::Bus;
use tarsy_domain::id::SessionId;
use tarsy_service::PollInterval;
use tarsy_store::{Error, Store};
use tokio_util::sync::CancellationToken;

/// The most wake-ups per kind of work and scan; a woken worker claims until nothing is left.
const MAX_WAKE_UPS: i64 = 10;

/// Scans the tables for expired leases.
pub(crate) struct Sweeper {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    /// `queue.max_concurrent_sessions`.
    pub(crate) max_sessions: u32,
    pub(crate) poll: PollInterval,
}

impl Sweeper {
    /// Scans until `stopping`.
    pub(crate) async fn run(self, stopping: CancellationToken) {
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = tokio::time::sleep(self.poll.next_wait()) => {}
            }
            if let Err(error) = self.scan().await {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "the scan failed");
            }
        }
    }

    async fn scan(&self) -> Result<(), Error> {
        let sessions = self.store.count_claimable_sessions(i64::from(self.max_sessions)).await?;
        for _ in 0..sessions.min(MAX_WAKE_UPS) {
            if self.bus.wake_session_workers(SessionId::new()).await.is_err() {
                return Ok(());
            }
        }
        for _ in 0..self.store.count_claimable_chats().await?.min(MAX_WAKE_UPS) {
            if self.bus.wake_chat_workers(SessionId::new()).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}
