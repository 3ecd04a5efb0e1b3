//! What operators see of the replicas.

use metrics::{counter, gauge};

/// Why a replica is left out for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It could not be connected to, or its first health check failed.
    Connect,
    /// A later health check failed.
    Check,
    Call,
}

impl Reason {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Check => "check",
            Self::Call => "call",
        }
    }
}

pub(crate) fn call(replica: &str) {
    counter!("tarsy_llm_replica_calls_total", "replica" => replica.to_owned()).increment(1);
}

pub(crate) fn ejected(replica: &str, reason: Reason) {
    let labels = [("replica", replica.to_owned()), ("reason", reason.as_str().to_owned())];
    counter!("tarsy_llm_replica_ejections_total", &labels).increment(1);
}

/// How many replicas have a connection, and how many have none.
pub(crate) fn replicas(healthy: usize, ejected: usize) {
    for (state, count) in [("healthy", healthy), ("ejected", ejected)] {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        gauge!("tarsy_llm_replicas", "state" => state).set(count);
    }
}
