//! Doorbells and controls: hints that there is something to do. The row is the fact.

use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;

/// Rings for a session that may be claimed; any pending row will do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionDoorbell {
    /// The session that made it ring.
    pub session_id: SessionId,
}

/// Asks the owner of a session to stop; the row says `cancelling` already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The session.
    pub session_id: SessionId,
}
