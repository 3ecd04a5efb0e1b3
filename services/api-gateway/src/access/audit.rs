//! Writes the audit log: a log line at once, and a row in the background.

use metrics::counter;
use tarsy_service::ServiceContext;
use tarsy_store::{NewAuditEntry, Store};
use tokio::sync::mpsc;
use tokio::time::{Duration, sleep};
use tokio_util::sync::CancellationToken;

/// The most entries that wait for the database; of more, only the log line remains.
const MAX_WAITING: usize = 8192;
/// The most entries of one statement.
const MAX_BATCH: usize = 256;
/// How long entries are gathered for one statement: each is synced to the disk, which requests wait for, too.
const GATHERING: Duration = Duration::from_millis(50);
/// The pause after the database refused a batch.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Takes entries of the audit log; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct AuditLog(mpsc::Sender<NewAuditEntry>);

impl AuditLog {
    /// Starts the task that stores the entries; it ends when the service stops, after those that wait.
    pub(crate) fn start(service: &ServiceContext, store: &Store) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        service.spawn_aux("gateway.audit", run(receiver, store.clone(), service.stopping()));
        Self(sender)
    }

    /// Adds an entry; never waits.
    pub(crate) fn add(&self, entry: NewAuditEntry) {
        tracing::info!(
            principal = %entry.principal,
            credential = %entry.credential,
            client_address = entry.client_address.as_deref(),
            action = %entry.action,
            object = entry.object.as_deref(),
            outcome = entry.outcome,
            status = entry.status,
            request_id = entry.request_id.as_deref(),
            "audit"
        );
        if self.0.try_send(entry).is_err() {
            counter!("tarsy_audit_entries_dropped_total").increment(1);
        }
    }
}

async fn run(
    mut receiver: mpsc::Receiver<NewAuditEntry>,
    store: Store,
    stopping: CancellationToken,
) {
    loop {
        let mut batch = Vec::with_capacity(MAX_BATCH);
        tokio::select! {
            biased;
            count = receiver.recv_many(&mut batch, 1) => if count == 0 { return },
            () = stopping.cancelled() => {
                receiver.close();
                while receiver.recv_many(&mut batch, MAX_BATCH).await > 0 {}
                insert(&store, &batch).await;
                return;
            }
        }
        tokio::select! {
            () = sleep(GATHERING) => {}
            () = stopping.cancelled() => {}
        }
        while batch.len() < MAX_BATCH
            && let Ok(entry) = receiver.try_recv()
        {
            batch.push(entry);
        }
        while !insert(&store, &batch).await {
            tokio::select! {
                () = sleep(RETRY_PAUSE) => {}
                () = stopping.cancelled() => return,
            }
        }
    }
}

/// Whether the entries need no further attempt.
async fn insert(store: &Store, batch: &[NewAuditEntry]) -> bool {
    if batch.is_empty() {
        return true;
    }
    match store.insert_audit_entries(batch).await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(
                error = %tarsy_telemetry::chain(&error), entries = batch.len(),
                "could not store entries of the audit log"
            );
            !error.is_unavailable()
        }
    }
}
