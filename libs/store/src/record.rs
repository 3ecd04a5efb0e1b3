//! What was done, step by step: batches of an owner, events, timeline, trace.

pub(crate) mod batch;
pub(crate) mod events;
pub(crate) mod timeline;
pub(crate) mod tool_sets;
pub(crate) mod trace;
