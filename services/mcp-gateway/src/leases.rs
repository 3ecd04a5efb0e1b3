//! The open leases by their ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_domain::id::LeaseId;

use crate::lease::{Lease, RunningCall};

#[derive(Default)]
pub(crate) struct Leases(Mutex<HashMap<LeaseId, Arc<Lease>>>);

impl Leases {
    pub(crate) fn insert(&self, lease: Lease) -> Arc<Lease> {
        let lease = Arc::new(lease);
        self.table().insert(lease.id, Arc::clone(&lease));
        lease
    }

    /// Finds a lease and renews it.
    pub(crate) fn find_and_renew(&self, id: LeaseId) -> Option<Arc<Lease>> {
        let table = self.table();
        let lease = table.get(&id)?;
        lease.renew();
        Some(Arc::clone(lease))
    }

    /// Finds a lease, renews it and counts a call in one step, so that it cannot expire in between.
    pub(crate) fn start_call(&self, id: LeaseId) -> Option<(Arc<Lease>, RunningCall)> {
        let table = self.table();
        let lease = table.get(&id)?;
        lease.renew();
        Some((Arc::clone(lease), lease.start_call()))
    }

    pub(crate) fn remove(&self, id: LeaseId) -> Option<Arc<Lease>> {
        self.table().remove(&id)
    }

    pub(crate) fn remove_expired(&self, ttl: Duration) -> Vec<Arc<Lease>> {
        self.table().extract_if(|_, lease| lease.is_expired(ttl)).map(|(_, lease)| lease).collect()
    }

    pub(crate) fn remove_all(&self) -> Vec<Arc<Lease>> {
        self.table().drain().map(|(_, lease)| lease).collect()
    }

    fn table(&self) -> MutexGuard<'_, HashMap<LeaseId, Arc<Lease>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
