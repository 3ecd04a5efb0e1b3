//! Numbers about sessions and about the installation.

pub(crate) mod daily_usage;
pub(crate) mod overview;
pub(crate) mod system_state;
pub(crate) mod usage;
