//! The open leases by their ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_domain::id::LeaseId;
use tokio::time::Instant;

use crate::lease::{Lease, RunningCall};

/// A process that did not run for this long, because it was frozen or its machine was, gives its leases up:
/// their owners have gone to other gateways, or are about to, after 17 s at the earliest. Requests that
/// waited in its socket meanwhile are refused, so that nothing is executed that was given up.
const SUSPENDED: Duration = Duration::from_secs(10);

pub(crate) struct Leases(Mutex<Table>);

struct Table {
    open: HashMap<LeaseId, Arc<Lease>>,
    /// Given up after a suspension, to be closed.
    given_up: Vec<Arc<Lease>>,
    /// When this process was last seen running.
    running_at: Instant,
}

impl Table {
    /// Gives all leases up if the process was suspended before `now`.
    fn note_running(&mut self, now: Instant) {
        let gap = now.saturating_duration_since(self.running_at);
        self.running_at = now;
        if gap > SUSPENDED {
            tracing::warn!(
                seconds = gap.as_secs(),
                leases = self.open.len(),
                "this process did not run for a while, its leases are given up"
            );
            self.given_up.extend(self.open.drain().map(|(_, lease)| lease));
        }
    }
}

impl Default for Leases {
    fn default() -> Self {
        let (open, given_up) = (HashMap::new(), Vec::new());
        Self(Mutex::new(Table { open, given_up, running_at: Instant::now() }))
    }
}

impl Leases {
    pub(crate) fn insert(&self, lease: Lease) -> Arc<Lease> {
        let lease = Arc::new(lease);
        self.table().open.insert(lease.id, Arc::clone(&lease));
        lease
    }

    pub(crate) fn contains(&self, id: LeaseId) -> bool {
        self.table().open.contains_key(&id)
    }

    pub(crate) fn find_and_renew(&self, id: LeaseId) -> Option<Arc<Lease>> {
        let table = self.table();
        let lease = table.open.get(&id)?;
        lease.renew();
        Some(Arc::clone(lease))
    }

    /// Finds a lease, renews it and counts a call in one step, so that it cannot expire in between.
    pub(crate) fn start_call(&self, id: LeaseId) -> Option<(Arc<Lease>, RunningCall)> {
        let table = self.table();
        let lease = table.open.get(&id)?;
        lease.renew();
        Some((Arc::clone(lease), lease.start_call()))
    }

    pub(crate) fn remove(&self, id: LeaseId) -> Option<Arc<Lease>> {
        self.table().open.remove(&id)
    }

    /// Removes the leases that expired or were given up.
    pub(crate) fn remove_expired(&self, ttl: Duration) -> Vec<Arc<Lease>> {
        let mut table = self.table();
        let given_up = std::mem::take(&mut table.given_up);
        let expired = table.open.extract_if(|_, lease| lease.is_expired(ttl));
        given_up.into_iter().chain(expired.map(|(_, lease)| lease)).collect()
    }

    pub(crate) fn remove_all(&self) -> Vec<Arc<Lease>> {
        let mut table = self.table();
        let given_up = std::mem::take(&mut table.given_up);
        given_up.into_iter().chain(table.open.drain().map(|(_, lease)| lease)).collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        table.note_running(Instant::now());
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::Capacity;

    #[tokio::test]
    async fn a_process_that_was_suspended_gives_its_leases_up() {
        let leases = Leases::default();
        let permit = Capacity::new(1).try_acquire().unwrap();
        let lease = leases.insert(Lease::new(
            LeaseId::new(),
            Vec::new(),
            Vec::new(),
            tarsy_contracts::mcp::Caller::Person,
            permit,
        ));
        let now = Instant::now();
        leases.table().note_running(now + SUSPENDED / 2);
        assert!(leases.0.lock().unwrap().open.contains_key(&lease.id));
        leases.0.lock().unwrap().note_running(now + SUSPENDED * 2);
        assert!(leases.start_call(lease.id).is_none(), "a request that waited is refused");
        assert_eq!(leases.remove_expired(Duration::from_mins(1)).len(), 1);
    }
}
