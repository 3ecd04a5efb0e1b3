//! The prose of postmortems: asked for by a person, written by a model under a lease of its own, and edited by people.
//!
//! Whoever writes a call of the session locks `session_control` first and the prose second.

pub(crate) mod edit;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod work;

use tarsy_domain::id::SessionId;

/// Proof that a prose is one's own to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProseFence {
    pub session_id: SessionId,
    /// The lease's number; a newer one makes this one worthless.
    pub epoch: i64,
}
