//! How many leases there may be, and those that there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_domain::id::LeaseId;
use tokio::sync::watch;

use crate::lease::{Lease, Running};
use crate::metrics;

/// How many leases there may be at once.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    capacity: usize,
    taken: watch::Sender<usize>,
}

/// The place of one lease, given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit(Room);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.taken.send_modify(|taken| *taken = taken.saturating_sub(1));
        metrics::leases(self.0.taken());
    }
}

impl Room {
    /// Room for so many.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, taken: watch::Sender::new(0) }
    }

    /// Takes a place, if there is one.
    pub(crate) fn take(&self) -> Option<Permit> {
        let took = self.taken.send_if_modified(|taken| {
            let free = *taken < self.capacity;
            *taken += usize::from(free);
            free
        });
        metrics::leases(self.taken());
        took.then(|| Permit(self.clone()))
    }

    /// How many there may be.
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many there are.
    pub(crate) fn taken(&self) -> usize {
        *self.taken.borrow()
    }

    /// How many there are, as it changes.
    pub(crate) fn watch(&self) -> watch::Receiver<usize> {
        self.taken.subscribe()
    }

    /// Waits until there is a free place.
    pub(crate) async fn free(&self) {
        self.wait(|taken| taken < self.capacity).await;
    }

    /// Waits until there is no free place.
    pub(crate) async fn full(&self) {
        self.wait(|taken| taken >= self.capacity).await;
    }

    /// Waits until every place is free.
    pub(crate) async fn empty(&self) {
        self.wait(|taken| taken == 0).await;
    }

    async fn wait(&self, until: impl Fn(usize) -> bool) {
        // The sender lives as long as this, so that it cannot fail.
        drop(self.taken.subscribe().wait_for(|taken| until(*taken)).await);
    }
}

/// The leases by their ids.
#[derive(Default)]
pub(crate) struct Leases(Mutex<HashMap<LeaseId, Arc<Lease>>>);

impl Leases {
    /// Adds a lease.
    pub(crate) fn add(&self, lease: Lease) -> Arc<Lease> {
        let lease = Arc::new(lease);
        self.table().insert(lease.id, Arc::clone(&lease));
        lease
    }

    /// Finds a lease and keeps it alive.
    pub(crate) fn renew(&self, id: LeaseId) -> Option<Arc<Lease>> {
        let table = self.table();
        let lease = table.get(&id)?;
        lease.renew();
        Some(Arc::clone(lease))
    }

    /// Finds a lease and counts a call of it, so that neither can be taken away in between.
    pub(crate) fn begin(&self, id: LeaseId) -> Option<(Arc<Lease>, Running)> {
        let table = self.table();
        let lease = table.get(&id)?;
        lease.renew();
        Some((Arc::clone(lease), lease.begin()))
    }

    /// Takes a lease out: no further call can be made on it.
    pub(crate) fn remove(&self, id: LeaseId) -> Option<Arc<Lease>> {
        self.table().remove(&id)
    }

    /// Takes out those that nobody keeps alive.
    pub(crate) fn remove_abandoned(&self, ttl: Duration) -> Vec<Arc<Lease>> {
        self.table()
            .extract_if(|_, lease| lease.is_abandoned(ttl))
            .map(|(_, lease)| lease)
            .collect()
    }

    /// Takes out all.
    pub(crate) fn remove_all(&self) -> Vec<Arc<Lease>> {
        self.table().drain().map(|(_, lease)| lease).collect()
    }

    fn table(&self) -> MutexGuard<'_, HashMap<LeaseId, Arc<Lease>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_place_that_is_given_back_can_be_taken_again() {
        let room = Room::new(1);
        let permit = room.take().unwrap();
        assert!(room.take().is_none());
        room.full().await;
        drop(permit);
        room.free().await;
        assert!(room.take().is_some());
    }
}
