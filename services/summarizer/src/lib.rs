//! Summarizes large tool results for the agents that wait for them.
//!
//! A row of `summaries` requests one; the bus carries only wake-ups. A summarizer claims the row under a
//! lease of its own, streams the text to the session's viewers, and finishes the row once. When a
//! summarizer dies, the next one claims its row. Without a summary the agent uses the beginning of
//! the result.

mod app;
mod context;
mod metrics;
mod prompts;
mod record;
mod sink;
mod summary;
mod work;

pub use app::{Parts, check, start, start_with};
