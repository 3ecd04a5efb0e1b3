//! The work that runs in this process, so that a cancel finds it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tarsy_domain::id::SessionId;

use super::stop::{StopReason, StopSignal};

/// The leased work that runs in this process; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RunningWork(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    next_key: u64,
    running: HashMap<u64, (SessionId, StopSignal)>,
}

impl RunningWork {
    /// How many pieces of work run.
    pub fn count(&self) -> usize {
        self.entries().running.len()
    }

    /// Stops all work of a session.
    pub fn cancel(&self, session: SessionId) {
        for (of, signal) in self.entries().running.values() {
            if *of == session {
                tracing::info!(session.id = %session, "cancel received");
                signal.stop(StopReason::Cancelled);
            }
        }
    }

    pub(crate) fn register(&self, session: SessionId, signal: StopSignal) -> RegistrationGuard {
        let mut entries = self.entries();
        let key = entries.next_key;
        entries.next_key += 1;
        entries.running.insert(key, (session, signal));
        RegistrationGuard { running: self.clone(), key }
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One piece of work runs until this is dropped.
pub(crate) struct RegistrationGuard {
    running: RunningWork,
    key: u64,
}

impl Drop for RegistrationGuard {
    fn drop(&mut self) {
        self.running.entries().running.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancel_stops_all_work_of_its_session_and_no_other() {
        let running = RunningWork::default();
        let [one, two, other] = [(); 3].map(|()| StopSignal::default());
        let session = SessionId::new();
        let _first = running.register(session, one.clone());
        let second = running.register(session, two.clone());
        let _other = running.register(SessionId::new(), other.clone());
        assert_eq!(running.count(), 3);
        drop(second);
        running.cancel(session);
        assert_eq!(one.reason(), Some(StopReason::Cancelled));
        assert_eq!((two.reason(), other.reason()), (None, None));
        assert_eq!(running.count(), 2);
    }
}
