//! Drives sessions through their chains of agents, and answers questions about finished sessions.
//!
//! An instance claims a session, works under the epoch of its lease, stores every step, and may be
//! killed at any point: the next owner reads the stored state and continues. The crate does not
//! depend on any model vendor, MCP transport or browser protocol.

mod app;
mod asking;
mod chat;
mod engine;
mod janitor;
mod journal;
mod limits;
mod meaning;
mod metrics;
mod prompts;
mod prose;
mod runbook;
mod scoring;
mod session;
mod session_lease;
mod sweeper;

pub use app::{Dependencies, check, start, start_with};
pub use meaning::Meanings;
pub use runbook::RunbookLoader;
