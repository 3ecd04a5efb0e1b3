//! The fencing token of a session's lease.

use tarsy_domain::id::SessionId;

/// The fencing token of a session's lease: every write of its owner carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    pub session_id: SessionId,
    /// The lease's number; a higher one invalidates this token.
    pub epoch: i64,
}
