//! Sessions as they are stored, found and listed.

#[macro_use]
pub(crate) mod snapshots;
#[macro_use]
pub(crate) mod sessions;
pub(crate) mod active;
pub(crate) mod alert_fields;
pub(crate) mod aliases;
pub(crate) mod detail;
pub(crate) mod idempotency;
pub(crate) mod new_sessions;
pub(crate) mod session_list;
