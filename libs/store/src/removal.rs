//! Backups, and what is deleted.

pub(crate) mod backup;
pub(crate) mod deletion;
pub(crate) mod redaction;
pub(crate) mod retention;
