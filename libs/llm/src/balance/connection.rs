//! An open connection, and the calls on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tonic::transport::Channel;

/// An open connection to one worker of a replica.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Of this process.
    pub(crate) id: u64,
    pub(crate) channel: Channel,
    /// Empty if the worker did not give its id.
    pub(crate) worker: String,
    calls: AtomicUsize,
}

/// One call on a connection; dropping it ends the call.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<Connection>);

impl Connection {
    pub(crate) const fn new(id: u64, channel: Channel, worker: String) -> Self {
        Self { id, channel, worker, calls: AtomicUsize::new(0) }
    }

    /// How many calls are in flight.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl InFlight {
    pub(crate) fn begin(connection: Arc<Connection>) -> Self {
        connection.calls.fetch_add(1, Ordering::Relaxed);
        Self(connection)
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.0
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}
