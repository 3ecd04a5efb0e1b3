//! A call on a connection, and what its end says of the replica.

use std::error::Error as _;
use std::sync::Arc;

use tonic::transport::Channel;
use tonic::{Code, Status, TimeoutExpired};

use super::address::Address;
use super::connection::InFlight;
use super::metrics::Reason;
use super::pool::Pool;

/// A call on a connection; dropping it ends the call.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: Arc<Pool>,
    address: Address,
    call: InFlight,
}

impl Lease {
    pub(crate) fn new(pool: &Arc<Pool>, (address, call): (Address, InFlight)) -> Self {
        Self { pool: Arc::clone(pool), address, call }
    }

    pub(crate) fn channel(&self) -> Channel {
        self.call.connection().channel.clone()
    }

    /// Tells connections apart.
    pub(crate) fn connection(&self) -> u64 {
        self.call.connection().id
    }

    /// The replica answered.
    pub(crate) fn succeeded(&self) {
        self.pool.succeeded(&self.address);
    }

    /// The call failed; its connection is dropped if that is the replica's fault. Returns whether it is.
    pub(crate) fn failed(&self, status: &Status) -> bool {
        let is_at_fault = is_replica_failure(status);
        if is_at_fault {
            let reason = format!("{:?}: {}", status.code(), status.message());
            self.pool.drop_connection(&self.address, self.connection(), Reason::Call, reason);
        }
        is_at_fault
    }
}

/// Whether the connection or the replica failed, and not the call: a status with a source was made on this side.
pub(crate) fn is_replica_failure(status: &Status) -> bool {
    let mut source = status.source();
    while let Some(error) = source {
        if error.is::<TimeoutExpired>() {
            return false;
        }
        source = error.source();
    }
    status.code() == Code::Unavailable || status.source().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_source(
        mut status: Status,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Status {
        status.set_source(Arc::new(source));
        status
    }

    #[test]
    fn only_what_the_replica_is_to_blame_for_counts_against_it() {
        assert!(is_replica_failure(&Status::unavailable("gone")));
        let broken = std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert!(is_replica_failure(&with_source(Status::unknown("transport error"), broken)));
        assert!(!is_replica_failure(&Status::resource_exhausted("full")));
        assert!(!is_replica_failure(&Status::deadline_exceeded("late")));
        assert!(!is_replica_failure(&Status::internal("a fault of one turn")));
        let late = with_source(Status::cancelled("Timeout expired"), TimeoutExpired(()));
        assert!(!is_replica_failure(&late));
    }
}
