//! Commands to the task of a channel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::outbox::Outbox;

/// Whether a viewer is still subscribed to a channel; clones share the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscribed(Arc<AtomicBool>);

impl Subscribed {
    pub(crate) fn has_ended(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A subscription of a viewer.
#[derive(Debug)]
pub(crate) struct Subscribe {
    pub(crate) viewer: u64,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) subscribed: Subscribed,
    /// The number of the last event that the viewer has; 0 for none.
    pub(crate) after: i64,
}

#[derive(Debug)]
pub(crate) enum Command {
    Subscribe(Subscribe),
    /// Send again what follows the event with this number.
    Catchup {
        viewer: u64,
        after: i64,
    },
}
