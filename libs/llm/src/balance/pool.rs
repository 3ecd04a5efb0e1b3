//! The replicas and their connections, as every caller sees them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tonic::transport::Channel;

use super::address::Address;
use super::choice;
use super::connect::Worker;
use super::connection::{Connection, InFlight};
use super::metrics::{self, Reason};
use super::timing::Timing;

/// All replicas.
#[derive(Debug)]
pub(crate) struct Pool {
    timing: Timing,
    state: Mutex<State>,
    /// Counts changes of the state.
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    replicas: BTreeMap<Address, Replica>,
    /// Why no name was resolved, while there is no replica.
    unresolved: Option<String>,
    turn: usize,
    next_id: u64,
}

impl State {
    /// How many replicas there are, and how many of them have a connection.
    fn counts(&self) -> (usize, usize) {
        let connected = self.replicas.values().filter(|one| !one.connections.is_empty());
        (self.replicas.len(), connected.count())
    }
}

#[derive(Debug, Default)]
struct Replica {
    connections: Vec<Arc<Connection>>,
    /// How many workers share the address, as the last of them said.
    sharing: usize,
    /// Attempts to connect that have failed, ever.
    failed_attempts: u64,
    /// Failures since the last call that succeeded.
    failures: u32,
    failed_at: Option<Instant>,
    reason: String,
    /// When connections that are missing are to be opened.
    retry_at: Option<Instant>,
    signals: Arc<Signals>,
}

/// What interrupts the pause of a replica's keeper.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// Connections are to be opened now.
    pub(crate) attempt: Notify,
    /// `retry_at` has changed.
    pub(crate) rescheduled: Notify,
}

/// The replicas that a caller waits for, with their failed attempts when it began to.
#[derive(Debug, Default)]
pub(crate) struct Waits(BTreeMap<Address, u64>);

impl Pool {
    pub(crate) fn new(timing: Timing) -> Self {
        let (changed, _) = watch::channel(0);
        Self { timing, state: Mutex::default(), changed }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Begins a call on the connection with the fewest calls, those that were tried excepted.
    pub(crate) fn begin(&self, tried: &[u64]) -> Option<(Address, InFlight)> {
        let mut state = self.lock();
        let open = state.replicas.iter().flat_map(|(address, replica)| {
            replica.connections.iter().map(move |connection| (address, connection))
        });
        let open: Vec<_> = open.filter(|(_, one)| !tried.contains(&one.id)).collect();
        let calls: Vec<usize> = open.iter().map(|(_, one)| one.calls()).collect();
        let (address, connection) = open.get(choice::fewest(&calls, state.turn)?)?;
        metrics::call(&address.label());
        let begun = (Address::clone(address), InFlight::begin(Arc::clone(connection)));
        state.turn = state.turn.wrapping_add(1);
        Some(begun)
    }

    /// What a caller without a connection does: it lets the least recently failed replica be tried, then the next one.
    /// Returns a reason when each of them has failed, or when no name has an address.
    pub(crate) fn wait(&self, waits: &mut Waits) -> Option<String> {
        let state = self.lock();
        if state.replicas.is_empty() {
            return state.unresolved.clone();
        }
        let pending = |(address, replica): &(&Address, &Replica)| {
            waits.0.get(*address).is_some_and(|failed| *failed == replica.failed_attempts)
        };
        if state.replicas.iter().any(|one| pending(&one)) {
            return None;
        }
        let untried = state.replicas.iter().filter(|(address, _)| !waits.0.contains_key(*address));
        let untried: Vec<_> = untried.collect();
        let failed: Vec<_> = untried.iter().map(|(_, replica)| replica.failed_at).collect();
        let next = choice::least_recently_failed(&failed).and_then(|at| untried.get(at));
        let Some((address, replica)) = next else {
            let last = state.replicas.values().max_by_key(|replica| replica.failed_at);
            return last.map(|replica| replica.reason.clone());
        };
        waits.0.insert((*address).clone(), replica.failed_attempts);
        replica.signals.attempt.notify_one();
        None
    }

    /// Keeps these replicas and adds the missing ones; calls on others go on.
    pub(crate) fn set_replicas<'a>(
        &self,
        wanted: impl Iterator<Item = &'a Address>,
        unresolved: Option<String>,
    ) {
        let mut state = self.lock();
        let mut kept = BTreeMap::new();
        for address in wanted {
            let replica = state.replicas.remove(address).unwrap_or_default();
            kept.insert(address.clone(), replica);
        }
        state.replicas = kept;
        state.unresolved = unresolved;
        self.publish(state);
    }

    /// What interrupts the pauses of a replica.
    pub(crate) fn signals(&self, address: &Address) -> Option<Arc<Signals>> {
        Some(Arc::clone(&self.lock().replicas.get(address)?.signals))
    }

    /// Adds a connection, unless it leads to a worker that another one leads to; whether it was added.
    pub(crate) fn add(&self, address: &Address, channel: Channel, worker: Worker) -> bool {
        let mut state = self.lock();
        let id = state.next_id;
        let Some(replica) = state.replicas.get_mut(address) else { return false };
        replica.sharing = worker.sharing;
        let is_known = replica.connections.iter().any(|one| one.worker == worker.id);
        if !is_known {
            replica.connections.push(Arc::new(Connection::new(id, channel, worker.id)));
            state.next_id += 1;
            self.publish(state);
        }
        !is_known
    }

    /// The open connections of a replica, and how many it should have.
    pub(crate) fn connections(&self, address: &Address) -> (Vec<Arc<Connection>>, usize) {
        let state = self.lock();
        let Some(replica) = state.replicas.get(address) else { return (Vec::new(), 0) };
        (replica.connections.clone(), replica.sharing.max(1))
    }

    /// When the next connection is to be opened; none while none is missing.
    pub(crate) fn retry_at(&self, address: &Address) -> Option<Instant> {
        self.lock().replicas.get(address)?.retry_at
    }

    /// No connection could be opened.
    pub(crate) fn attempt_failed(&self, address: &Address, reason: String) {
        let label = address.label();
        tracing::debug!(replica = label, reason, "a replica of llm-service is not reached");
        metrics::ejected(&label, Reason::Connect);
        let mut state = self.lock();
        let Some(replica) = state.replicas.get_mut(address) else { return };
        replica.failed_attempts += 1;
        self.fail(replica, reason);
        self.publish(state);
    }

    /// Every worker of a replica is connected to, or no more of them were found for now.
    pub(crate) fn filled(&self, address: &Address) {
        if let Some(replica) = self.lock().replicas.get_mut(address) {
            replica.retry_at = None;
        }
    }

    /// Closes a connection that failed; its running calls go on as long as they can.
    pub(crate) fn drop_connection(&self, address: &Address, id: u64, why: Reason, reason: String) {
        let mut state = self.lock();
        let Some(replica) = state.replicas.get_mut(address) else { return };
        let before = replica.connections.len();
        replica.connections.retain(|one| one.id != id);
        if replica.connections.len() == before {
            // Another call has failed on it before.
            return;
        }
        let label = address.label();
        tracing::warn!(replica = label, reason, "a replica of llm-service failed and is left out");
        metrics::ejected(&label, why);
        self.fail(replica, reason);
        replica.signals.rescheduled.notify_one();
        self.publish(state);
    }

    /// Closes a connection that leads to another worker than it did, and lets it be replaced.
    pub(crate) fn replace_connection(&self, address: &Address, id: u64) {
        let mut state = self.lock();
        let Some(replica) = state.replicas.get_mut(address) else { return };
        replica.connections.retain(|one| one.id != id);
        replica.retry_at = Some(Instant::now());
        self.publish(state);
    }

    /// How many replicas there are, and how many of them are connected.
    pub(crate) fn counts(&self) -> (usize, usize) {
        self.lock().counts()
    }

    /// A call was answered.
    pub(crate) fn succeeded(&self, address: &Address) {
        if let Some(replica) = self.lock().replicas.get_mut(address) {
            replica.failures = 0;
        }
    }

    fn fail(&self, replica: &mut Replica, reason: String) {
        replica.failures = replica.failures.saturating_add(1);
        let now = Instant::now();
        replica.failed_at = Some(now);
        replica.reason = reason;
        replica.retry_at = Some(now + self.timing.ejection.pause(replica.failures));
    }

    fn publish(&self, state: MutexGuard<'_, State>) {
        let (replicas, connected) = state.counts();
        metrics::replicas(connected, replicas - connected);
        drop(state);
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
