//! The number of leases that this gateway may hold.

use tokio::sync::watch;

use crate::metrics;

/// Counts leases against a limit. Cheap to clone; all clones share the count.
#[derive(Clone, Debug)]
pub(crate) struct Capacity {
    limit: usize,
    used: watch::Sender<usize>,
}

/// Counts one lease until it is dropped.
#[derive(Debug)]
pub(crate) struct CapacityPermit(Capacity);

impl Drop for CapacityPermit {
    fn drop(&mut self) {
        self.0.used.send_modify(|used| *used = used.saturating_sub(1));
        metrics::leases(self.0.used());
    }
}

impl Capacity {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, used: watch::Sender::new(0) }
    }

    /// None if the limit is reached.
    pub(crate) fn try_acquire(&self) -> Option<CapacityPermit> {
        let acquired = self.used.send_if_modified(|used| {
            let free = *used < self.limit;
            *used += usize::from(free);
            free
        });
        metrics::leases(self.used());
        acquired.then(|| CapacityPermit(self.clone()))
    }

    pub(crate) const fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn used(&self) -> usize {
        *self.used.borrow()
    }

    /// The used number, as it changes.
    pub(crate) fn subscribe(&self) -> watch::Receiver<usize> {
        self.used.subscribe()
    }

    pub(crate) async fn wait_until_available(&self) {
        self.wait(|used| used < self.limit).await;
    }

    pub(crate) async fn wait_until_full(&self) {
        self.wait(|used| used >= self.limit).await;
    }

    pub(crate) async fn wait_until_unused(&self) {
        self.wait(|used| used == 0).await;
    }

    async fn wait(&self, condition: impl Fn(usize) -> bool) {
        // The sender lives as long as `self`, so that this cannot fail.
        drop(self.used.subscribe().wait_for(|used| condition(*used)).await);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_released_permit_can_be_acquired_again() {
        let capacity = Capacity::new(1);
        let permit = capacity.try_acquire().unwrap();
        assert!(capacity.try_acquire().is_none());
        capacity.wait_until_full().await;
        drop(permit);
        capacity.wait_until_available().await;
        assert!(capacity.try_acquire().is_some());
    }
}
