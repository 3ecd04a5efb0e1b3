//! The tasks that store entries of the audit log.

use std::sync::Arc;

use tarsy_service::ServiceContext;
use tarsy_store::{NewAuditEntry, Store};
use tokio::sync::mpsc;
use tokio::time::{Duration, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::anonymous::Anonymous;

/// The most entries of one statement.
const MAX_BATCH: usize = 256;
/// How long entries are gathered for one statement: each is synced to the disk, which requests wait for, too.
const GATHERING: Duration = Duration::from_millis(50);
/// The pause after the database refused a batch.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// For how long requests that nobody was identified for are counted.
const MINUTE: Duration = Duration::from_mins(1);

/// Stores entries; cheap to clone.
#[derive(Clone)]
pub(super) struct Writer {
    store: Store,
    stopping: CancellationToken,
    hard_stop: CancellationToken,
}

impl Writer {
    pub(super) fn new(store: &Store, service: &ServiceContext) -> Self {
        let (stopping, hard_stop) = (service.stopping(), service.hard_stop());
        Self { store: store.clone(), stopping, hard_stop }
    }

    /// Stores entries until the service stops, and then those for which there is a place.
    pub(super) async fn run(self, mut receiver: mpsc::Receiver<NewAuditEntry>) {
        loop {
            let mut batch = Vec::with_capacity(MAX_BATCH);
            tokio::select! {
                biased;
                count = receiver.recv_many(&mut batch, 1) => if count == 0 { return },
                () = self.stopping.cancelled(), if !receiver.is_closed() => {
                    receiver.close();
                    continue;
                }
            }
            self.gather().await;
            while batch.len() < MAX_BATCH
                && let Ok(entry) = receiver.try_recv()
            {
                batch.push(entry);
            }
            if !self.store_all(&batch).await {
                return;
            }
        }
    }

    /// Stores what is counted until the service stops.
    pub(super) async fn run_anonymous(self, anonymous: Arc<Anonymous>) {
        let mut minute = interval(MINUTE);
        minute.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.stopping.is_cancelled() {
            tokio::select! {
                () = anonymous.added.notified() => self.gather().await,
                _ = minute.tick() => anonymous.end_minute(),
                () = self.stopping.cancelled() => anonymous.end_minute(),
            }
            for batch in anonymous.take().chunks(MAX_BATCH) {
                if !self.store_all(batch).await {
                    return;
                }
            }
        }
    }

    async fn gather(&self) {
        tokio::select! {
            () = sleep(GATHERING) => {}
            () = self.stopping.cancelled() => {}
        }
    }

    /// Stores a batch, however often the database refuses it: until an operator has mended that, requests are refused. No if the
    /// process ends before.
    async fn store_all(&self, batch: &[NewAuditEntry]) -> bool {
        while let Err(error) = self.store.insert_audit_entries(batch).await {
            tracing::warn!(
                error = %tarsy_telemetry::chain(&error), entries = batch.len(),
                "could not store entries of the audit log"
            );
            tokio::select! {
                () = sleep(RETRY_PAUSE) => {}
                () = self.hard_stop.cancelled() => return false,
            }
        }
        true
    }
}
