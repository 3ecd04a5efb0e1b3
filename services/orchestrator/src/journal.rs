//! Reads and writes of one claimed session.
//!
//! Every write carries the fencing token of the session's lease. Reads and writes wait through
//! outages of PostgreSQL, as the lease does it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tarsy_contracts::event::Committed;
use tarsy_domain::id::{CallId, SessionId};
use tarsy_service::{Lease, Publisher, StopSignal};
use tarsy_store::{Batch, Error as StoreError, Fence, Op, Store};
use tokio::sync::Mutex;

pub(crate) use tarsy_service::StopReason;

/// The journal of one claimed session; cheap to clone.
#[derive(Clone)]
pub(crate) struct Journal {
    store: Store,
    publisher: Publisher,
    fence: Fence,
    lease: Lease,
    /// Whose turn it is to write: of two commits at once, the second one's answer may be read first.
    turn: Arc<Mutex<()>>,
}

/// Whether this owner writes the end of work that stops so. Otherwise another owner continues it.
pub(crate) const fn ends_work(reason: StopReason) -> bool {
    matches!(reason, StopReason::Cancelled | StopReason::TimedOut)
}

impl Journal {
    pub(crate) fn new(store: &Store, publisher: &Publisher, fence: Fence, lease: &Lease) -> Self {
        let (store, publisher) = (store.clone(), publisher.clone());
        Self { store, publisher, fence, lease: lease.clone(), turn: Arc::default() }
    }

    /// The same journal for a part of the work, which can be stopped alone.
    pub(crate) fn part(&self) -> Self {
        Self { lease: self.lease.part(), ..self.clone() }
    }

    pub(crate) fn session(&self) -> SessionId {
        self.fence.session_id
    }

    pub(crate) fn lease(&self) -> &Lease {
        &self.lease
    }

    pub(crate) fn stop_signal(&self) -> &StopSignal {
        self.lease.signal()
    }

    /// The time since the claim.
    pub(crate) fn held_for(&self) -> Duration {
        self.lease.held_for()
    }

    /// Stops the work until people have decided; returns why it stops, which may be another reason that came before.
    pub(crate) fn suspend(&self) -> StopReason {
        self.lease.signal().stop(StopReason::Suspended);
        self.lease.stopped().unwrap_or(StopReason::Suspended)
    }

    /// Why the work must stop, if it must.
    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        self.lease.stopped()
    }

    /// Why the work of the session must stop, of which this may be a part.
    pub(crate) fn stop_of_whole(&self) -> Option<StopReason> {
        self.lease.signal().reason_of_whole()
    }

    /// Runs a future until it completes or the work must stop.
    pub(crate) async fn unless_stopped<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, StopReason> {
        self.lease.unless_stopped(work).await
    }

    /// Writes operations in one transaction and publishes their events.
    pub(crate) async fn commit(&self, ops: Vec<Op>) -> Result<(), StopReason> {
        let batch = batch(ops);
        self.write(|store, fence| store.commit(fence, batch.clone())).await
    }

    /// Like [`commit`](Self::commit), of operations that write one call down; returns its number.
    pub(crate) async fn commit_call(&self, ops: Vec<Op>, id: CallId) -> Result<i64, StopReason> {
        let (batch, number) = (batch(ops), OnceLock::new());
        self.write(|store, fence| {
            let (batch, number) = (batch.clone(), &number);
            async move {
                let committed = store.commit_calls(fence, batch).await?;
                number.get_or_init(|| committed.first);
                Ok(committed.events)
            }
        })
        .await?;
        match number.into_inner() {
            Some(number) => Ok(number),
            // The answer of an attempt that was committed is lost.
            None => self.read(|store| store.find_call_number(id)).await,
        }
    }

    /// Publishes events that are committed already.
    pub(crate) fn publish(&self, events: Vec<Committed>) {
        self.publisher.publish(events);
    }

    /// Reads, and retries while the database is unavailable.
    pub(crate) async fn read<'a, T, F, Fut>(&'a self, read: F) -> Result<T, StopReason>
    where
        F: Fn(&'a Store) -> Fut,
        Fut: Future<Output = Result<T, StoreError>>,
    {
        self.lease.read(|| read(&self.store)).await
    }

    /// Writes, retries while the database is unavailable, and publishes the events in the order of their commits. The database
    /// numbers the events of a session one commit after the other, so that waiting here costs little.
    pub(crate) async fn write<'a, F, Fut>(&'a self, write: F) -> Result<(), StopReason>
    where
        F: Fn(&'a Store, Fence) -> Fut,
        Fut: Future<Output = Result<Vec<Committed>, StoreError>>,
    {
        let _turn = self.turn.lock().await;
        let committed = self.lease.write(|| write(&self.store, self.fence)).await?;
        self.publish(committed);
        Ok(())
    }
}

fn batch(ops: Vec<Op>) -> Batch {
    ops.into_iter().fold(Batch::new(), Batch::with)
}
