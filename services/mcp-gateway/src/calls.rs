//! Every call that this gateway has heard of: each is executed once, and its outcome is known for a
//! while after it ended, whatever became of its lease and of who asked.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsy_contracts::mcp::{CallResult, Outcome};
use tarsy_domain::id::CallId;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::limits;

/// One call.
pub(crate) struct Call {
    result: watch::Sender<Option<CallResult>>,
    /// Cancels it.
    pub(crate) cancel: CancellationToken,
}

impl Call {
    /// Waits for the result until `end`.
    pub(crate) async fn result(&self, end: Instant) -> Option<CallResult> {
        let mut watched = self.result.subscribe();
        let result = timeout_at(end, watched.wait_for(Option::is_some)).await;
        result.ok()?.ok()?.clone()
    }
}

/// A call id that was asked for.
pub(crate) enum Begun {
    /// It is new, and has to be executed.
    New(Arc<Call>),
    /// It runs, or has ended.
    Known(Arc<Call>),
}

#[derive(Default)]
struct Table {
    calls: HashMap<CallId, Arc<Call>>,
    ended: VecDeque<(Instant, CallId, usize)>,
    bytes: usize,
}

/// All calls.
pub(crate) struct Calls {
    table: Mutex<Table>,
    remembered: Duration,
}

impl Calls {
    /// Remembers a call for so long after it ended.
    pub(crate) fn new(remembered: Duration) -> Self {
        Self { table: Mutex::default(), remembered }
    }

    /// Begins a call, or finds the one of this id.
    pub(crate) fn begin(&self, call_id: CallId) -> Begun {
        let mut table = self.table();
        if let Some(call) = table.calls.get(&call_id) {
            return Begun::Known(Arc::clone(call));
        }
        let (result, cancel) = (watch::Sender::new(None), CancellationToken::new());
        let call = Arc::new(Call { result, cancel });
        table.calls.insert(call_id, Arc::clone(&call));
        Begun::New(call)
    }

    /// Ends a call.
    pub(crate) fn end(&self, result: CallResult) {
        let mut table = self.table();
        let (call_id, bytes) = (result.call_id, result.content.len());
        table.ended.push_back((Instant::now(), call_id, bytes));
        table.bytes += bytes;
        if let Some(call) = table.calls.get(&call_id) {
            call.result.send_replace(Some(result));
        }
        table.forget(self.remembered);
    }

    /// A call that runs or has ended.
    pub(crate) fn find(&self, call_id: CallId) -> Option<Arc<Call>> {
        let mut table = self.table();
        table.forget(self.remembered);
        table.calls.get(&call_id).map(Arc::clone)
    }

    /// Cancels all that run.
    pub(crate) fn cancel_all(&self) {
        self.table().calls.values().for_each(|call| call.cancel.cancel());
    }

    /// What became of a call; waits while it runs, for a while.
    pub(crate) async fn outcome(&self, call_id: CallId, wait: Duration) -> Outcome {
        let Some(call) = self.find(call_id) else { return Outcome::Unknown };
        let end = Instant::now() + wait.min(limits::OUTCOME_WAIT);
        match call.result(end).await {
            Some(result) => Outcome::Result { result },
            None => Outcome::Running,
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn forget(&mut self, remembered: Duration) {
        while let Some((ended, call_id, bytes)) = self.ended.front().copied() {
            let too_many =
                self.ended.len() > limits::OUTCOMES || self.bytes > limits::OUTCOME_BYTES;
            if ended.elapsed() < remembered && !too_many {
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
    async fn an_outcome_is_remembered_for_its_time_and_then_forgotten() {
        for (remembered, known) in [(Duration::from_mins(10), true), (Duration::ZERO, false)] {
            let calls = Calls::new(remembered);
            let id = CallId::new();
            assert!(matches!(calls.begin(id), Begun::New(_)));
            assert!(matches!(calls.begin(id), Begun::Known(_)));
            assert_eq!(calls.outcome(id, Duration::ZERO).await, Outcome::Running);
            calls.end(result(id));
            assert_eq!(calls.find(id).is_some(), known);
        }
    }

    #[tokio::test]
    async fn who_waits_for_a_running_call_gets_its_result() {
        let calls = Calls::new(Duration::from_mins(10));
        let id = CallId::new();
        calls.begin(id);
        let waiting = calls.outcome(id, Duration::from_secs(5));
        let ending = async { calls.end(result(id)) };
        let (outcome, ()) = tokio::join!(waiting, ending);
        assert_eq!(outcome, Outcome::Result { result: result(id) });
    }
}
