//! Who works on what: claims, leases, calls that wait, ends.

pub(crate) mod actions;
pub(crate) mod approvals;
pub(crate) mod cancel;
pub(crate) mod chat;
pub(crate) mod failures;
pub(crate) mod fence;
pub(crate) mod finalize;
pub(crate) mod injected;
pub(crate) mod llm_queue;
pub(crate) mod queue;
pub(crate) mod resume;
pub(crate) mod summaries;
pub(crate) mod suspended;
