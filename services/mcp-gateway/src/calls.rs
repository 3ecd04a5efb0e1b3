//! The calls of this gateway by their ids: each is executed once, and its outcome is stored for a time
//! after its end, independent of its lease and of its caller.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_contracts::mcp::{CallResult, Outcome};
use tarsy_domain::id::CallId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::limits;

/// A call that runs or has ended.
pub(crate) struct TrackedCall {
    result: watch::Sender<Option<CallResult>>,
    pub(crate) cancel: CancellationToken,
}

impl TrackedCall {
    /// The result; none if the call still runs at `deadline`.
    pub(crate) async fn wait_result(&self, deadline: Instant) -> Option<CallResult> {
        let mut watched = self.result.subscribe();
        let result = timeout_at(deadline, watched.wait_for(Option::is_some)).await;
        result.ok()?.ok()?.clone()
    }
}

/// The result of registering a call id.
pub(crate) enum Registration {
    /// The caller has to execute the call.
    New(Arc<TrackedCall>),
    /// The call runs already, or has ended.
    Existing(Arc<TrackedCall>),
}

#[derive(Default)]
struct Table {
    calls: HashMap<CallId, Arc<TrackedCall>>,
    ended: VecDeque<(Instant, CallId, usize)>,
    bytes: usize,
}

pub(crate) struct Calls {
    table: Mutex<Table>,
    outcome_ttl: Duration,
}

impl Calls {
    /// Stores outcomes for `outcome_ttl` after the end of their call.
    pub(crate) fn new(outcome_ttl: Duration) -> Self {
        Self { table: Mutex::default(), outcome_ttl }
    }

    pub(crate) fn register(&self, call_id: CallId) -> Registration {
        let mut table = self.table();
        if let Some(call) = table.calls.get(&call_id) {
            return Registration::Existing(Arc::clone(call));
        }
        let (result, cancel) = (watch::Sender::new(None), CancellationToken::new());
        let call = Arc::new(TrackedCall { result, cancel });
        table.calls.insert(call_id, Arc::clone(&call));
        Registration::New(call)
    }

    pub(crate) fn finish(&self, result: CallResult) {
        let mut table = self.table();
        let (call_id, bytes) = (result.call_id, result.content.len());
        table.ended.push_back((Instant::now(), call_id, bytes));
        table.bytes += bytes;
        if let Some(call) = table.calls.get(&call_id) {
            call.result.send_replace(Some(result));
        }
        table.remove_expired(self.outcome_ttl);
    }

    pub(crate) fn find(&self, call_id: CallId) -> Option<Arc<TrackedCall>> {
        let mut table = self.table();
        table.remove_expired(self.outcome_ttl);
        table.calls.get(&call_id).map(Arc::clone)
    }

    pub(crate) fn cancel_all(&self) {
        self.table().calls.values().for_each(|call| call.cancel.cancel());
    }

    /// The outcome of a call; waits up to `wait` while it runs.
    pub(crate) async fn outcome(&self, call_id: CallId, wait: Duration) -> Outcome {
        let Some(call) = self.find(call_id) else { return Outcome::Unknown };
        let deadline = Instant::now() + wait.min(limits::OUTCOME_WAIT);
        match call.wait_result(deadline).await {
            Some(result) => Outcome::Result { result },
            None => Outcome::Running,
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn remove_expired(&mut self, outcome_ttl: Duration) {
        while let Some((ended, call_id, bytes)) = self.ended.front().copied() {
            let too_many =
                self.ended.len() > limits::OUTCOMES || self.bytes > limits::OUTCOME_BYTES;
            if ended.elapsed() < outcome_ttl && !too_many {
                return;
            }
            self.ended.pop_front();
            self.calls.remove(&call_id);
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(call_id: CallId) -> CallResult {
        CallResult::success(call_id, "x".to_owned())
    }

    #[tokio::test]
    async fn an_outcome_is_stored_until_it_expires() {
        for (outcome_ttl, known) in [(Duration::from_mins(10), true), (Duration::ZERO, false)] {
            let calls = Calls::new(outcome_ttl);
            let id = CallId::new();
            assert!(matches!(calls.register(id), Registration::New(_)));
            assert!(matches!(calls.register(id), Registration::Existing(_)));
            assert_eq!(calls.outcome(id, Duration::ZERO).await, Outcome::Running);
            calls.finish(result(id));
            assert_eq!(calls.find(id).is_some(), known);
        }
    }

    #[tokio::test]
    async fn a_request_for_the_outcome_of_a_running_call_waits_for_its_result() {
        let calls = Calls::new(Duration::from_mins(10));
        let id = CallId::new();
        calls.register(id);
        let waiting = calls.outcome(id, Duration::from_secs(5));
        let ending = async { calls.finish(result(id)) };
        let (outcome, ()) = tokio::join!(waiting, ending);
        assert_eq!(outcome, Outcome::Result { result: result(id) });
    }
}
