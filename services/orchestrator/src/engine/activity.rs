//! What of a session goes on: its agents, while they execute no calls, and its calls, while they wait for nobody. When nothing
//! does, its slot is of use to another session.

use std::sync::{Arc, Mutex, PoisonError};

/// What goes on in one session of this process; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<Mutex<Counts>>);

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    active: i64,
    /// How often something began or went on.
    begun: u64,
}

/// Something goes on until this is dropped.
pub(crate) struct Active(Activity);

/// Something that went on waits until this is dropped.
pub(crate) struct Waiting(Activity);

impl Activity {
    pub(crate) fn start(&self) -> Active {
        self.begin();
        Active(self.clone())
    }

    /// What this is called for goes on, and waits now.
    pub(crate) fn pause(&self) -> Waiting {
        self.end();
        Waiting(self.clone())
    }

    /// A number if nothing goes on: as long as it stays the same, nothing has in between.
    pub(crate) fn idle(&self) -> Option<u64> {
        let Counts { active, begun } = *self.counts();
        (active == 0).then_some(begun)
    }

    fn begin(&self) {
        let mut counts = self.counts();
        counts.active += 1;
        counts.begun += 1;
    }

    fn end(&self) {
        self.counts().active -= 1;
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.begin();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_idle_while_everything_waits_and_nothing_began_in_between() {
        let activity = Activity::default();
        let agent = activity.start();
        assert_eq!(activity.idle(), None);
        let calls = activity.pause();
        let (one, other) = (activity.start(), activity.start());
        let waits = activity.pause();
        assert_eq!(activity.idle(), None, "the other call goes on");
        drop(other);
        let before = activity.idle();
        assert!(before.is_some());
        drop(activity.start());
        assert!(activity.idle().is_some() && activity.idle() != before);
        drop(waits);
        assert_eq!(activity.idle(), None);
        drop((one, calls));
        assert_eq!(activity.idle(), None, "the agent goes on");
        drop(agent);
        assert!(activity.idle().is_some());
    }
}
